package servertest

import (
	"crypto/rand"
	"crypto/rsa"
	"sync"
)

// sharedKey is the first key of all accounts of a test binary. Generating one
// takes the processor a tenth of a second, and tests have thousands of services
// and users. The key's id names the signer.
var sharedKey = sync.OnceValues(func() (*rsa.PrivateKey, error) { return rsa.GenerateKey(rand.Reader, 2048) })
