package db

import (
	"strings"

	"gorm.io/gorm"
	"gorm.io/gorm/callbacks"
	"gorm.io/gorm/clause"
	"gorm.io/gorm/logger"
	"gorm.io/gorm/migrator"
	"gorm.io/gorm/schema"
)

// sqliteDialect is the mapper's dialect for SQLite. It is our own so that the
// driver can be one that compiles a statement once and keeps it.
type sqliteDialect struct{ conn gorm.ConnPool }

// Name is that of the dialect.
func (sqliteDialect) Name() string { return "sqlite" }

// Initialize registers how rows are written; SQLite has RETURNING since 3.35.
func (s sqliteDialect) Initialize(d *gorm.DB) error {
	d.ConnPool = s.conn
	callbacks.RegisterDefaultCallbacks(d, &callbacks.Config{
		CreateClauses:        []string{"INSERT", "VALUES", "ON CONFLICT", "RETURNING"},
		UpdateClauses:        []string{"UPDATE", "SET", "FROM", "WHERE", "RETURNING"},
		DeleteClauses:        []string{"DELETE", "FROM", "WHERE", "RETURNING"},
		LastInsertIDReversed: true,
	})
	return nil
}

// Migrator is never asked for: migrations are SQL files.
func (s sqliteDialect) Migrator(d *gorm.DB) gorm.Migrator {
	return migrator.Migrator{Config: migrator.Config{DB: d, Dialector: s}}
}

// DataTypeOf names the column type of a field.
func (sqliteDialect) DataTypeOf(f *schema.Field) string { return string(f.DataType) }

// DefaultValueOf is the value of a column that the database fills.
func (sqliteDialect) DefaultValueOf(*schema.Field) clause.Expression {
	return clause.Expr{SQL: "NULL"}
}

// BindVarTo writes a placeholder.
func (sqliteDialect) BindVarTo(w clause.Writer, _ *gorm.Statement, _ any) { _ = w.WriteByte('?') }

// QuoteTo writes a name, each part of it quoted. All names are our own.
func (sqliteDialect) QuoteTo(w clause.Writer, name string) {
	_, _ = w.WriteString("`" + strings.ReplaceAll(name, ".", "`.`") + "`")
}

// Explain renders a statement with its values, for logs and tests.
func (sqliteDialect) Explain(sql string, vars ...any) string {
	return logger.ExplainSQL(sql, nil, `"`, vars...)
}
