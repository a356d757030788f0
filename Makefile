# Two commands do everything: `make paper` measures guests on this machine and makes a paper; `make test` runs all tests.
# Both install what is missing by apt, and only what is missing; nothing is removed.

PROGRAM = $(shell cargo metadata --format-version 1 --no-deps | sed 's/.*"target_directory":"\([^"]*\)".*/\1/')/release/benchpaper

# what `make paper` measures: guests where QEMU can be had
GUESTS = guest-quickstart
# measured without guests, by `make paper-without-guests`
HOST = quickstart

.PHONY: paper paper-without-guests test build lint

# Measures in a repository of its own, so that what is published here is neither reused nor touched.
paper:
	./install fio cc git make
	@./install qemu libaio.h || { echo "guests need QEMU (packages qemu-system-x86 and qemu-utils) and libaio-dev; without them: make paper-without-guests" >&2; exit 2; }
	$(call measure,$(GUESTS))

paper-without-guests:
	./install fio cc git
	$(call measure,$(HOST))

define measure
	cargo build --release --locked
	mkdir -p measured/experiments
	cp -r experiments/$(1) measured/experiments/
	$(PROGRAM) --root measured lock $(1)
	$(PROGRAM) --root measured run $(1)
	@echo
	@echo "the paper of this machine:"
	@$(PROGRAM) --root measured publish $(1) --draft
endef

test:
	./install fio cc git make pgrep qemu libaio.h
	cargo test --release --locked

build:
	./install cc
	cargo build --release --locked

lint:
	cargo fmt --check
	cargo clippy --release --all-targets --locked -- -D warnings
