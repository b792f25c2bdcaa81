package media

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"svc/db"
	"svc/server/config"
)

// S3 is a Store in a bucket of a server that speaks Amazon's S3.
type S3 struct {
	client *minio.Client
	bucket string
	prefix string
	parts  bool // long files are sent in parts
}

// partSize is how long a part of a file is, in bytes.
const partSize = 16 << 20

// NewS3 returns a Store in a bucket that exists, where the names of files begin
// with prefix. It calls nobody yet.
func NewS3(b config.S3, prefix string) (*S3, error) {
	scheme, host, _ := strings.Cut(b.Endpoint(), "://")
	client, err := minio.New(host, &minio.Options{
		Creds: credentials.NewStaticV4(b.Key, b.Secret, ""), Secure: scheme != "http", Region: b.Region, BucketLookup: minio.BucketLookupAuto, MaxRetries: 3,
	})
	if err != nil {
		return nil, fmt.Errorf("media in S3: %w", err)
	}
	return &S3{client, b.Name, prefix, b.Streaming}, nil
}

// Put uploads a draft, of which there is nothing to see before it is whole.
func (s *S3) Put(ctx context.Context, name string, d *Draft) error {
	info, err := s.client.StatObject(ctx, s.bucket, s.prefix+name, minio.StatObjectOptions{})
	if err == nil && info.Size == d.Size {
		return nil
	}
	if err != nil && missing(err) != nil {
		return s3full(err)
	}
	_, err = s.client.PutObject(ctx, s.bucket, s.prefix+name, io.NewSectionReader(d.file, 0, d.Size), d.Size, minio.PutObjectOptions{
		ContentType: d.Type.Shown(), CacheControl: "public, max-age=31536000, immutable", DisableMultipart: !s.parts, PartSize: partSize,
	})
	return s3full(err)
}

// missing is nil for the answer that there is no such object.
func missing(err error) error {
	if code := minio.ToErrorResponse(err).Code; code == minio.NoSuchKey || code == "NotFound" {
		return nil
	}
	return err
}

// s3full marks the answers of a server without room.
func s3full(err error) error {
	switch minio.ToErrorResponse(err).Code {
	case "XMinioStorageFull", "QuotaExceeded", "InsufficientCapacity", "EntityTooLarge":
		return fmt.Errorf("%w: %w", ErrFull, err)
	}
	return err
}

// Open asks for a file's size; its content is asked for as it is read.
func (s *S3) Open(ctx context.Context, name string) (File, error) {
	o, err := s.client.GetObject(ctx, s.bucket, s.prefix+name, minio.GetObjectOptions{})
	if err != nil {
		return nil, err
	}
	info, err := o.Stat()
	if err != nil {
		_ = o.Close()
		if missing(err) == nil {
			return nil, fmt.Errorf("file %s: %w", name, db.ErrNotFound)
		}
		return nil, err
	}
	return s3File{o, info.Size}, nil
}

type s3File struct {
	*minio.Object
	size int64
}

func (f s3File) Size() int64 { return f.size }

// Delete removes a file.
func (s *S3) Delete(ctx context.Context, name string) error {
	err := s.client.RemoveObject(ctx, s.bucket, s.prefix+name, minio.RemoveObjectOptions{})
	if err != nil && missing(err) != nil {
		return err
	}
	return nil
}
