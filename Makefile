# The front door. Every target works from a fresh checkout; `make run` and `make test` also
# install the system packages they need (scripts/setup).

BUILD := build

.PHONY: all run test test-cluster test-sanitize test-chaos test-arm fuzz nightly bench bench-mpi bench-truncation bench-probe \
  install deb wheel docs lint format clean setup

all: $(BUILD)/CMakeCache.txt
	cmake --build $(BUILD) --target hone_program

setup:
	@scripts/setup

run: setup all
	$(BUILD)/hone run torus

# Compiles every target that this file names, also those that no test runs.
# Configures again: before, the packages of the tests may have been missing.
test:
	@scripts/setup run test
	cmake --preset release $(if $(CI),-DHONE_WERROR=ON)
	cmake --build $(BUILD) --target all benchmarks
	@if command -v clang-format >/dev/null; then scripts/lint quick; fi
	cd $(BUILD) && ctest --output-on-failure --no-tests=error -j $(shell nproc)

# Job arrays on a Slurm that is started for the test: needs root (docs/howto/cluster.md).
test-cluster: $(BUILD)/CMakeCache.txt
	@scripts/setup run cluster
	cmake --build $(BUILD) --target hone_program
	/usr/bin/python3 -B tests/cluster/array_test.py $(BUILD)/hone

# All C++ tests with address and undefined-behaviour, then with thread sanitizers.
test-sanitize:
	@scripts/setup run test fuzz
	scripts/sanitize

# Random damage, kills, full disks and concurrent commands: right answers or refusals that name the file,
# nothing else. For so long: make test-chaos MINUTES=30.
test-chaos: setup all
	/usr/bin/python3 -B tests/chaos/chaos.py $(BUILD)/hone $(if $(MINUTES),--minutes $(MINUTES))

# Every reader of foreign text and files, for so many seconds each.
SECONDS := 60
fuzz:
	@scripts/setup run test fuzz
	scripts/fuzz $(SECONDS)

# What takes too long for every change.
nightly: test test-sanitize test-chaos
	$(MAKE) fuzz SECONDS=600
	@scripts/setup run test lint
	scripts/lint deep

bench: setup $(BUILD)/CMakeCache.txt
	cmake --build $(BUILD) --target benchmarks
	mkdir -p $(BUILD)/bench
	$(BUILD)/benchmarks/bench_engine --output $(BUILD)/bench/engine.json
	$(BUILD)/benchmarks/bench_densities > $(BUILD)/bench/densities.json
	$(BUILD)/benchmarks/bench_flows > $(BUILD)/bench/flows.json
	$(BUILD)/benchmarks/bench_workers > $(BUILD)/bench/workers.json
	$(BUILD)/benchmarks/bench_check > $(BUILD)/bench/check.json

PREFIX := /usr/local
install: $(BUILD)/CMakeCache.txt
	cmake --build $(BUILD) --target installable
	cmake --install $(BUILD) --prefix $(PREFIX)

# Debian packages in build-deb/: hone, libhone-dev, python3-hone.
deb:
	@scripts/setup run deb
	scripts/make-deb

# A wheel in build-wheel/ that needs only Python and numpy, for this version of Python.
PYTHON := /usr/bin/python3
wheel:
	@scripts/setup run wheel
	scripts/make-wheel $(PYTHON)

# The documentation site: build-docs/site/index.html.
docs:
	@scripts/setup run docs
	$(MAKE) all
	/usr/bin/python3 -B scripts/site/build.py $(BUILD)/hone build-docs

# Compiled for ARM processors, run under an emulator (docs/processors.md).
test-arm:
	@scripts/setup run arm
	$(MAKE) all
	scripts/test-arm

# More ranks than cores: most of the time goes into simulations that sleep.
bench-mpi: setup $(BUILD)/CMakeCache.txt
	cmake --build $(BUILD) --target bench_mpi
	mkdir -p $(BUILD)/bench
	HONE_MPI_LIBRARY=$(BUILD)/libhone_mpi.so mpirun --oversubscribe --allow-run-as-root -n 16 \
	  $(BUILD)/benchmarks/bench_mpi > $(BUILD)/bench/mpi.json

# 54 inference runs, some minutes.
bench-truncation: setup $(BUILD)/CMakeCache.txt
	cmake --build $(BUILD) --target bench_truncation
	mkdir -p $(BUILD)/bench
	$(BUILD)/benchmarks/bench_truncation --output $(BUILD)/bench/truncation-safety.json

# 100 inference runs and exact posteriors, the better part of an hour.
bench-probe: setup $(BUILD)/CMakeCache.txt
	cmake --build $(BUILD) --target bench_probe_alarms
	mkdir -p $(BUILD)/bench
	$(BUILD)/benchmarks/bench_probe_alarms --output $(BUILD)/bench/probe-alarms.json

lint:
	@scripts/setup run test lint
	scripts/lint

format:
	@scripts/setup run test lint
	git ls-files '*.h' '*.cpp' | xargs clang-format -i

clean:
	rm -rf $(BUILD)

# Configured once; afterwards the build re-runs CMake by itself when a CMake file changes.
$(BUILD)/CMakeCache.txt:
	cmake --preset release $(if $(CI),-DHONE_WERROR=ON)
