package draft

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestLooksLikeShell(t *testing.T) {
	for text, want := range map[string]bool{
		"kubectl get pod":                           true,
		"# first\nsudo ip a":                        true,
		"W=$(hostname)":                             true,
		"for i in 1 2; do echo $i; done":            true,
		"curl -s http://x/ -w '%{http_code}.'":      true,
		"if [ -e x ]; then echo y; fi":              true,
		"kubectl is a program.":                     false,
		"The kubectl get pod":                       false,
		"if you see it":                             false,
		"-A KUBE-SERVICES -j KUBE-SVC-X":            false,
		"kubectl 是一个程序":                             false,
		"":                                          false,
		"# only a comment":                          false,
		"NAME READY\nsvr 1/1":                       false,
		"iptables: the mode is what it was before:": false,
	} {
		assert.Equal(t, want, looksLikeShell(strings.Split(text, "\n")), text)
	}
}

func TestSession(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []command
	}{
		{"output", "$ a\nb\nc", []command{{script: []string{"a"}, output: []string{"b", "c"}}}},
		{"one script", "$ a\nb\n$ c", []command{{script: []string{"a", "c"}, output: []string{"b"}}}},
		{"set apart", "$ a\nb\n\nc\n\n$ d", []command{{script: []string{"a", "d"}, output: []string{"b", "", "c"}}}},
		{"root by itself", "$ a\n# ip a\n# a comment", []command{{script: []string{"a"}}, {root: true, script: []string{"ip a"}, output: []string{"# a comment"}}}},
		{"root, in the background", "# ip a\n# nohup b >/dev/null &", []command{{root: true, script: []string{"ip a", "nohup b >/dev/null &"}}}},
		{"hosts", "me@cp:~$ a\n[root@worker ~]# b", []command{{host: "cp", script: []string{"a"}}, {host: "worker", root: true, script: []string{"b"}}}},
		{"goes on", "$ a \\\n> b\nc", []command{{script: []string{`a \`, "b"}, output: []string{"c"}}}},
		{"a pipe", "$ a |\n  b", []command{{script: []string{"a |", "  b"}}}},
		{"a quote", "$ a '\nb\n'\nc", []command{{script: []string{"a '", "b", "'"}, output: []string{"c"}}}},
		{"a here-document", "$ a <<X\n$ b\nX\nc", []command{{script: []string{"a <<X", "$ b", "X"}, output: []string{"c"}}}},
		{"a here-document's number", "$ a <<X1\n$ b\nX1\nc", []command{{script: []string{"a <<X1", "$ b", "X1"}, output: []string{"c"}}}},
		{"a here-document's word in quotes", "$ a <<'X Y'\n$ b\nX Y\nc", []command{{script: []string{"a <<'X Y'", "$ b", "X Y"}, output: []string{"c"}}}},
		{"a here-document's word behind a backslash", "$ a <<\\X\n$ b\nX\nc", []command{{script: []string{`a <<\X`, "$ b", "X"}, output: []string{"c"}}}},
		{"a here-string", "$ a <<<b\nc", []command{{script: []string{"a <<<b"}, output: []string{"c"}}}},
		{"a shift", "$ echo $((1<<n))\nc", []command{{script: []string{"echo $((1<<n))"}, output: []string{"c"}}}},
		{"an apostrophe in a comment", "$ a # don't\nb", []command{{script: []string{"a # don't"}, output: []string{"b"}}}},
		{"what is no comment", "$ a x#'\nb'\nc", []command{{script: []string{"a x#'", "b'"}, output: []string{"c"}}}},
	} {
		assert.Equal(t, c.want, session(strings.Split(c.text, "\n")), c.name)
	}
}

func TestNodes(t *testing.T) {
	p, err := placesOf(Topology)
	require.NoError(t, err)
	for text, want := range map[string]string{
		"Look at it.":                                  "",
		"Now, on the worker, look.":                    "worker",
		"on the worker's address":                      "",
		"from the client Pod":                          "",
		"from the client":                              "client",
		"on the control plane":                         "cp",
		"on the control-plane node, not on worker":     "worker",
		"on both nodes":                                "all",
		"from every node":                              "all",
		"on the master":                                "cp",
		"Run on all of the nodes what ran on cp first": "cp",
		"the worker answers":                           "",
		"On the worker, drop what comes from cp":       "worker",
		"On cp, look. Then ask from the worker":        "worker",
		"From cp, ask what listens on the worker":      "worker",
	} {
		node, words := p.named(text)
		assert.Equal(t, want, node, text)
		assert.Contains(t, text, words)
	}
	for host, want := range map[string]string{"cp": "cp", "worker-1": "worker", "WORKER.lab.example": "worker", "k8s-master": "cp", "workerbee": "", "haproxy": "", "": ""} {
		assert.Equal(t, want, p.host(host), host)
	}
}

func TestExpectations(t *testing.T) {
	for _, c := range []struct {
		text string
		want []string
	}{
		{"The chain is there now. It prints 200.", []string{"The chain is there now."}},
		{"The address v1.15 should answer. Check that it prints 200 twice.", []string{"The address v1.15 should answer."}},
		{"Does it show anything at all?", nil},
		{"We made a Deployment of two.", nil},
		{"如果没有规则。这里会看到三条规则。", []string{"这里会看到三条规则。"}},
		{"It should " + strings.Repeat("x", 300) + ".", nil},
		{`It says "not found". "There is no such file" should be gone.`, []string{`It says "not found".`, `"There is no such file" should be gone.`}},
	} {
		assert.Equal(t, c.want, expectations(c.text), c.text)
	}
}

// What ends in a colon is about what follows, a step or an output; if it is no
// more than "You should see:" it is a heading.
func TestColon(t *testing.T) {
	d, err := arrange(markdown(`# T

Look:

    ls /a

It should be empty. The other folder contains a file:

    ls /b

You should see:

` + "```text\nfile\n```" + `

A third one should be there, with this in it:

` + "```text\nx\n```" + `

That one shows nothing at all:

## Next
`))
	require.NoError(t, err)
	require.Len(t, d.steps, 2)
	texts := func(claims []claim) (all []string) {
		for _, c := range claims {
			all = append(all, c.text)
		}
		return all
	}
	assert.Equal(t, []string{"It should be empty."}, texts(d.steps[0].claims))
	assert.Equal(t, []string{"The other folder contains a file."}, texts(d.steps[1].claims), "the step that it leads to, and no heading")
	assert.Equal(t, "The other folder contains a file", d.steps[1].title)
	assert.Equal(t, []string{"A third one should be there, with this in it.", "That one shows nothing at all."}, texts(d.loose))
	assert.Equal(t, []string{"file"}, d.steps[1].output)
}

func TestTitle(t *testing.T) {
	for text, want := range map[string]string{
		"Look at the rules:": "Look at the rules",
		"A sentence that is rather long for a title, and which goes on after its comma.": "A sentence that is rather long for a title",
		strings.Repeat("word ", 30): strings.TrimSpace(strings.Repeat("word ", 14)) + "…",
		strings.Repeat("字", 100):    strings.Repeat("字", 72) + "…",
	} {
		assert.Equal(t, want, title(text))
	}
}

func TestNotes(t *testing.T) {
	for script, want := range map[string]string{
		"kubectl get pod":                       "",
		"curl http://<lb-ip>/":                  "write what <lb-ip> stands for",
		"cat < in > out":                        "",
		"diff <(a) <(b)":                        "",
		"tail -f x":                             "it does not end by itself",
		"tcpdump -ni eth0":                      "it does not end by itself",
		"tcpdump -ni eth0 -c 5":                 "",
		"timeout 5 tcpdump -ni eth0":            "",
		"kubectl get pod -w":                    "it does not end by itself",
		"ping 10.0.0.1":                         "it does not end by itself",
		"ping -c 1 10.0.0.1":                    "",
		"kubectl edit cm kube-proxy":            "a step has no terminal",
		"kubectl exec -it x -- sh":              "a step has no terminal",
		"cat > x <<EOF\n<tag> tail -f\nEOF\nls": "",
	} {
		all := strings.Join(notes(strings.Split(script, "\n")), "; ")
		if want == "" {
			assert.Empty(t, all, script)
		} else {
			assert.Contains(t, all, want, script)
		}
	}
}

// Each line is read once: this took minutes when the script was read anew for each.
func TestLongSession(t *testing.T) {
	const lines = 20_000
	open := slices.Repeat([]string{"$ a"}, lines)
	open[0] = "$ cat <<EOF"
	for name, l := range map[string][]string{"commands": slices.Repeat([]string{"$ a"}, lines), "a here-document": open} {
		t.Run(name, func(t *testing.T) {
			got := session(l)
			require.Len(t, got, 1)
			assert.Len(t, got[0].script, lines)
		})
	}
}
