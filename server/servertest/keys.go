package servertest

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"sync"
)

// keyPair is a key as accounts keep theirs: PEM of PKCS #8 and SPKI.
type keyPair struct{ private, public string }

// sharedKey is the key of all users of a test binary. Generating one takes the
// processor a tenth of a second, and tests between services have hundreds of
// users. The key's id names the signer.
var sharedKey = sync.OnceValues(func() (keyPair, error) {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return keyPair{}, err
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return keyPair{}, err
	}
	public, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	if err != nil {
		return keyPair{}, err
	}
	return keyPair{
		string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private})),
		string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: public})),
	}, nil
})

// giveKey gives an account the shared key.
func (s *Server) giveKey(ctx context.Context, accountID string) error {
	key, err := sharedKey()
	if err != nil {
		return err
	}
	_, err = s.DB.AddKey(ctx, accountID, key.private, key.public)
	return err
}
