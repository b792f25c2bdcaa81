package main

import (
	"archive/tar"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

// archive packs dir under a name. Times and owners are those of the release, so that two
// archives of the same files have the same bytes.
func (r release) archive(path, dir, name string) (err error) {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	packed, err := gzip.NewWriterLevel(file, gzip.BestCompression)
	if err != nil {
		return err
	}
	out := tar.NewWriter(packed)
	// In the order of their names.
	err = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		inside, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		head := &tar.Header{Name: name + "/" + filepath.ToSlash(inside), ModTime: r.date, Mode: 0o644, Format: tar.FormatUSTAR}
		if entry.IsDir() {
			head.Typeflag, head.Mode, head.Name = tar.TypeDir, 0o755, strings.TrimSuffix(head.Name, "/.")+"/"
			return out.WriteHeader(head)
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		head.Typeflag, head.Size = tar.TypeReg, int64(len(content))
		if inside == "svcd" || inside == "svcctl" {
			head.Mode = 0o755
		}
		if err := out.WriteHeader(head); err != nil {
			return err
		}
		_, err = out.Write(content)
		return err
	})
	return errors.Join(err, out.Close(), packed.Close())
}

// sum writes SHA256SUMS of the files in dir, and returns it.
func sum(dir string) (string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", err
	}
	var sums strings.Builder
	for _, e := range entries {
		file, err := os.Open(filepath.Join(dir, e.Name()))
		if err != nil {
			return "", err
		}
		h := sha256.New()
		_, err = io.Copy(h, file)
		if err = errors.Join(err, file.Close()); err != nil {
			return "", err
		}
		fmt.Fprintf(&sums, "%s  %s\n", hex.EncodeToString(h.Sum(nil)), e.Name())
	}
	return sums.String(), os.WriteFile(filepath.Join(dir, "SHA256SUMS"), []byte(sums.String()), 0o644)
}

// legal matches the files of a module that must go with a program.
var legal = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|patents)([-.].*)?$`)

// licences copies the licences of Go and of every module that is linked into the programs.
func licences(dir, goos, goarch string) error {
	cmd := exec.Command("go", "list", "-deps", "-tags", "nomsgpack", "-json=Module", "./cmd/svcd", "./cmd/svcctl")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+goos, "GOARCH="+goarch)
	listed, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("list the modules: %w", err)
	}
	root, err := output("go", "env", "GOROOT")
	if err != nil {
		return err
	}
	type module struct {
		Path, Dir string
		Main      bool
		Replace   *struct{ Dir string }
	}
	modules := map[string]string{"go": strings.TrimSpace(root)}
	for dec := json.NewDecoder(strings.NewReader(string(listed))); ; {
		var p struct{ Module *module }
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return err
		}
		if m := p.Module; m != nil && !m.Main {
			modules[m.Path] = m.Dir
			if m.Replace != nil {
				modules[m.Path] = m.Replace.Dir
			}
		}
	}
	for path, from := range modules {
		entries, err := os.ReadDir(from)
		if err != nil {
			return err
		}
		copied := 0
		to := filepath.Join(dir, filepath.FromSlash(path))
		for _, e := range entries {
			if e.IsDir() || !legal.MatchString(e.Name()) {
				continue
			}
			text, err := os.ReadFile(filepath.Join(from, e.Name()))
			if err != nil {
				return err
			}
			if err := os.MkdirAll(to, 0o755); err != nil {
				return err
			}
			if err := os.WriteFile(filepath.Join(to, e.Name()), text, 0o644); err != nil {
				return err
			}
			copied++
		}
		if copied == 0 {
			return fmt.Errorf("%s has no licence; look for it, and do not release without", path)
		}
	}
	return nil
}
