package config

import "strings"

// Roles is what a process of the service does. All processes of one database together
// must have all of them.
type Roles struct {
	Web     bool // answers requests but streams, and takes in activities
	Stream  bool // keeps streams open
	Work    bool // runs jobs, and processes activities that were taken in
	Deliver bool // sends activities to other servers
}

// AllRoles is the default.
var AllRoles = Roles{Web: true, Stream: true, Work: true, Deliver: true}

// roleNames are the accepted names.
const roleNames = "web, stream, work, deliver"

// String lists the names of the roles, separated by spaces.
func (r Roles) String() string {
	var names []string
	for name, on := range r.byName {
		if *on {
			names = append(names, name)
		}
	}
	return strings.Join(names, " ")
}

// byName walks the roles in their order.
func (r *Roles) byName(yield func(string, *bool) bool) {
	_ = yield("web", &r.Web) && yield("stream", &r.Stream) && yield("work", &r.Work) && yield("deliver", &r.Deliver)
}

func setRoles(c *Config, value string) bool {
	var roles Roles
	for _, given := range words(value) {
		known := false
		for name, on := range roles.byName {
			if name == given {
				*on, known = true, true
			}
		}
		if !known {
			return false
		}
	}
	if roles == (Roles{}) {
		return false
	}
	c.Roles = roles
	return true
}
