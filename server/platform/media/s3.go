package media

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"svc/db"
	"svc/server/platform/config"
)

// S3 is a Store in a bucket of a server with Amazon's S3 protocol.
type S3 struct {
	client *minio.Core
	bucket string
	where  string // for messages: the bucket and its server
	prefix string
	parts  bool // upload long files in parts
	waits  waits
}

// partSize is the size of a part, in bytes.
const partSize = 16 << 20

// waits are the time-outs of a store: to connect, to answer, and for each piece
// of a file.
type waits struct{ connect, answer, piece time.Duration }

var s3Waits = waits{connect: 5 * time.Second, answer: 10 * time.Second, piece: 10 * time.Second}

const (
	// slowest is the least upload speed of a store, in bytes a second.
	slowest = 128 << 10
	// tries is the number of tries of a request: more than one, since an idle
	// connection may have been closed.
	tries = 2
)

var (
	// ErrMisset is a store that refuses the configured access.
	ErrMisset = errors.New("the settings of the media store are wrong")
	// errSlow is a store without an answer in time.
	errSlow = errors.New("it does not answer in time")
)

// NewS3 returns a Store in an existing bucket, with file names that begin with
// prefix. It makes no calls yet.
func NewS3(b config.S3, prefix string) (*S3, error) { return newS3(b, prefix, s3Waits) }

func newS3(b config.S3, prefix string, w waits) (*S3, error) {
	scheme, host, _ := strings.Cut(b.Endpoint(), "://")
	transport, err := minio.DefaultTransport(scheme != "http")
	if err != nil {
		return nil, fmt.Errorf("media in S3: %w", err)
	}
	dialer := &net.Dialer{Timeout: w.connect, KeepAlive: 30 * time.Second}
	transport.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dialer.DialContext(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return &stallGuard{conn, w.piece}, nil
	}
	transport.TLSHandshakeTimeout, transport.ResponseHeaderTimeout = w.connect, w.answer
	client, err := minio.NewCore(host, &minio.Options{
		Creds: credentials.NewStaticV4(b.Key, b.Secret, ""), Secure: scheme != "http", Region: b.Region, BucketLookup: minio.BucketLookupAuto,
		MaxRetries: tries, Transport: transport,
	})
	if err != nil {
		return nil, fmt.Errorf("media in S3: %w", err)
	}
	return &S3{client: client, bucket: b.Name, where: fmt.Sprintf("bucket %q at %s", b.Name, b.Endpoint()), prefix: prefix, parts: b.Streaming, waits: w}, nil
}

// stallGuard is a connection that fails if sent data is not acknowledged.
type stallGuard struct {
	net.Conn
	wait time.Duration
}

func (c *stallGuard) Write(b []byte) (int, error) {
	if err := c.SetWriteDeadline(time.Now().Add(c.wait)); err != nil {
		return 0, err
	}
	return c.Conn.Write(b)
}

// Put uploads a draft, which is invisible until it is whole.
func (s *S3) Put(ctx context.Context, name string, d *Draft) error {
	there, err := s.has(ctx, name, d.Size)
	if there || err != nil {
		return err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, tries*s.waits.answer+time.Duration(d.Size/slowest)*time.Second, errSlow)
	defer cancel()
	_, err = s.client.Client.PutObject(ctx, s.bucket, s.prefix+name, io.NewSectionReader(d.file, 0, d.Size), d.Size, minio.PutObjectOptions{
		ContentType: d.Type.Shown(), CacheControl: "public, max-age=31536000, immutable", DisableMultipart: !s.parts, PartSize: partSize,
	})
	return s.failed(ctx, name, err)
}

// has reports whether there is a file of this name and size.
func (s *S3) has(ctx context.Context, name string, size int64) (bool, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, s.waits.answer, errSlow)
	defer cancel()
	info, err := s.client.StatObject(ctx, s.bucket, s.prefix+name, minio.StatObjectOptions{})
	if err = s.failed(ctx, name, err); errors.Is(err, db.ErrNotFound) {
		return false, nil
	}
	return err == nil && info.Size == size, err
}

// failed classifies err: a missing file, a full store, or wrong settings.
func (s *S3) failed(ctx context.Context, name string, err error) error {
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	said := minio.ToErrorResponse(err)
	switch said.Code {
	case minio.NoSuchKey, "NotFound":
		return fmt.Errorf("file %s: %w", name, db.ErrNotFound)
	case "XMinioStorageFull", "QuotaExceeded", "InsufficientCapacity", "EntityTooLarge":
		return fmt.Errorf("%w: %w", ErrFull, err)
	case minio.NoSuchBucket:
		return fmt.Errorf("%w: there is no %s", ErrMisset, s.where)
	case "RequestTimeTooSkewed": // the clock of one machine is wrong
	default:
		// Servers have many codes for unknown keys.
		if n := said.StatusCode; n >= 400 && n < 500 && n != http.StatusRequestTimeout && n != http.StatusTooManyRequests {
			return fmt.Errorf("%w: %s refuses the keys, or what they may do there: %w", ErrMisset, s.where, err)
		}
	}
	return fmt.Errorf("%s: %w", s.where, err)
}

