# The front door. Each target installs what it needs on a Debian machine (as root), builds, and
# runs.
BUILD ?= build
JOBS ?= $(shell nproc)

.PHONY: all build demo test check test-long fuzz soak bench bench-peers quality install format clean

all: build

build:
	scripts/install-packages build
	cmake --preset release
	cmake --build --preset release -j $(JOBS)

demo: build
	scripts/demo

# Three to ten minutes on two cores, the build included.
test:
	scripts/test

# All else that must hold before a change goes in, twenty-five to fifty minutes; `make check-asan`
# and the like run one part (scripts/test lists them).
check:
	scripts/test check

check-%:
	scripts/test $*

# Other architectures with qemu-user, and valgrind.
test-long:
	scripts/test aarch64 s390x valgrind

# A minute of each fuzz target, with other seeds than the tests have.
fuzz:
	scripts/install-packages test
	cmake --preset fuzz
	cmake --build --preset fuzz -j $(JOBS)
	ctest --preset fuzz -C long -L long -j $(JOBS)

# Some minutes of killed writers and crashed machines, with other seeds than the tests have.
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
	scripts/python-env quick
	cmake --preset release -DND_BUILD_BENCH=ON -DND_BUILD_PYTHON=ON \
	    -DPython_EXECUTABLE=$(CURDIR)/build/python/bin/python
	cmake --build --preset release -j $(JOBS)
	bench/peers
	bench/peers_hamming --join 3

quality: build
	cmake --preset release -DND_BUILD_BENCH=ON
	cmake --build --preset release -j $(JOBS)
	bench/quality

# PREFIX: /usr/local by default. DESTDIR: a directory that stands for the root, for packagers; cmake
# reads it from the environment, into which make puts it.
install: build
	cmake --install $(BUILD)/release $(if $(PREFIX),--prefix '$(abspath $(PREFIX))')

format:
	scripts/format

clean:
	rm -rf $(BUILD)
