package live

import (
	"bytes"
	"context"
	"crypto/rand"
	"embed"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"labctl/internal/report"
)

//go:embed page/index.html page/live.css page/*.js
var files embed.FS

// Server serves a page.
type Server struct {
	page     *Page
	listener net.Listener
	token    string
	boot     string // tells one server's events from another's
}

// Listen begins to listen at an address of this machine's own, such as 127.0.0.1:0,
// where port 0 is any that is free. The token that everybody needs is made anew: 130
// random bits.
func Listen(ctx context.Context, address string, p *Page) (*Server, error) {
	at, err := net.ResolveTCPAddr("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("listening at %q: %w", address, err)
	}
	if !at.IP.IsLoopback() {
		return nil, NotLocalError{address}
	}
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", at.String())
	if err != nil {
		return nil, fmt.Errorf("listening at %q: %w", address, err)
	}
	return &Server{page: p, listener: l, token: rand.Text(), boot: rand.Text()[:6]}, nil
}

// NotLocalError refuses an address that others can reach: what the page shows goes
// over the wire as it is.
type NotLocalError struct{ Address string }

func (e NotLocalError) Error() string {
	return fmt.Sprintf("listening at %q: others could reach it", e.Address)
}

// Hint says how to look from elsewhere.
func (e NotLocalError) Hint() string {
	return "use an address of 127.0.0.0/8 or ::1; to look from another machine: ssh -L 8000:127.0.0.1:PORT HOST"
}

// URL is where the page is, token included.
func (s *Server) URL() string { return fmt.Sprintf("http://%s/%s/", s.listener.Addr(), s.token) }

// farewell is how long browsers have to be told that the page has ended.
const farewell = 2 * time.Second

// Serve answers until the context ends; then browsers are told, and it returns.
func (s *Server) Serve(ctx context.Context) error {
	server := &http.Server{Handler: s.handler(), ReadHeaderTimeout: 10 * time.Second, IdleTimeout: time.Minute}
	served := make(chan error, 1)
	go func() { served <- server.Serve(s.listener) }()
	select {
	case err := <-served:
		return fmt.Errorf("serving the live page: %w", err)
	case <-ctx.Done():
	}
	s.page.End()
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), farewell)
	defer cancel()
	if err := server.Shutdown(ending); err != nil {
		return server.Close() // a browser that does not listen is not waited for
	}
	return nil
}

func (s *Server) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", file("page/index.html"))
	mux.HandleFunc("GET /live.css", s.style)
	for _, name := range []string{"live.js", "keys.js"} {
		mux.HandleFunc("GET /"+name, file("page/"+name))
	}
	mux.HandleFunc("GET /events", s.events)
	mux.HandleFunc("GET /step", s.step)
	mux.HandleFunc("GET /report/{$}", s.report)
	mux.HandleFunc("GET /report/raw/{name}", s.raw)
	return gate(s.token, mux)
}

// file serves a file that is part of this program.
func file(name string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		content, err := files.ReadFile(name)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(content))
	}
}

// style is that of the reports, and what this page adds.
func (s *Server) style(w http.ResponseWriter, r *http.Request) {
	own, err := files.ReadFile("page/live.css")
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	http.ServeContent(w, r, "live.css", time.Time{}, bytes.NewReader(append([]byte(report.Style()), own...)))
}

// step is what is shown of one key.
func (s *Server) step(w http.ResponseWriter, r *http.Request) {
	html, err := s.page.detail(r.URL.Query().Get("key"))
	switch {
	case errors.Is(err, errNoSuchKey):
		http.Error(w, err.Error(), http.StatusNotFound)
	case err != nil:
		http.Error(w, err.Error(), http.StatusInternalServerError)
	default:
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write([]byte(html)) // who has gone does not miss it
	}
}

// report is the run's report as it would be written now.
func (s *Server) report(w http.ResponseWriter, _ *http.Request) {
	s.page.mu.Lock()
	result := s.page.result
	s.page.mu.Unlock()
	html, err := report.HTML(result)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	// It brings a policy of its own, which knows its style by a hash.
	w.Header().Set("Content-Security-Policy", "frame-ancestors 'none'")
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write(html) // who has gone does not miss it
}

// raw is a stream as it came, which the report links to.
func (s *Server) raw(w http.ResponseWriter, r *http.Request) {
	s.page.mu.Lock()
	folder := s.page.folder
	s.page.mu.Unlock()
	if folder == nil {
		http.NotFound(w, r)
		return
	}
	content, err := folder.Raw("raw/"+r.PathValue("name"), "")
	if err != nil {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = w.Write(content) // who has gone does not miss it
}
