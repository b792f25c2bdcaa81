// Command release makes a release of svcd and svcctl: archives for each platform, Debian
// packages, a list of what is in them, and checksums. Two runs on one commit give the same
// bytes.
//
//	go run ./docs/release -version v1.2.3 -out dist
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"time"
)

func main() {
	r := release{}
	flag.StringVar(&r.version, "version", "", "the tag of the release, vX.Y.Z")
	flag.StringVar(&r.out, "out", "dist", "folder for the files of the release, which must be empty or missing")
	platforms := flag.String("platforms", "linux/amd64,linux/arm64,darwin/amd64,darwin/arm64", "platforms to build for")
	check := flag.Bool("check", false, "make it twice, and compare")
	flag.Parse()
	r.platforms = strings.Split(*platforms, ",")
	if err := run(r, *check); err != nil {
		fmt.Fprintf(os.Stderr, "release: %s\n", err)
		os.Exit(1)
	}
}

func run(r release, check bool) error {
	if !regexp.MustCompile(`^v[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.-]+)?$`).MatchString(r.version) {
		return fmt.Errorf("-version: %q is not accepted; give vX.Y.Z", r.version)
	}
	if err := r.readCommit(); err != nil {
		return err
	}
	sums, err := r.make()
	if err != nil || !check {
		return err
	}
	again := r
	if again.out, err = os.MkdirTemp("", "release-"); err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(again.out) }()
	second, err := again.make()
	if err != nil {
		return err
	}
	if sums != second {
		return fmt.Errorf("two builds differ:\n%s\n%s", sums, second)
	}
	fmt.Println("two builds give the same bytes")
	return nil
}

type release struct {
	version   string
	out       string
	platforms []string
	commit    string
	date      time.Time // of the commit, or SOURCE_DATE_EPOCH
	stage     string    // folder that the archives are packed from
}

// readCommit reads what the release is made of.
func (r *release) readCommit() error {
	out, err := output("git", "log", "-1", "--format=%H %ct")
	if err != nil {
		return err
	}
	commit, at, _ := strings.Cut(strings.TrimSpace(out), " ")
	if epoch := os.Getenv("SOURCE_DATE_EPOCH"); epoch != "" {
		at = epoch
	}
	seconds, err := strconv.ParseInt(at, 10, 64)
	if err != nil {
		return fmt.Errorf("date of the commit: %w", err)
	}
	changed, err := output("git", "status", "--porcelain", "--untracked-files=no")
	if err != nil {
		return err
	}
	if changed != "" {
		commit += "-modified"
	}
	r.commit, r.date = commit, time.Unix(seconds, 0).UTC()
	return nil
}

// make fills the folder out, and returns the checksums.
func (r release) make() (sums string, err error) {
	if there, err := os.ReadDir(r.out); err == nil && len(there) > 0 {
		return "", fmt.Errorf("%s is not empty", r.out)
	}
	if err := os.MkdirAll(r.out, 0o755); err != nil {
		return "", err
	}
	if r.stage, err = os.MkdirTemp("", "release-"); err != nil {
		return "", err
	}
	defer func() { _ = os.RemoveAll(r.stage) }()
	shared := filepath.Join(r.stage, "shared")
	if err := r.shared(shared); err != nil {
		return "", err
	}
	for _, platform := range r.platforms {
		if err := r.platform(platform, shared); err != nil {
			return "", fmt.Errorf("%s: %w", platform, err)
		}
	}
	return sum(r.out)
}

