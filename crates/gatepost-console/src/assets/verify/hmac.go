package webhook

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
)

// Verify returns the body of a request that the platform sent in the last five minutes.
func Verify(r *http.Request) ([]byte, error) {
	secret, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(os.Getenv("WEBHOOK_SECRET"), "whsec_"))
	if err != nil || len(secret) == 0 {
		return nil, errors.New("WEBHOOK_SECRET is not set, or not base64")
	}
	id, sent := r.Header.Get("webhook-id"), r.Header.Get("webhook-timestamp")
	seconds, err := strconv.ParseInt(sent, 10, 64)
	if err != nil || time.Since(time.Unix(seconds, 0)).Abs() > 5*time.Minute {
		return nil, errors.New("too old, or from the future")
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, 4<<20))
	if err != nil {
		return nil, err
	}
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(id + "." + sent + "."))
	mac.Write(body)
	expected := mac.Sum(nil)
	for _, candidate := range strings.Fields(r.Header.Get("webhook-signature")) {
		signature, found := strings.CutPrefix(candidate, "v1,")
		given, err := base64.StdEncoding.DecodeString(signature)
		if found && err == nil && hmac.Equal(given, expected) {
			return body, nil
		}
	}
	return nil, errors.New("no signature fits")
}
