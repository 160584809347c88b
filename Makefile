# The commands of the project; `make help` lists them.
#
#   make backfill                                    the sample archive
#   make backfill ARCHIVE=s3://bucket/pages OUTPUT=s3://bucket/text DATE=2011-10-24..2011-12-19
#   make backfill WARC="crawl more.warc.gz"          WARC files, which become an archive first

JOB     ?= jobs/backfill.toml
NIGHTLY ?= jobs/nightly.toml
DATE    ?= 2011-10-24..2011-12-19
ARCHIVE ?=
WARC    ?=
OUTPUT  ?=
FORMAT  ?= table
SET     ?=
PYTHON  ?= python3
SCALE   ?=
QUERY   ?= SELECT url, text FROM documents WHERE content_blocks > 3 ORDER BY fetched_at DESC, url LIMIT 3

# The sample that jobs/backfill.toml reads. Its dates do not depend on DATE.
SAMPLE       = data/sample
SAMPLE_DATE  = 2011-10-24..2011-12-19
SAMPLE_PAGES = 6000

ON_WORKERS = $(if $(WORKERS),--workers $(WORKERS))
# The archive that WARC files become. Without DATE, all dates of the files are processed.
IMPORTED = $(if $(WARC),$(or $(ARCHIVE),data/imported))
IMPORT   = $(URLTREE) import warc $(WARC) --output $(IMPORTED)
SETTINGS = $(if $(ARCHIVE)$(WARC),--set archive.location=$(or $(IMPORTED),$(ARCHIVE))) \
           $(if $(WARC),--set archive.layout=hive) \
           $(if $(OUTPUT),--set output.location=$(OUTPUT)) \
           $(foreach setting,$(SET),--set $(setting))
ifeq ($(if $(WARC),$(origin DATE)),file)
DATES = $$($(IMPORT) --quiet --format json | sed -n 's/.*"dates":"\([^"]*\)".*/\1/p')
else
DATES = $(DATE)
endif
# The variables that a suggested command needs to use the same tables.
SAME     = $(if $(filter-out jobs/backfill.toml,$(JOB)), JOB=$(JOB))$(if $(OUTPUT), OUTPUT=$(OUTPUT))$(if $(WARC), ARCHIVE=$(IMPORTED))$(if $(SET), SET="$(SET)")
URLTREE  = ./target/debug/urltree
LAB      = ./target/debug/urltree-lab
NEXTEST := $(shell cargo nextest --version >/dev/null 2>&1 && echo yes)

.DEFAULT_GOAL := help
.PHONY: help build install lab sample backfill nightly status sql check test tests doctests chaos interleavings fuzz peers thresholds eval \
    accuracy wheel bench readme docs screenshots clean

help: ## List these commands
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 12

build: ## Build the urltree binary, and the program that writes the sample
	@cargo build --locked --bin urltree --bin urltree-sample

install: ## Install urltree into ~/.cargo/bin
	@cargo install --locked --path crates/job/cli

lab: ## Build urltree-lab, which measures
	@cargo build --locked --bin urltree-lab

sample: $(SAMPLE)/.complete ## Generate the archive of invented sites that backfill reads
$(SAMPLE)/.complete: | build
	@$(URLTREE)-sample --output $(SAMPLE) --dates $(SAMPLE_DATE) --pages $(SAMPLE_PAGES) >&2
	@touch $@

backfill: build $(if $(ARCHIVE)$(WARC),,sample) ## Run the job: DATE=A..B ARCHIVE=... or WARC="FILES ..." OUTPUT=... WORKERS=HOST:PORT,... SET="key=value ..."
ifneq ($(WARC),)
	@$(IMPORT)
	@echo
endif
	@$(URLTREE) backfill --job $(JOB) --dates $(DATES) $(ON_WORKERS) $(SETTINGS)
	@echo
	@echo 'Look at the text:       make sql$(SAME)'
	@echo 'Look at the dates:      make status$(SAME)'

nightly: build ## Update the tables with new dates of the archive: ARCHIVE=... OUTPUT=... WORKERS=... SET="key=value ..."
	@$(URLTREE) update --job $(NIGHTLY) $(ON_WORKERS) $(SETTINGS)

