package opencode

import (
	"context"
	"net/http"
	"net/url"
)

// Forget deletes a session from the server's store, with those that agents opened
// below it. One that it does not know is deleted.
func (h *Host) Forget(ctx context.Context, dir, id string) (deleted bool, err error) {
	err = h.api.call(ctx, callTime, http.MethodDelete, "/session/"+url.PathEscape(id), dir, nil, nil)
	if isUnknown(err) {
		return true, nil
	}
	if err != nil {
		return false, h.explain("delete its session", err)
	}
	return true, nil
}
