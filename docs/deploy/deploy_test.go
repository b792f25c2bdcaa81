package deploy

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"svc/server/servertest/proxies"
)

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// missing ends a test that needs a program which is not there, unless SVC_TEST_CLIENTS says
// that it must be.
func missing(t *testing.T, program string) string {
	t.Helper()
	path, err := exec.LookPath(program)
	switch {
	case err == nil:
		return path
	case os.Getenv("SVC_TEST_CLIENTS") == "required":
		t.Fatal(err)
	}
	t.Skip(err)
	return ""
}

// TestEveryVariableIsASetting compares the files with the settings that svcd has.
func TestEveryVariableIsASetting(t *testing.T) {
	var known []string
	for _, found := range regexp.MustCompile(`Variable\s+(?:#\s*)?([A-Z_]+)`).FindAllStringSubmatch(read(t, "svcd.yaml"), -1) {
		known = append(known, found[1])
	}
	if len(known) < 20 {
		t.Fatalf("svcd.yaml names %d variables", len(known))
	}
	known = append(known, "SVC_CONFIG")
	used := 0
	for _, file := range []string{"container/compose.yaml", "container/Containerfile", "systemd/svcd.service"} {
		for _, name := range regexp.MustCompile(`\bSVC_[A-Z_]+`).FindAllString(read(t, file), -1) {
			if used++; !slices.Contains(known, name) {
				t.Errorf("%s: %s is no setting", file, name)
			}
		}
	}
	if used == 0 {
		t.Error("no variable is used")
	}
}

