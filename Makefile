# The two commands of the README, `make sweep` and `make test`, do all their set-up.
SWEEP  ?= configs/sweeps/default.ron
OUT    ?=
ONLY   ?=
CARGO  ?= cargo

.DEFAULT_GOAL := help
.PHONY: help setup build sweep test lint formal mutants coverage bench bench-ecc bench-kernel bench-host bench-drives bench-growth bench-mount bench-dram clean

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 18

setup: ## install what is missing from Debian
	@scripts/setup.sh

build: setup ## build everything, RTL included
	$(CARGO) build --workspace --release

sweep: setup ## the ECC-strength sweep: out/sweep-default/report.html
	$(CARGO) run --release -p floatgate-cli -- sweep --config $(SWEEP) --wave $(if $(OUT),--out $(OUT))

test: setup ## all regressions
	$(CARGO) fmt --all --check
	$(CARGO) test --profile regress --workspace

lint: setup ## house rules, formatting and clippy
	$(CARGO) test --profile regress --test tidy
	$(CARGO) fmt --all --check
	$(CARGO) clippy --release --workspace --all-targets --quiet -- -D warnings

formal: setup ## the proofs, and the faults that each must notice
	FLOATGATE_FORMAL=all $(CARGO) test --profile regress --test formal -- --nocapture

mutants: setup ## faults put into the RTL one at a time: which does no test notice?
	$(CARGO) run --release -p floatgate-mutants --features models --bin mutants -- $(ONLY)

coverage: export VERILATED_COVERAGE_DIR = $(CURDIR)/out/coverage
coverage: setup ## lines and toggles of the codec's RTL that the regressions reach
	rm -rf out/coverage && mkdir -p out/coverage
	$(CARGO) run --release -p floatgate-mutants --features coverage --bin mutants
	$(CARGO) run --release -p floatgate-mutants --features coverage --bin coverage

bench: setup ## clocks per second beside pure C++ loops, page reads with idle clocks skipped
	$(CARGO) bench --bench bindings
	$(CARGO) bench --bench page_path

bench-ecc: setup ## the software codec against the Linux kernel's
	$(CARGO) bench -p floatgate-model --bench software_codec

bench-kernel: ## the simulation kernel against SystemC
	@scripts/setup.sh libsystemc-dev:/usr/include/systemc.h
	$(CARGO) bench -p floatgate-model --bench kernel

bench-host: ## requests per second of the workload generators, lines per second of the trace readers
	$(CARGO) bench -p floatgate-model --bench host

bench-drives: ## whole drives against MQSim: requests per second of processor time
	$(CARGO) bench -p floatgate-model --bench drives

bench-growth: ## whole drives: time and memory against the number of requests and capacity (8 minutes)
	$(CARGO) bench -p floatgate-model --bench drives -- growth

bench-mount: ## whole drives: the time of a mount against capacity, by scan and by journal
	$(CARGO) bench -p floatgate-model --bench mount

bench-dram: ## accesses per second of the buffer memory
	$(CARGO) bench -p floatgate-model --bench dram

clean: ## remove what was built
	$(CARGO) clean
