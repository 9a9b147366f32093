package live

import (
	"crypto/subtle"
	"net"
	"net/http"
	"net/netip"
	"strings"
)

// policy lets the page have what this server serves, and nothing else: no other
// address, no script or style within the markup, no frame around it.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// gate lets through who knows the token, which is the first part of the path, and asks
// for this machine by a name that no other can have. What it lets through is asked of
// next without the token.
//
// There is no cookie and nothing that a browser would send by itself, so a page of
// somebody else's cannot ask in the name of whoever looks at this one.
func gate(token string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer") // the token is in the address
		h.Set("Cache-Control", "no-store")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		given, path, whole := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
		switch {
		case r.Method != http.MethodGet && r.Method != http.MethodHead:
			http.Error(w, "this page is only to be looked at", http.StatusMethodNotAllowed)
		case !ours(r.Host):
			http.Error(w, "ask for 127.0.0.1 or localhost", http.StatusForbidden)
		case subtle.ConstantTimeCompare([]byte(given), []byte(token)) != 1:
			http.Error(w, "the address that labctl has printed has a token in it", http.StatusForbidden)
		case !whole:
			http.Redirect(w, r, "/"+token+"/", http.StatusMovedPermanently)
		default:
			inner := r.Clone(r.Context())
			inner.URL.Path = "/" + path
			next.ServeHTTP(w, inner)
		}
	})
}

// ours tells whether a Host header can mean this machine only: an address, or
// localhost. A name that somebody else's server has answered for, to come by what is
// here, is neither. Any port will do: there may be a tunnel.
func ours(host string) bool {
	name, _, err := net.SplitHostPort(host)
	if err != nil {
		name = host
	}
	_, err = netip.ParseAddr(strings.Trim(name, "[]"))
	return err == nil || strings.EqualFold(name, "localhost")
}