// shared makes what is the same for all platforms: pages, completions and the settings file
// by the programs themselves.
func (r release) shared(dir string) error {
	bin := filepath.Join(r.stage, "bin")
	if err := r.build(bin, runtime.GOOS, runtime.GOARCH); err != nil {
		return err
	}
	for _, folder := range []string{"completions", "man1"} {
		if err := os.MkdirAll(filepath.Join(dir, folder), 0o755); err != nil {
			return err
		}
	}
	svcd, svcctl := filepath.Join(bin, "svcd"), filepath.Join(bin, "svcctl")
	for _, program := range []string{svcd, svcctl} {
		if err := r.command(program, "man", filepath.Join(dir, "man1")).Run(); err != nil {
			return fmt.Errorf("manual pages of %s: %w", filepath.Base(program), err)
		}
	}
	texts := map[string][]string{"svcd.yaml": {svcd, "config", "example"}}
	for _, shell := range []string{"bash", "zsh", "fish"} {
		texts["completions/svcctl."+shell] = []string{svcctl, "completion", shell}
	}
	for name, args := range texts {
		out, err := output(args[0], args[1:]...)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(out), 0o644); err != nil {
			return err
		}
	}
	if err := os.CopyFS(filepath.Join(dir, "deploy"), os.DirFS("docs/deploy")); err != nil {
		return err
	}
	for name, from := range map[string]string{"README.md": "README.md", "LICENSE": "LICENSE", "CHANGELOG.md": "docs/CHANGELOG.md"} {
		text, err := os.ReadFile(from)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// platform makes the archive, the list and, on Linux, the package of one platform.
func (r release) platform(platform, shared string) error {
	goos, goarch, _ := strings.Cut(platform, "/")
	name := fmt.Sprintf("svc-%s-%s-%s", strings.TrimPrefix(r.version, "v"), goos, goarch)
	dir := filepath.Join(r.stage, name)
	if err := os.CopyFS(dir, os.DirFS(shared)); err != nil {
		return err
	}
	if err := r.build(dir, goos, goarch); err != nil {
		return err
	}
	if err := licences(filepath.Join(dir, "licences"), goos, goarch); err != nil {
		return err
	}
	for _, program := range []string{"svcd", "svcctl"} {
		list := filepath.Join(r.out, fmt.Sprintf("%s-%s.cdx.json", name, program))
		// The programs say themselves which modules they were linked from.
		err := r.command("go", "run", cyclonedx, "bin", "-json", "-noserial", "-notimestamp", "-version", r.version, "-output", list, filepath.Join(dir, program)).Run()
		if err != nil {
			return fmt.Errorf("list of modules of %s: %w", program, err)
		}
	}
	if goos == "linux" {
		if err := r.debian(dir, goarch); err != nil {
			return err
		}
	}
	return r.archive(filepath.Join(r.out, name+".tar.gz"), dir, name)
}

// Tools of others, at the versions that were tried.
const (
	cyclonedx = "github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod@v1.10.0"
	nfpm      = "github.com/goreleaser/nfpm/v2/cmd/nfpm@v2.41.1"
)

// build builds both programs into dir.
func (r release) build(dir, goos, goarch string) error {
	set := "-s -w"
	for _, s := range [][2]string{{"version", r.version}, {"commit", r.commit}, {"date", r.date.Format(time.RFC3339)}} {
		set += " -X svc/client/build." + s[0] + "=" + s[1]
	}
	cmd := r.command("go", "build", "-trimpath", "-buildvcs=false", "-tags", "nomsgpack", "-ldflags", set, "-o", dir+string(filepath.Separator), "./cmd/svcd", "./cmd/svcctl")
	cmd.Env = append(cmd.Env, "CGO_ENABLED=0", "GOOS="+goos, "GOARCH="+goarch)
	return cmd.Run()
}

// debian makes the package of a filled folder.
func (r release) debian(dir, goarch string) error {
	config, err := filepath.Abs("docs/deploy/nfpm.yaml")
	if err != nil {
		return err
	}
	text, err := os.ReadFile(config)
	if err != nil {
		return err
	}
	// nfpm replaces variables in few of its fields.
	written := os.Expand(string(text), func(name string) string {
		return map[string]string{"ARCH": goarch, "VERSION": r.version, "MTIME": r.date.Format(time.RFC3339)}[name]
	})
	config = filepath.Join(r.stage, "nfpm.yaml")
	if err := os.WriteFile(config, []byte(written), 0o644); err != nil {
		return err
	}
	out, err := filepath.Abs(r.out)
	if err != nil {
		return err
	}
	tool := filepath.Join(r.stage, "tool")
	install := r.command("go", "install", nfpm)
	install.Env = append(install.Env, "GOBIN="+tool)
	if err := install.Run(); err != nil {
		return fmt.Errorf("nfpm: %w", err)
	}
	cmd := r.command(filepath.Join(tool, "nfpm"), "package", "--config", config, "--packager", "deb", "--target", out)
	cmd.Dir = dir
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("package: %w", err)
	}
	return nil
}

// command is a program that says on standard error what goes wrong.
func (r release) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Stderr = os.Stderr
	cmd.Env = append(os.Environ(), fmt.Sprintf("SOURCE_DATE_EPOCH=%d", r.date.Unix()), "TZ=UTC", "LC_ALL=C")
	return cmd
}

func output(name string, args ...string) (string, error) {
	out, err := exec.Command(name, args...).Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return "", fmt.Errorf("%s: %w: %s", name, err, exit.Stderr)
	}
	return string(out), err
}
