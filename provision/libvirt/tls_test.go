package libvirt_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"labctl/provision/libvirt"
)

// authority signs certificates and writes them where libvirt's clients look.
type authority struct {
	key  *ecdsa.PrivateKey
	cert *x509.Certificate
	pool *x509.CertPool
}

func newAuthority(t *testing.T) *authority {
	a := &authority{pool: x509.NewCertPool()}
	a.key, a.cert = a.issue(t, &x509.Certificate{Subject: pkix.Name{CommonName: "authority"}, IsCA: true,
		BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign})
	a.pool.AddCert(a.cert)
	return a
}

func (a *authority) issue(t *testing.T, template *x509.Certificate) (*ecdsa.PrivateKey, *x509.Certificate) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template.SerialNumber = big.NewInt(time.Now().UnixNano())
	template.NotBefore, template.NotAfter = time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
	parent, signer := a.cert, a.key
	if parent == nil {
		parent, signer = template, key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, signer)
	require.NoError(t, err)
	cert, err := x509.ParseCertificate(der)
	require.NoError(t, err)
	return key, cert
}

// pki writes a client's folder.
func (a *authority) pki(t *testing.T) string {
	t.Helper()
	key, cert := a.issue(t, &x509.Certificate{Subject: pkix.Name{CommonName: "client"},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}})
	der, err := x509.MarshalPKCS8PrivateKey(key)
	require.NoError(t, err)
	dir := t.TempDir()
	for name, block := range map[string]*pem.Block{
		"cacert.pem":     {Type: "CERTIFICATE", Bytes: a.cert.Raw},
		"clientcert.pem": {Type: "CERTIFICATE", Bytes: cert.Raw},
		"clientkey.pem":  {Type: "PRIVATE KEY", Bytes: der},
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), pem.EncodeToMemory(block), 0o600))
	}
	return dir
}

// serve is the TLS half of a daemon in front of a socket: it checks the client,
// says its verdict in one byte and passes the rest on.
func (a *authority) serve(t *testing.T, name, socket string, verdict byte) string {
	t.Helper()
	key, cert := a.issue(t, &x509.Certificate{Subject: pkix.Name{CommonName: name}, DNSNames: []string{name},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}})
	listener, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: a.pool,
		Certificates: []tls.Certificate{{Certificate: [][]byte{cert.Raw}, PrivateKey: key}}})
	require.NoError(t, err)
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go pass(conn, socket, verdict)
		}
	}()
	return listener.Addr().String()
}

// pass serves one client until one side ends.
func pass(conn net.Conn, socket string, verdict byte) {
	defer conn.Close()
	daemon, err := net.Dial("unix", socket)
	if err != nil {
		return
	}
	defer daemon.Close()
	if _, err := conn.Write([]byte{verdict}); err != nil {
		return
	}
	go func() {
		_, _ = io.Copy(daemon, conn)
		daemon.Close()
	}()
	_, _ = io.Copy(conn, daemon)
}

func TestTLS(t *testing.T) {
	t.Parallel()
	d := startDaemon(t)
	trusted, stranger := newAuthority(t), newAuthority(t)
	open := func(host, address, pki string) error {
		h, err := libvirt.Open(t.Context(), libvirt.Options{
			URI: "test+tls://" + host + "/default?pkipath=" + pki, Timeout: 10 * time.Second,
			DialHost: func(ctx context.Context, network, _ string) (net.Conn, error) {
				var d net.Dialer
				return d.DialContext(ctx, network, address)
			}})
		if err != nil {
			return err
		}
		_, err = h.Objects(t.Context(), "pair")
		require.NoError(t, h.Close())
		return err
	}
	good := trusted.serve(t, "hypervisor", d.socket, 1)
	require.NoError(t, open("hypervisor", good, trusted.pki(t)))
	require.ErrorContains(t, open("other", good, trusted.pki(t)), "not other")
	require.ErrorContains(t, open("hypervisor", good, stranger.pki(t)), "unknown authority")
	require.ErrorContains(t, open("hypervisor", trusted.serve(t, "hypervisor", d.socket, 0), trusted.pki(t)), "refused")
	require.ErrorIs(t, open("hypervisor", good, t.TempDir()), os.ErrNotExist)

	mixed := trusted.pki(t) // knows the server, and is not known to it
	strange := stranger.pki(t)
	for _, name := range []string{"clientcert.pem", "clientkey.pem"} {
		require.NoError(t, os.WriteFile(filepath.Join(mixed, name), []byte(readFile(t, filepath.Join(strange, name))), 0o600))
	}
	require.Error(t, open("hypervisor", good, mixed))
}
