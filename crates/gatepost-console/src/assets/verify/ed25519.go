package webhook

import (
	"crypto/ed25519"
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
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(os.Getenv("WEBHOOK_PUBLIC_KEY"), "whpk_"))
	if err != nil || len(key) != ed25519.PublicKeySize {
		return nil, errors.New("WEBHOOK_PUBLIC_KEY is not set, or no public key")
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
	signed := append([]byte(id+"."+sent+"."), body...)
	for _, candidate := range strings.Fields(r.Header.Get("webhook-signature")) {
		signature, found := strings.CutPrefix(candidate, "v1a,")
		given, err := base64.StdEncoding.DecodeString(signature)
		if found && err == nil && ed25519.Verify(key, signed, given) {
			return body, nil
		}
	}
	return nil, errors.New("no signature fits")
}
