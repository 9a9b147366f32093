package live

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"labctl/internal/journal"
)

// TestBrowser: a recorded run comes by, and a real browser has it on its page, to be
// walked through by the keyboard.
func TestBrowser(t *testing.T) {
	s := serve(t)
	l, events := recorded(t)
	events = failing(events, "step-05", "A57")
	r := opens(t, s.url)
	r.at("start")
	assert.Contains(t, r.text("#step"), "Waiting for the run")
	assert.Equal(t, "connecting", r.text("#head .state"))
	assert.True(t, asks[bool](r, `$("nodes").hidden`))

	require.NoError(t, s.Lab(l))
	require.NoError(t, s.Nodes([]string{"cp", "worker"}))
	require.NoError(t, s.Node(seenNode("cp", false)))
	require.NoError(t, s.Node(seenNode("worker", false)))
	begun := upTo(t, events, journal.StepStarted, "step-01")
	require.NoError(t, s.Events(since(begun)))
	r.at("steps/step-01")
	r.sees(`document.querySelectorAll("#node-1 .pane li").length > 10`)
	assert.Contains(t, r.text("#step .came"), "it runs …")
	assert.Contains(t, r.text("#step .expected"), "The mode is iptables.")
	r.fits("beginning")
	r.shoot("1-beginning")

	failed := upTo(t, events, journal.StepDone, "step-05")
	require.NoError(t, s.Events(since(failed)[len(begun):]))
	require.NoError(t, s.Node(seenNode("worker", true)))
	r.at("steps/step-05")
	r.sees(`document.querySelector("#node-1 .gone") && document.querySelectorAll("#node-1 .new").length === 2`)
	assert.Contains(t, r.text("#step h2"), "fail")
	assert.Contains(t, r.text("#step .expected"), "A57 failed")
	assert.Equal(t, "step-05: fail, claim A57 failed", r.text("#say"))
	assert.True(t, asks[bool](r, `(() => { const b = document.querySelector("#node-1 .gone").getBoundingClientRect(), p = document.querySelector("#node-1 .pane").getBoundingClientRect(); return b.top >= p.top - 1 && b.top < p.bottom })()`), "what is gone is in sight")
	assert.True(t, asks[bool](r, `document.querySelector("#step .came pre").getBoundingClientRect().top < document.querySelector("#nodes").getBoundingClientRect().top - 100`), "what came is in sight")
	r.fits("middle")
	r.shoot("2-middle")

	t.Run("keys", func(t *testing.T) {
		r.types("k")
		r.at("steps/step-04c")
		r.sees(`!document.body.classList.contains("follows")`)
		require.NoError(t, s.Events(since(upTo(t, events, journal.StepDone, "step-06"))[len(failed):]))
		r.sees(`view.at === "steps/step-06"`)
		r.at("steps/step-04c") // nobody is taken away from what they read
		r.types("j" + kb.ArrowDown)
		r.at("steps/step-05b")
		r.types("p")
		r.at("steps/step-05")
		r.types("n")
		r.sees(`"looks" in document.querySelector("[aria-current]").dataset && view.key !== "steps/step-05"`)
		r.types(kb.Home)
		r.at("start")
		r.types(kb.PageDown + kb.PageDown + kb.PageDown)
		r.sees(`view.key.startsWith("steps/step-01")`)
		r.types(kb.End)
		r.at("end")
		r.types("f")
		r.at("steps/step-06")

		height := asks[float64](r, `$("nodes").offsetHeight`)
		r.types("l")
		assert.Greater(t, asks[float64](r, `$("nodes").offsetHeight`), 1.5*height)
		r.types("l")
		r.sees(`$("nodes").offsetHeight === 0`)
		r.types("l")
		assert.Equal(t, height, asks[float64](r, `$("nodes").offsetHeight`))

		size := asks[float64](r, `parseFloat(getComputedStyle(document.documentElement).fontSize)`)
		r.types("++")
		assert.InDelta(t, size*1.21, asks[float64](r, `parseFloat(getComputedStyle(document.documentElement).fontSize)`), 0.1)
		r.fits("larger")
		r.types("0-")
		assert.InDelta(t, size/1.1, asks[float64](r, `parseFloat(getComputedStyle(document.documentElement).fontSize)`), 0.1)
		r.types("0")

		paper := func() string { return asks[string](r, `getComputedStyle(document.documentElement).backgroundColor`) }
		r.likes("light")
		light := paper()
		r.types("d")
		dark := paper()
		assert.NotEqual(t, light, dark)
		r.likes("dark")
		assert.Equal(t, dark, paper())
		r.types("d")
		assert.Equal(t, light, paper(), "whatever the system likes")
		r.likes("light")

		r.types("?")
		r.sees(`$("help").open`)
		r.types("j")
		r.at("steps/step-06")
		r.types("?")
		r.sees(`!$("help").open`)
	})

	r.do(chromedp.Reload()) // whoever comes late sees what all see
	r.at("steps/step-06")
	r.types("?")
	r.shoot("4-help")
	r.types("?")
	require.NoError(t, s.Events(since(events)[len(upTo(t, events, journal.StepDone, "step-06")):]))
	r.at("end")
	assert.Equal(t, "fail", r.text("#head .state"))
	assert.Contains(t, r.text("#step .banner"), "restored by the repair")
	assert.Contains(t, r.text("#step .verdicts tbody tr"), "A57failed", "what failed is first")
	r.fits("end")
	r.shoot("3-end")
	r.quiet()

	s.end()
	r.sees(`$("link").textContent.includes("this is how it was") && !$("link").hidden`)
	r.at("end")
}

// TestBrowserPolicy: what got into the page's markup all the same runs nothing and
// loads nothing.
func TestBrowserPolicy(t *testing.T) {
	s := serve(t)
	r := opens(t, s.url)
	r.at("start")
	s.board.put("say", "x")
	s.board.put("head", `<h1></h1><p class="state"></p><p class="clock"></p><p class="follow"></p><img src="/none.png" onerror="document.title = 'owned'"><img src="http://192.0.2.1/x.png"><p style="position: fixed">`)
	r.sees(`document.querySelectorAll("#head img").length === 2`)
	r.sees(`document.querySelector("#say").textContent === "x"`)
	assert.NotEqual(t, "owned", asks[string](r, `document.title`))
	assert.Equal(t, "static", asks[string](r, `getComputedStyle(document.querySelector("#head p:last-child")).position`))
	r.sees(`true`)
	r.mu.Lock()
	defer r.mu.Unlock()
	assert.NotEmpty(t, r.said, "the browser says what it has refused")
}
