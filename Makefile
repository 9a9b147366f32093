# `make` lists the targets. Those that take long say so before they start.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help deps test-deps build dist site test race lint e2e lab clean

# Debian packages that labctl uses at run time: the private hypervisor, the
# image builder. `labctl doctor` looks for the programs that are in them; a test
# in internal/architecture compares the two.
PACKAGES := \
	libvirt-daemon-system qemu-system-x86 qemu-utils dnsmasq-base \
	iptables nftables iproute2 kmod tini openssh-client \
	mmdebstrap e2fsprogs xz-utils debian-archive-keyring ca-certificates

# And those that only the tests use: an sshd to connect to and sudo behind it,
# virsh and pgrep to look with other eyes, the C compiler that the race detector
# links with, and readers of our reports that others have written (the browser is
# 124 MB, a quarter of a minute).
TEST_PACKAGES := $(PACKAGES) openssh-server sudo libvirt-clients procps gcc libc6-dev \
	libxml2-utils jq cmark-gfm chromium systemd

# golangci-lint is no part of go.mod: its dependencies are not ours.
GOLANGCI_LINT := github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0
# Nor are these: the checker of workflows, the writer of bills of materials.
ACTIONLINT := github.com/rhysd/actionlint/cmd/actionlint@v1.7.12
CYCLONEDX_GOMOD := github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod@v1.10.0

# A user's PATH, and that of a root who came by su, often lacks these.
export PATH := $(PATH):/usr/local/sbin:/usr/sbin:/sbin

# Guests, namespaces and images need root. sudo replaces PATH, and with it goes
# Go; what Go's downloads depend on comes along too.
ROOT := $(if $(filter-out 0,$(shell id -u)),sudo env PATH="$$PATH" $(foreach v,GOPROXY GOSUMDB GOTOOLCHAIN http_proxy https_proxy no_proxy,$(if $($v),$v="$$$v")))

# Stamping the version asks git, which refuses a checkout of another user.
BUILDVCS := $(if $(shell git rev-parse HEAD 2>/dev/null),auto,false)

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

deps: ## Install the Debian packages that labctl uses (1 to 3 min; starts no daemon)
	@.ci/install $(PACKAGES)

test-deps:
	@.ci/install $(TEST_PACKAGES)

# With "minimal", the library that draws plots leaves out its PDF, PNG and TeX: 2 MB.
build: ## Compile bin/labctl (1 min the first time)
	@echo "build: compiling bin/labctl (about a minute the first time)"
	CGO_ENABLED=0 go build -trimpath -tags minimal -buildvcs=$(BUILDVCS) -o bin/labctl ./cmd/labctl

# The same commit makes the same bytes: no paths, no times of today.
dist: ## Static binary, .deb, checksums and SBOM into dist/ (1 min the first time)
	@echo "dist: compiling dist/labctl, then the .deb and the bill of materials (1 to 2 min the first time)"
	@rm -rf dist && mkdir dist
	CGO_ENABLED=0 GOOS=linux GOARCH=amd64 go build -trimpath -tags minimal -ldflags '-s -w' -buildvcs=$(BUILDVCS) -o dist/labctl ./cmd/labctl
	@CYCLONEDX_GOMOD=$(CYCLONEDX_GOMOD) packaging/dist dist/labctl $(PACKAGES)

site: ## The documents as web pages that need no network, into bin/site/ (seconds)
	go run .ci/site.go bin/site

# dist is part of it, since its tests install the package. So is lint: two minutes
# of a cold run, and what is not checked where changes land does not hold for long.
test: test-deps lint dist ## What CI runs: lint, vet and all tests, those with small guests too
	@echo "test: vet, then all tests with the race detector; some boot small guests in a private"
	@echo "      hypervisor, as root. Two cores, nothing compiled yet: 10 min with KVM, 10 to 15 without."
	go vet ./...
	$(ROOT) go test -buildvcs=false -race -timeout 25m -json ./... | go run .ci/summary.go

race: ## Only the tests without guests, race detector on (2 min)
	@echo "race: the tests that need neither root nor guests (about 2 minutes the first time)"
	go test -buildvcs=false -race -short -timeout 5m -json ./... | go run .ci/summary.go

lint: ## golangci-lint, gofmt, go mod tidy, the nightly job's files (2 min the first time)
	@echo "lint: golangci-lint, go mod tidy, actionlint and the manifest; the first time they are compiled, 2 to 3 minutes"
	@unformatted=$$(gofmt -l .); if [ -n "$$unformatted" ]; then echo "gofmt would change: $$unformatted" >&2; exit 1; fi
	go mod tidy -diff
	CGO_ENABLED=0 go run $(GOLANGCI_LINT) run
	CGO_ENABLED=0 go run $(ACTIONLINT) -shellcheck= .github/workflows/*.yml
	cd .ci/manifest && go mod tidy -diff && CGO_ENABLED=0 go run . ../../packaging/cronjob.yaml

lab: deps build ## From nothing to a lab: image, pair, conntrack-reset
	@echo "lab: 1. the golden image: about 11 min the first time on two cores, then it is there"
	@echo "     2. two virtual machines with Kubernetes: about a minute with KVM, 3 to 5 without"
	@echo "     3. the lab conntrack-reset: some 3 minutes with KVM, 9 to 12 without"
	$(ROOT) bin/labctl image build
	$(ROOT) bin/labctl up pair
	$(ROOT) bin/labctl run conntrack-reset

e2e: deps build ## All labs on a pair of their own, then down; output in bin/e2e/
	@echo "e2e: image, a pair in a state folder of its own, every lab, down; 6 min with KVM,"
	@echo "     16 min without, and 11 min more when the image is not there yet"
	$(ROOT) .ci/e2e

clean: ## Remove bin/ and dist/; pairs and images stay (labctl down, labctl image gc)
	rm -rf bin dist
