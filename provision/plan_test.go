package provision

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestPlansLoadAndNameKnownActions(t *testing.T) {
	c := pairCluster(t)
	known := c.actions(c.NewNodes())
	for _, name := range []string{"pair", "nodes"} {
		p, err := ProvisioningPlan(name)
		require.NoError(t, err, name)
		for _, s := range p.Steps {
			if s.Do != "" {
				assert.Contains(t, known, s.Do, s.Pos)
			}
			assert.NotZero(t, s.Timeout, "%s: every wait has a limit", s.Pos)
		}
		assert.NotEmpty(t, ladder(p).Steps, name)
	}
}

func TestLadderHasEveryRung(t *testing.T) {
	p, err := ProvisioningPlan("pair")
	require.NoError(t, err)
	var rungs, groups []string
	for _, s := range p.Steps {
		if !slices.Contains(groups, s.Group) {
			groups = append(groups, s.Group)
		}
	}
	for _, s := range ladder(p).Steps {
		rungs = append(rungs, s.ID)
	}
	assert.Equal(t, []string{"network", "nodes", "control plane", "worker", "verify"}, groups)
	assert.Equal(t, []string{"running", "port", "login", "clocks", "booted", "containerd", "api", "nodes", "kube-proxy", "dns"}, rungs)
}

func TestRungsAndActionsAlwaysRun(t *testing.T) {
	p, err := ProvisioningPlan("pair")
	require.NoError(t, err)
	rec := Record{}
	for _, s := range p.Steps {
		rec.Done = append(rec.Done, s.ID)
	}
	for _, s := range p.Steps {
		again := s.Do != "" || s.Group == GroupVerify || len(s.Capture) > 0
		assert.Equal(t, !again, rec.finished(p, s.ID), s.ID)
	}
}
