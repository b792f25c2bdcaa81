package db

import (
	"io/fs"
	"testing/fstest"
)

// AddMigrations has d know more migrations than the program: texts by file name.
func (d *DB) AddMigrations(more map[string]string) error {
	all := fstest.MapFS{}
	dir := "migrations/" + string(d.pool.dialect)
	entries, err := fs.ReadDir(migrations, dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		text, err := fs.ReadFile(migrations, dir+"/"+e.Name())
		if err != nil {
			return err
		}
		all[dir+"/"+e.Name()] = &fstest.MapFile{Data: text}
	}
	for name, text := range more {
		all[dir+"/"+name] = &fstest.MapFile{Data: []byte(text)}
	}
	d.pool.migrations = all
	return nil
}
