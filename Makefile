# The front door. Every target works from a fresh checkout; `make run` and `make test` also
# install the system packages they need (scripts/setup).

BUILD := build

.PHONY: all run test test-cluster bench bench-mpi bench-truncation install lint format clean setup

all: $(BUILD)/CMakeCache.txt
	cmake --build $(BUILD) --target hone_program

setup:
	@scripts/setup

run: setup all
	$(BUILD)/hone run torus

# Compiles every target that this file names, also those that no test runs.
test: setup $(BUILD)/CMakeCache.txt
	cmake --build $(BUILD) --target all benchmarks
	@if command -v clang-format >/dev/null; then scripts/lint quick; fi
	cd $(BUILD) && ctest --output-on-failure -j $(shell nproc)

# Job arrays on a Slurm that is started for the test: needs root (docs/howto/cluster.md).
test-cluster: $(BUILD)/CMakeCache.txt
	@scripts/setup cluster
	cmake --build $(BUILD) --target hone_program
	/usr/bin/python3 -B tests/cluster/array_test.py $(BUILD)/hone

bench: setup $(BUILD)/CMakeCache.txt
	cmake --build $(BUILD) --target benchmarks
	mkdir -p $(BUILD)/bench
	$(BUILD)/benchmarks/bench_engine --output $(BUILD)/bench/engine.json
	$(BUILD)/benchmarks/bench_workers > $(BUILD)/bench/workers.json
	$(BUILD)/benchmarks/bench_check > $(BUILD)/bench/check.json

PREFIX := /usr/local
install: $(BUILD)/CMakeCache.txt
	cmake --build $(BUILD) --target installable
	cmake --install $(BUILD) --prefix $(PREFIX)

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

lint:
	@scripts/setup lint
	scripts/lint

format:
	@scripts/setup lint
	git ls-files '*.h' '*.cpp' | xargs clang-format -i

clean:
	rm -rf $(BUILD)

# Configured once; afterwards the build re-runs CMake by itself when a CMake file changes.
$(BUILD)/CMakeCache.txt:
	cmake --preset release $(if $(CI),-DHONE_WERROR=ON)
