# The commands of the project; `make help` lists them.
#
#   make backfill                                    the bundled sample
#   make backfill ARCHIVE=s3://bucket/pages OUTPUT=s3://bucket/text DATE=2011-10-24..2011-12-19

JOB     ?= jobs/backfill.toml
DATE    ?= 2011-10-24..2011-12-19
ARCHIVE ?=
OUTPUT  ?=
SET     ?=
QUERY   ?= SELECT url, text FROM documents ORDER BY fetched_at DESC LIMIT 3

SETTINGS = $(if $(ARCHIVE),--set archive.location=$(ARCHIVE)) \
           $(if $(OUTPUT),--set output.location=$(OUTPUT)) \
           $(foreach setting,$(SET),--set $(setting))
URLTREE  = ./target/debug/urltree
NEXTEST := $(shell cargo nextest --version >/dev/null 2>&1 && echo yes)

.DEFAULT_GOAL := help
.PHONY: help build backfill sql check test clean

help: ## List these commands
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 12

build: ## Build the urltree binary
	cargo build --locked --bin urltree

backfill: build ## Run the job: DATE=A..B ARCHIVE=... OUTPUT=... SET="key=value ..."
	$(URLTREE) backfill --job $(JOB) --date $(DATE) $(SETTINGS)
	@echo
	@echo "Look at the text with:  make sql"

sql: build ## Query the tables: QUERY="SELECT ..."
	@$(URLTREE) sql --job $(JOB) $(SETTINGS) "$(QUERY)"

check: ## Formatting, lints and documentation, warnings denied
	cargo fmt --all --check
	cargo clippy --locked --workspace --all-targets -- -D warnings
	RUSTDOCFLAGS='-D warnings' cargo doc --locked --workspace --no-deps

test: ## Every test
ifeq ($(NEXTEST),yes)
	cargo nextest run --locked --workspace --no-fail-fast
	cargo test --locked --workspace --doc
else
	cargo test --locked --workspace --no-fail-fast
endif

clean: ## Remove what was built
	cargo clean
