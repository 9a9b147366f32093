package libvirt

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"

	"labctl/internal/remote"
)

// tlsPort is libvirt's registered port.
const tlsPort = "16514"

// tlsDialer dials a daemon that asks for a client certificate. The server's is
// always verified.
func tlsDialer(u *url.URL, host remote.Dial) func(context.Context) (net.Conn, error) {
	return func(ctx context.Context) (net.Conn, error) {
		config, err := tlsConfig(u.Hostname(), u.Query().Get("pkipath"))
		if err != nil {
			return nil, err
		}
		port := u.Port()
		if port == "" {
			port = tlsPort
		}
		tcp, err := host(ctx, "tcp", net.JoinHostPort(u.Hostname(), port))
		if err != nil {
			return nil, fmt.Errorf("connecting to %s: %w", u.Hostname(), err)
		}
		conn := tls.Client(tcp, config)
		if err := conn.HandshakeContext(ctx); err != nil {
			tcp.Close()
			return nil, fmt.Errorf("connecting to %s: %w", u.Hostname(), err)
		}
		stop := context.AfterFunc(ctx, func() { conn.Close() })
		defer stop()
		// The daemon sends one byte of 1 once it has accepted our certificate.
		verdict := make([]byte, 1)
		if _, err := conn.Read(verdict); err != nil {
			conn.Close()
			return nil, fmt.Errorf("waiting for %s to accept the certificate: %w", u.Hostname(), err)
		}
		if verdict[0] != 1 {
			conn.Close()
			return nil, fmt.Errorf("%s refused the client certificate or address", u.Hostname())
		}
		return conn, nil
	}
}

// tlsConfig reads certificates from where libvirt's own client looks.
func tlsConfig(host, pki string) (*tls.Config, error) {
	type places struct{ ca, cert, key string }
	system := places{ca: "/etc/pki/CA/cacert.pem", cert: "/etc/pki/libvirt/clientcert.pem",
		key: "/etc/pki/libvirt/private/clientkey.pem"}
	in := func(dir string) places {
		return places{ca: filepath.Join(dir, "cacert.pem"), cert: filepath.Join(dir, "clientcert.pem"),
			key: filepath.Join(dir, "clientkey.pem")}
	}
	var tries []places
	if pki != "" {
		tries = []places{in(pki)}
	} else {
		if home, err := os.UserHomeDir(); err == nil {
			tries = append(tries, in(filepath.Join(home, ".pki", "libvirt")))
		}
		tries = append(tries, system)
	}
	var errs []error
	for _, p := range tries {
		ca, err := os.ReadFile(p.ca)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		cert, err := tls.LoadX509KeyPair(p.cert, p.key)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		pool := x509.NewCertPool()
		if !pool.AppendCertsFromPEM(ca) {
			errs = append(errs, fmt.Errorf("no certificate in %s", p.ca))
			continue
		}
		return &tls.Config{ServerName: host, RootCAs: pool, Certificates: []tls.Certificate{cert}}, nil
	}
	return nil, fmt.Errorf("reading TLS certificates: %w", errors.Join(errs...))
}
