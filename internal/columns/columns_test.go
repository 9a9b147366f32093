package columns

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestWrap(t *testing.T) {
	assert.Equal(t, []string{""}, Wrap("", 5))
	assert.Equal(t, []string{"one", "two", "three"}, Wrap("one two three", 5))
	assert.Equal(t, []string{"a b c", "d"}, Wrap("a b c d", 5))
	assert.Equal(t, []string{"a", "01234", "56789", "b"}, Wrap("a 0123456789 b", 5))
	assert.Equal(t, []string{"日本", "語"}, Wrap("日本語", 5))
}

func TestCut(t *testing.T) {
	assert.Equal(t, "日本", Cut("日本語", 5), "each takes two columns")
	assert.Equal(t, 6, Width("日本語"))
	assert.Equal(t, 1, Width("e\u0301"), "an accent goes over its letter")
	assert.Equal(t, "", Cut("日", 1))
}
