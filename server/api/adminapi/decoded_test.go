package adminapi_test

import (
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"svc/client/api"
)

// decoded leaves out the bytes that answers were decoded from, which a wished
// value has not.
var decoded = cmp.Options{
	cmpopts.IgnoreFields(api.Invite{}, "Raw"), cmpopts.IgnoreFields(api.AdminApp{}, "Raw"),
	cmpopts.IgnoreFields(api.Credentials{}, "Raw"), cmpopts.IgnoreFields(api.ConfigSetting{}, "Raw"),
}
