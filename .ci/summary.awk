# Reads `go test -v` of many packages. A package that passes shrinks to a line,
# one that fails is shown whole, and the last line counts:
#   123 passed, 0 failed, 1 skipped

/^ *=== (RUN|PAUSE|CONT|NAME) / { next }
/^ *--- PASS: / { passed++; next }
/^ *--- SKIP: / { skipped++; print; kept = ""; next }
/^ *--- FAIL: / { failed++ }

/^ok  \t/                        { print; fflush(); kept = ""; next }
/^\?   \t|^\t.*coverage:|^PASS$/ { next }
/^FAIL\t/ {
	packages++
	printf "%s%s\n", kept, $0
	fflush()
	kept = ""
	next
}
{ kept = kept $0 "\n" }

END {
	printf "%s", kept
	# A package that does not compile, or that panics, has no failed test.
	if (packages > 0 && failed == 0) failed = packages
	printf "%d passed, %d failed, %d skipped\n", passed, failed, skipped
	exit failed > 0 || passed == 0
}