func TestTheFilesForContainersAreYAML(t *testing.T) {
	var compose struct {
		Services map[string]struct {
			Networks, Volumes []string
			Environment       map[string]string
		}
		Networks, Volumes map[string]any
	}
	if err := yaml.Unmarshal([]byte(read(t, "container/compose.yaml")), &compose); err != nil {
		t.Fatal(err)
	}
	for name, service := range compose.Services {
		for _, n := range service.Networks {
			if _, ok := compose.Networks[n]; !ok {
				t.Errorf("%s: there is no network %s", name, n)
			}
		}
		for _, v := range service.Volumes {
			from, _, _ := strings.Cut(v, ":")
			if _, ok := compose.Volumes[from]; !ok && !strings.HasPrefix(from, "./") {
				t.Errorf("%s: there is no volume %s", name, from)
			} else if _, err := os.Stat(filepath.Join("container", from)); !ok && err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	if compose.Services["svcd"].Environment["SVC_BASE_URL"] == "" {
		t.Error("svcd has no base URL")
	}
}

// TestTheDocumentsQuoteTheFiles holds docs/proxies.md against the files that are tested.
func TestTheDocumentsQuoteTheFiles(t *testing.T) {
	page := read(t, "../proxies.md")
	for program, file := range proxies.Files {
		if !strings.Contains(page, "```"+program+"\n"+read(t, "proxies/"+file)+"```\n") {
			t.Errorf("docs/proxies.md does not quote %s", file)
		}
	}
}

func TestTheFilterFindsRefusedLogIns(t *testing.T) {
	program := missing(t, "fail2ban-regex")
	line := func(route, status, address string) string {
		return `{"time":"2026-11-28T06:40:31.123456789Z","level":"INFO","msg":"request","method":"POST","route":"` + route + `","status":` + status +
			`,"bytes":42,"took":1000,"request_id":"0123456789ab0123456789ab","address":"` + address + `"}` + "\n"
	}
	log := filepath.Join(t.TempDir(), "log")
	text := line("/oauth/token", "400", "192.0.2.1") + line("/oauth/authorize", "401", "2001:db8::1") + line("/api/v1/statuses", "429", "192.0.2.2") + // these three
		line("/oauth/token", "200", "192.0.2.3") + line("/api/v1/statuses", "422", "192.0.2.4") + line(`/x`, "404", "192.0.2.5")
	if err := os.WriteFile(log, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(program, "--print-all-matched", log, "fail2ban/filter.d-svc.conf").CombinedOutput()
	if err != nil || !strings.Contains(string(out), "Lines: 6 lines, 0 ignored, 3 matched, 3 missed") {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestScriptsAndUnitsAreSound(t *testing.T) {
	for _, script := range []string{"postinst", "prerm", "postrm"} {
		if out, err := exec.Command("sh", "-n", "debian/"+script).CombinedOutput(); err != nil {
			t.Errorf("%s: %v %s", script, err, out)
		}
	}
	// No other program is sure to be on a machine: kill, for example, is in a package of its own.
	for _, program := range regexp.MustCompile(`(?m)^Exec\w+=(\S+)`).FindAllStringSubmatch(read(t, "systemd/svcd.service"), -1) {
		if program[1] != "/usr/bin/svcd" && program[1] != "/bin/sh" {
			t.Errorf("the unit runs %s", program[1])
		}
	}
	verify, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Skip(err)
	}
	out, err := exec.Command(verify, "verify", "systemd/svcd.service", "systemd/svcd.socket").CombinedOutput()
	for _, said := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		// It looks for the program and the page on this machine.
		if said != "" && !strings.Contains(said, "/usr/bin/svcd is not executable") && !strings.Contains(said, "man svcd") && strings.Contains(said, "svcd.s") {
			t.Errorf("%v: %s", err, said)
		}
	}
}

// TestThePackageIsInstalledUpgradedRemovedAndPurged does so in a folder that dpkg takes for
// the machine.
func TestThePackageIsInstalledUpgradedRemovedAndPurged(t *testing.T) {
	from := os.Getenv("SVC_TEST_RELEASE")
	if from == "" {
		t.Skip("SVC_TEST_RELEASE names no release")
	}
	pack := packageIn(t, from)
	m := newMachine(t)
	settings := filepath.Join(m.root, "etc/svc/svcd.yaml")
	m.dpkg("--install", pack)
	m.there(true, "usr/bin/svcd", "usr/bin/svcctl", "usr/lib/systemd/system/svcd.service", "usr/lib/sysusers.d/svcd.conf", "usr/share/man/man1/svcd.1", "usr/share/man/man1/svcctl.1",
		"usr/share/bash-completion/completions/svcctl", "usr/share/doc/svc/licences/go/LICENSE", "usr/share/doc/svc/prometheus/svc.rules.yml", "usr/share/doc/svc/grafana/svc.json", "var/lib/svc")
	if got := read(t, settings); got != read(t, "svcd.yaml") {
		t.Error("the settings file is not that of docs/deploy")
	}
	changed := read(t, settings) + "base_url: https://social.example\n"
	if err := os.WriteFile(settings, []byte(changed), 0o640); err != nil {
		t.Fatal(err)
	}
	check := exec.Command(filepath.Join(m.root, "usr/bin/svcd"), "migrate", "--status", "--config", settings, "--data-dir", filepath.Join(m.root, "var/lib/svc"))
	if out, err := check.CombinedOutput(); err != nil && !strings.Contains(string(out), "no database") {
		t.Logf("svcd with the settings of the package: %v %s", err, out)
	}
	if err := os.WriteFile(filepath.Join(m.root, "var/lib/svc/kept"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	m.dpkg("--install", pack) // an upgrade, for dpkg
	m.there(true, "var/lib/svc/kept")
	if read(t, settings) != changed {
		t.Error("an upgrade overwrites the settings")
	}
	m.dpkg("--remove", "svc")
	m.there(true, "etc/svc/svcd.yaml", "var/lib/svc/kept")
	m.there(false, "usr/bin/svcd", "usr/lib/systemd/system/svcd.service")
	m.dpkg("--purge", "svc")
	m.there(false, "etc/svc", "var/lib/svc")
}

// machine is a folder that dpkg takes for the machine.
type machine struct {
	t    *testing.T
	root string
}

func newMachine(t *testing.T) *machine {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("dpkg wants root")
	}
	root := t.TempDir()
	for _, dir := range []string{"var/lib/dpkg/info", "var/lib/dpkg/updates", "etc", "var/log"} {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(root, "var/lib/dpkg/status"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	return &machine{t, root}
}

// dpkg runs it. Scripts run on a root without a shell: their commands are replaced by ones
// that work in the folder.
func (m *machine) dpkg(args ...string) {
	m.t.Helper()
	cmd := exec.Command("dpkg", append([]string{"--root=" + m.root, "--force-depends", "--force-script-chrootless", "--force-not-root", "--force-confold", "--log=" + filepath.Join(m.root, "log")}, args...)...)
	cmd.Env = append(os.Environ(), "SVC_ROOT="+m.root, "PATH="+stubs(m.t)+":"+os.Getenv("PATH"))
	if out, err := cmd.CombinedOutput(); err != nil {
		m.t.Fatalf("dpkg %v: %v\n%s", args, err, out)
	}
}

// there wants files to be there, or not.
func (m *machine) there(want bool, names ...string) {
	m.t.Helper()
	for _, name := range names {
		if _, err := os.Lstat(filepath.Join(m.root, name)); (err == nil) != want {
			m.t.Errorf("%s is there: %v", name, !want)
		}
	}
}

// stubs is a folder with commands that do in the folder SVC_ROOT what scripts of the package
// would do to the machine.
func stubs(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, script := range map[string]string{
		"getent":    `exit 0`,
		"install":   `/bin/mkdir -p "$SVC_ROOT/var/lib/svc" && /bin/chmod 700 "$SVC_ROOT/var/lib/svc"`,
		"chown":     `exit 0`,
		"chmod":     `exit 0`,
		"systemctl": `exit 0`,
		"rm":        `test "$1 $2 $3" = "-rf /var/lib/svc /etc/svc" && exec /bin/rm -rf "$SVC_ROOT/var/lib/svc" "$SVC_ROOT/etc/svc"; exec /bin/rm "$@"`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}
