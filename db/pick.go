package db

import (
	"context"

	"gorm.io/gorm"
)

// pick reads rows of T by conditions. It is the part of gorm's generic form that
// is used here: that one has 138 methods, which are compiled once more for each
// of our types.
type pick[T any] struct{ q *gorm.DB }

func pickFrom[T any](orm *gorm.DB) pick[T] { return pick[T]{orm.Session(&gorm.Session{NewDB: true})} }

// Where adds a condition.
func (p pick[T]) Where(condition string, args ...any) pick[T] {
	return pick[T]{p.q.Where(condition, args...)}
}

// Order sorts the rows.
func (p pick[T]) Order(by string) pick[T] { return pick[T]{p.q.Order(by)} }

// Limit bounds how many there are.
func (p pick[T]) Limit(n int) pick[T] { return pick[T]{p.q.Limit(n)} }

// Take returns the first row, or gorm.ErrRecordNotFound.
func (p pick[T]) Take(ctx context.Context) (row T, err error) {
	err = p.q.WithContext(ctx).Take(&row).Error
	if isUnreadable(err) {
		if l, ok := p.q.Logger.(*statementLog); ok {
			what, id := named(&row)
			l.leaveOut(ctx, what, id, err)
		}
	}
	return row, err
}

// Find returns all rows. One that cannot be read is left out.
func (p pick[T]) Find(ctx context.Context) (rows []T, err error) {
	err = p.q.WithContext(ctx).Find(&rows).Error
	if isUnreadable(err) {
		rows, err = oneByOne[T](ctx, p.q.WithContext(ctx).Model(new(T)))
	}
	return rows, err
}

// Count returns how many rows there are.
func (p pick[T]) Count(ctx context.Context, column string) (n int64, err error) {
	q := p.q.WithContext(ctx).Model(new(T))
	if column != "*" {
		q = q.Select(column)
	}
	err = q.Count(&n).Error
	return n, err
}
