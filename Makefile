# Two commands do everything: `make paper` measures this machine and makes a paper; `make test` runs all tests.
# Both install what is missing by apt, and only what is missing; nothing is removed.

PROGRAM = $(shell cargo metadata --format-version 1 --no-deps | sed 's/.*"target_directory":"\([^"]*\)".*/\1/')/release/benchpaper

.PHONY: paper test build lint

# Measures in a repository of its own, so that what is published here is neither reused nor touched.
paper:
	./install fio cc git
	cargo build --release --locked
	mkdir -p measured/experiments
	cp -r experiments/quickstart measured/experiments/
	$(PROGRAM) --root measured lock quickstart
	$(PROGRAM) --root measured run quickstart
	@echo
	@echo "the paper of this machine:"
	@$(PROGRAM) --root measured publish quickstart --draft

test:
	./install fio cc git pgrep
	cargo test --release --locked

build:
	./install cc
	cargo build --release --locked

lint:
	cargo fmt --check
	cargo clippy --release --all-targets --locked -- -D warnings
