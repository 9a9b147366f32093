package live

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"labctl/internal/needtest"
)

// reader is a real browser with one tab.
type reader struct {
	ctx context.Context
	t   *testing.T

	mu   sync.Mutex
	said []string
}

// opens starts the browser that the Makefile installs, on a screen of 1280 by 720.
func opens(t *testing.T, url string) *reader {
	t.Helper()
	if testing.Short() {
		t.Skip("starts a browser: run without -short, as `make test` does")
	}
	path := needtest.Program(t, "chromium")
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.Flag("disable-dev-shm-usage", true), chromedp.UserDataDir(filepath.Join(t.TempDir(), "profile")), chromedp.WSURLReadTimeout(2*time.Minute))
	allocated, cancel := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(cancel)
	limited, cancelLimit := context.WithTimeout(allocated, 5*time.Minute)
	t.Cleanup(cancelLimit)
	ctx, cancelTab := chromedp.NewContext(limited)
	t.Cleanup(cancelTab)
	r := &reader{ctx: ctx, t: t}
	messages := chromedp.Console(ctx)
	go func() {
		for m, err := range messages {
			if err != nil {
				return // the tab is closed
			}
			r.mu.Lock()
			r.said = append(r.said, m.Text)
			r.mu.Unlock()
		}
	}()
	r.do(chromedp.EmulateViewport(1280, 720), chromedp.Navigate(url))
	return r
}

func (r *reader) do(actions ...chromedp.Action[chromedp.Void]) {
	r.t.Helper()
	require.NoError(r.t, chromedp.Do(r.ctx, actions...))
}

func (r *reader) types(keys string) { r.t.Helper(); r.do(chromedp.KeyEvent(keys)) }

// asks evaluates an expression of the page's.
func asks[T any](r *reader, expression string) T {
	r.t.Helper()
	value, err := chromedp.Run(r.ctx, chromedp.Evaluate[T](expression))
	require.NoError(r.t, err, expression)
	return value
}

// sees waits until an expression of the page's is true.
func (r *reader) sees(expression string) {
	r.t.Helper()
	for began := time.Now(); time.Since(began) < time.Minute; {
		if asks[bool](r, "Boolean("+expression+")") {
			return
		}
		r.do(chromedp.Sleep(20 * time.Millisecond))
	}
	require.Fail(r.t, "the page does not come to it", "%s\n%.3000s", expression, asks[string](r, "document.body.innerText"))
}

// at waits until the page shows a key, whole.
func (r *reader) at(key string) {
	r.t.Helper()
	r.sees(fmt.Sprintf(`document.querySelector("[aria-current]")?.dataset.key === %q && view.shown.startsWith(%q)`, key, key+" "))
}

// text is what an element shows, as somebody reads it.
func (r *reader) text(selector string) string {
	r.t.Helper()
	return strings.Join(strings.Fields(asks[string](r, fmt.Sprintf("document.querySelector(%q).textContent", selector))), " ")
}

// quiet demands that the page's console has nothing but what is expected.
func (r *reader) quiet(but ...string) {
	r.t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, said := range r.said {
		known := false
		for _, b := range but {
			known = known || strings.Contains(said, b)
		}
		assert.True(r.t, known, said)
	}
}

// fits demands that nothing sticks out of the screen to the side, and that the screen
// as a whole does not scroll.
func (r *reader) fits(name string) {
	r.t.Helper()
	for _, size := range [][2]int64{{1280, 720}, {1920, 1080}} {
		r.do(chromedp.EmulateViewport(size[0], size[1]))
		assert.Empty(r.t, asks[[]string](r, `[...document.querySelectorAll("body *")].filter(e => {
		  const b = e.getBoundingClientRect();
		  return b.width > 2 && (b.right > innerWidth + 1 || b.left < -1) && !e.closest(".scroll, dialog, .skip");
		}).map(e => e.tagName + "." + e.className + " " + e.textContent.slice(0, 40))`), "%s at %v", name, size)
		assert.True(r.t, asks[bool](r, `document.scrollingElement.scrollHeight <= innerHeight && $("step").clientHeight > innerHeight * 0.4`), "%s at %v", name, size)
	}
	r.do(chromedp.EmulateViewport(1280, 720))
}

// likes makes the system of the reader one that likes a colour scheme.
func (r *reader) likes(scheme string) {
	r.t.Helper()
	_, err := chromedp.Call(r.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
	})
	require.NoError(r.t, err)
}

// shoot takes pictures on two screens, light and dark, if somebody wants them.
func (r *reader) shoot(name string) {
	r.t.Helper()
	if *shots == "" {
		return
	}
	for _, size := range [][2]int64{{1280, 720}, {1920, 1080}} {
		for _, scheme := range []string{"light", "dark"} {
			r.likes(scheme)
			r.do(chromedp.EmulateViewport(size[0], size[1]), chromedp.Sleep(1500*time.Millisecond))
			png, err := chromedp.Run(r.ctx, chromedp.CaptureScreenshot())
			require.NoError(r.t, err)
			require.NoError(r.t, os.WriteFile(filepath.Join(*shots, fmt.Sprintf("%s-%d-%s.png", name, size[1], scheme)), png, 0o600))
		}
	}
	r.likes("light")
	r.do(chromedp.EmulateViewport(1280, 720))
}