status: build ## Show the dates in the tables, missing and stale ones too
	@$(URLTREE) status --job $(JOB) $(SETTINGS)

sql: build ## Query the tables: QUERY="SELECT ..." FORMAT=table|csv|json
	@$(URLTREE) sql --job $(JOB) $(SETTINGS) --format $(FORMAT) "$(QUERY)"

check: ## Formatting, lints, documentation, licences, unused dependencies, spelling
	cargo fmt --all --check
	cargo clippy --locked --workspace --all-targets -- -D warnings
	RUSTDOCFLAGS='-D warnings' cargo doc --locked --workspace --no-deps
	@$(call where,cargo deny,cargo deny --locked check bans licenses sources)
	@$(call where,cargo deny,$(ADVISORIES))
	@$(call where,cargo machete,cargo machete --with-metadata)
	@$(call where,typos,typos)
	@$(call where,hadolint,hadolint deploy/Containerfile)
	@$(call where,check-jsonschema,check-jsonschema --builtin-schema vendor.compose-spec deploy/compose.yaml)
	@$(call where,kubernetes-validate,kubernetes-validate --strict deploy/kubernetes/*.yaml)
	@$(call where,shellcheck,shellcheck deploy/slurm.sh)

# $(call where,TOOL,COMMAND) runs the command if the tool is installed.
where = if $(1) --version >/dev/null 2>&1; then $(2); else echo 'SKIPPED $(1): not installed'; fi

ADVISORIES = if cargo deny fetch db 2>/dev/null; then cargo deny --locked check --disable-fetch advisories; \
             else echo "SKIPPED advisories: the database cannot be reached"; fi

test: tests doctests ## Every test

# Some tests wait for heartbeats and faults: one test more than cores uses that time.
tests:
ifeq ($(NEXTEST),yes)
	cargo nextest run --locked --workspace --no-fail-fast --config-file tests/nextest.toml \
	    --test-threads $$(($$(nproc) + 1))
	@grep -oh 'SKIPPED [^<]*' $${CARGO_TARGET_DIR:-target}/nextest/default/junit.xml || true
else
	cargo test --locked --workspace --no-fail-fast --lib --bins --tests
endif

doctests:
	cargo test --locked --workspace --doc

chaos: ## Kill a thousand runs at random moments, and check the tables after each
	URLTREE_CHAOS_KILLS=1000 cargo test --locked --workspace --test urltree -- --nocapture chaos::a_run_killed

interleavings: ## Run a million interleavings of leases, and repeat one: SEEDS=N, SEED=N
	$(if $(SEED),URLTREE_SEED=$(SEED)) URLTREE_SEEDS=$(or $(SEEDS),1000000) \
	    cargo test --locked -p urltree-lease --test tests -- --nocapture $(if $(SEED),a_seed_is_repeated,no_interleaving)

fuzz: ## Build every fuzz target and run each for a minute: SECONDS=60
	@bash fuzz/run.sh $(SECONDS)

peers: ## Install the extractors that urltree is compared with: PYTHON=...
	@$(PYTHON) -B -m unittest discover -q -s tests/peers
	@$(PYTHON) -B tests/peers/prepare.py

thresholds: ## Set the quality thresholds to the measured values: REASON="..." allows lower ones
	URLTREE_RAISE_THRESHOLDS=1 URLTREE_LOWER_THRESHOLDS="$(REASON)" \
	cargo test --locked --workspace --test lab -- --test-threads=1 accuracy::

eval: lab ## Measure every extractor on the gold sets below GOLD, into target/evaluation
	@test -d "$(GOLD)" || { echo 'GOLD=FOLDER: of streams/*.parquet, pages/*.parquet and field'; exit 2; }
	@mkdir -p target/evaluation
	$(EVAL) --gold $(GOLD_SETS) --max-pages-per-domain 20 --plots target/evaluation \
	    --format csv > target/evaluation/results.csv
	# The published figures are from a thesis that counted words like this.
	$(EVAL) --gold $(wildcard $(GOLD)/pages/cleaneval*.parquet) --tokens ascii --overlap difflib > /dev/null
	$(LAB) tune --gold $(GOLD)/streams --report target/evaluation/sets.md > /dev/null
	cargo build --locked --workspace --example template
	./target/debug/examples/template $(GOLD) all target/evaluation/method.md

EVAL = $(LAB) eval --heuristics all --extractors all --peers all \
       --published tests/accuracy/published.toml --report target/evaluation/sets.md
# A folder is one set of several sites.
GOLD_SETS = $(wildcard $(addprefix $(GOLD)/,streams field/sites field/hard field/*.parquet pages/*.parquet))

accuracy: ## F1 by kind of page, and the words that each reason decides wrongly: GOLD=FOLDER BEFORE=FILE
	@cargo build --locked --release -p urltree-evaluation --example accuracy
	@mkdir -p target/evaluation
	@./target/release/examples/accuracy $(or $(GOLD),../shared/data) \
	    --write target/evaluation/accuracy.tsv $(if $(BEFORE),--before $(BEFORE))

prior: ## Learn the prior of unknown sites from the sets below GOLD, after measuring it by folds of hosts
	cargo run --locked --release -p urltree-evaluation --example prior -- \
	    --gold $(GOLD)/field/wcxb-dev.parquet CC-BY-4.0 --gold $(GOLD)/pages/scrapinghub.parquet MIT \
	    $(call of_kind,article,$(PRIOR_ARTICLES)) $(call of_kind,forum,ckantrac compforum) \
	    $(call of_kind,documentation,jargon nltk wikisocion) $(call of_kind,any,cleaneval-dev dunkers usagov) \
	    --folds 3 --write crates/core/template

PRIOR_ARTICLES = cleanportaleval daniel-a 90minutos lgnew phase5 reiskoch wechange \
    $(basename $(notdir $(wildcard $(GOLD)/streams/*.parquet)))
of_kind = $(foreach set,$(2),--site $(or $(firstword $(wildcard $(addsuffix $(set).parquet,$(addprefix $(GOLD)/,$(PRIOR_FOLDERS))))),$(set).parquet) none $(1))
PRIOR_FOLDERS = pages/ field/ field/sites/ field/hard/ streams/

docs: ## Build the site of the documentation into target/docs: pip install -r docs/requirements.txt
	sphinx-build --quiet --fail-on-warning --keep-going --nitpicky docs target/docs
	@echo '<!DOCTYPE html><title>urltree</title><meta http-equiv="refresh" content="0; url=site/index.html">' > target/docs/index.html
	@echo 'target/docs/index.html'

screenshots: ## Take the picture of the README: URLTREE_BROWSER_MODULES=FOLDER, see tests/browser.rs
	URLTREE_SCREENSHOTS=$(CURDIR)/target/screenshots cargo test --locked --workspace --test urltree -- browser::a_reader
	@mkdir -p docs/images
	cp target/screenshots/blocks-light-1280.png docs/images/blocks.png

wheel: ## Build both Python packages into target/wheels, or one: WHEEL=text|job; PROFILE=dev shares the build of the tests
	@$(foreach wheel,$(or $(WHEEL),text job),$(call build_wheel,$(wheel)) &&) true

# The wheel of the job has its pyproject.toml in a folder of that of the text.
build_wheel = echo 'wheel: $(1)' && cd $(CURDIR)/crates/job/python/$(filter job,$(1)) && \
    CARGO=$(if $(filter dev,$(PROFILE)),$(CURDIR)/tests/python/cargo,cargo) maturin build --locked \
    --profile $(or $(PROFILE),dist) --out $(CURDIR)/target/wheels

bench: ## Measure the cost of a job, for docs/performance.md: ARCHIVE=FOLDER, or SCALE=PAGES invented
	cargo build --locked --profile dist --bin urltree --bin urltree-lab
	./target/dist/urltree-lab bench --urltree target/dist/urltree --report docs/performance.md \
	    $(if $(ARCHIVE),--archive $(ARCHIVE)) $(if $(SCALE),--scale $(SCALE))

readme: ## Run the commands of the README and compare their output
	bash tests/readme.sh

clean: ## Remove build output
	cargo clean
