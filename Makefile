# The front door. Each target installs what it needs on a Debian machine (as root), builds, and runs.
BUILD ?= build
JOBS ?= $(shell nproc)

.PHONY: all build demo test test-long fuzz bench bench-peers quality soak install format clean

all: build

build:
	scripts/install-packages build
	cmake --preset release
	cmake --build --preset release -j $(JOBS)

demo: build
	scripts/demo

test:
	scripts/test

test-long:
	scripts/test --long

# A minute of each fuzz target, with other seeds than those of the tests.
fuzz:
	scripts/install-packages test
	cmake --preset fuzz
	cmake --build --preset fuzz -j $(JOBS)
	ctest --preset fuzz -C long -L long -j $(JOBS)

# Hours are not needed: some minutes of killed writers and crashed machines, with other seeds than those of the tests.
soak:
	scripts/install-packages test
	cmake --preset asan
	cmake --build --preset asan -j $(JOBS)
	ctest --preset asan -C soak -L soak --output-on-failure
	cmake --preset test
	cmake --build --preset test -j $(JOBS)
	ctest --preset test -C soak -L soak --output-on-failure

bench: build
	cmake --preset release -DND_BUILD_BENCH=ON
	cmake --build --preset release -j $(JOBS)
	bench/run
	bench/index
	bench/hamming
	bench/keywords
	bench/stream --large

bench-peers: build
	cmake --preset release -DND_BUILD_BENCH=ON
	cmake --build --preset release -j $(JOBS)
	bench/peers
	bench/peers_hamming --join 3

quality: build
	cmake --preset release -DND_BUILD_BENCH=ON
	cmake --build --preset release -j $(JOBS)
	bench/quality

# PREFIX: where, /usr/local by default. DESTDIR, of which cmake knows by itself: a directory that stands for the root, for packagers.
install: build
	cmake --install $(BUILD)/release $(if $(PREFIX),--prefix '$(abspath $(PREFIX))')

format:
	scripts/format

clean:
	rm -rf $(BUILD)