// Open requests a file. It returns once the first bytes are there.
func (s *S3) Open(ctx context.Context, name string) (File, error) {
	f := &s3File{ask: func(from int64) (*s3Body, error) { return s.get(ctx, name, from) }}
	var err error
	if f.body, err = f.ask(0); err != nil {
		return nil, err
	}
	f.size = f.body.length
	return f, nil
}

// s3Body is the content of a file from an offset on.
type s3Body struct {
	*bufio.Reader
	at     int64 // current offset in the file
	length int64
	close  func() error
	fail   func(error) error
}

// get requests a file from an offset on.
func (s *S3) get(ctx context.Context, name string, from int64) (*s3Body, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	fail := func(err error) error { return s.failed(ctx, name, err) }
	late := time.AfterFunc(s.waits.answer, func() { cancel(errSlow) })
	var options minio.GetObjectOptions
	if from > 0 {
		options.Set("Range", fmt.Sprintf("bytes=%d-", from))
	}
	content, info, _, err := s.client.GetObject(ctx, s.bucket, s.prefix+name, options)
	late.Stop()
	if err != nil {
		err = fail(err)
		cancel(nil)
		return nil, err
	}
	piece := time.AfterFunc(s.waits.piece, func() { cancel(errSlow) })
	b := &s3Body{Reader: buffered(&paced{content, piece, s.waits.piece}), at: from, length: info.Size, fail: fail, close: func() error {
		piece.Stop()
		cancel(nil)
		return content.Close()
	}}
	if info.Size < 0 {
		err = errors.New("it does not say how long the file is")
	} else if info.Size > 0 {
		// An immediate failure is reported before the caller gets the file.
		_, err = b.Peek(1)
	}
	if err != nil {
		err = fail(err)
		_ = b.close()
		return nil, err
	}
	return b, nil
}

// paced is content with a time-out for each piece.
type paced struct {
	io.Reader
	late *time.Timer
	wait time.Duration
}

func (p *paced) Read(b []byte) (int, error) {
	p.late.Reset(p.wait)
	defer p.late.Stop()
	return p.Reader.Read(b)
}

// s3File is a file that is requested again after a seek.
type s3File struct {
	ask  func(from int64) (*s3Body, error)
	body *s3Body // nil after a failure
	at   int64
	size int64
}

func (f *s3File) Size() int64 { return f.size }

func (f *s3File) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += f.at
	case io.SeekEnd:
		offset += f.size
	}
	if offset < 0 {
		return 0, errors.New("seek before the beginning of a file")
	}
	f.at = offset
	return offset, nil
}

func (f *s3File) Read(p []byte) (int, error) {
	if f.at >= f.size {
		return 0, io.EOF
	}
	if f.body == nil || f.body.at != f.at {
		_ = f.Close()
		body, err := f.ask(f.at)
		if err != nil {
			return 0, err
		}
		if f.body = body; body.length != f.size-f.at {
			return 0, f.broken(fmt.Errorf("%d bytes come from %d on, of %d", body.length, f.at, f.size))
		}
	}
	n, err := f.body.Read(p)
	f.at += int64(n)
	f.body.at = f.at
	if errors.Is(err, io.EOF) && f.at < f.size {
		err = io.ErrUnexpectedEOF
	}
	if err != nil && !errors.Is(err, io.EOF) {
		err = f.broken(err)
	}
	return n, err
}

// broken ends the content, so that the rest can be requested again.
func (f *s3File) broken(err error) error {
	err = f.body.fail(err)
	_ = f.Close()
	return err
}

func (f *s3File) Close() error {
	if f.body == nil {
		return nil
	}
	body := f.body
	f.body = nil
	return body.close()
}

// Delete removes a file.
func (s *S3) Delete(ctx context.Context, name string) error {
	ctx, cancel := context.WithTimeoutCause(ctx, s.waits.answer, errSlow)
	defer cancel()
	err := s.client.RemoveObject(ctx, s.bucket, s.prefix+name, minio.RemoveObjectOptions{})
	if err = s.failed(ctx, name, err); errors.Is(err, db.ErrNotFound) {
		return nil
	}
	return err
}

// Probe requests a missing file, which succeeds if bucket and keys are right.
func (s *S3) Probe(ctx context.Context) error {
	f, err := s.Open(ctx, "probe")
	if err == nil {
		return f.Close()
	}
	if errors.Is(err, db.ErrNotFound) {
		return nil
	}
	return err
}
