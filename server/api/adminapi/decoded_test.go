package adminapi_test

import (
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"svc/client/api"
)

// decoded ignores the raw bytes of answers, which an expected value does not
// have.
var decoded = cmp.Options{
	cmpopts.IgnoreFields(api.Invite{}, "Raw"), cmpopts.IgnoreFields(api.AdminApp{}, "Raw"),
	cmpopts.IgnoreFields(api.Credentials{}, "Raw"), cmpopts.IgnoreFields(api.ConfigSetting{}, "Raw"),
}
