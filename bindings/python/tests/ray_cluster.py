"""A Ray cluster on loopback: a head and a second node, each a process of its own with one CPU."""

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from cluster_processes import end

import neardup

MINUTE = 60
# Two addresses on loopback. Ray would replace 127.0.0.1 by an address in the network.
HEAD, WORKER = "127.0.0.2", "127.0.0.3"
STORE = 200_000_000  # bytes of shared memory of each node


class Cluster:
    def __init__(self, folder):
        # The paths of Ray's sockets are long, and a socket's path has at most 107 bytes.
        self.folder, self.temp = Path(folder), tempfile.mkdtemp(prefix="ray", dir="/tmp")
        self.processes = []
        here = [Path(neardup.__file__).parent.parent, Path(__file__).parent]
        self.environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, here)),
                            "RAY_GRACEFUL_SHUTDOWN_DRAIN_TIMEOUT_S": "0"}
        self.address = f"{HEAD}:{_free_port()}"
        with contextlib.ExitStack() as undo:
            undo.callback(self.stop)
            self._start_nodes()
            undo.pop_all()

    def _start_nodes(self):
        self._start("head", HEAD, "--head", "--port", self.address.split(":")[1], "--temp-dir",
                    self.temp, "--include-dashboard", "false")
        self._start("worker", WORKER, "--address", self.address)

    def _start(self, name, ip, *options):
        """A node, in a process group of its own: its processes end with it."""
        with open(self.folder / f"{name}.log", "w") as out:
            self.processes.append(subprocess.Popen(
                [sys.executable, "-m", "ray.scripts.scripts", "start", "--block", "--num-cpus", "1",
                 "--node-ip-address", ip, "--object-store-memory", str(STORE),
                 "--disable-usage-stats", *options],
                env=self.environment, stdout=out, stderr=subprocess.STDOUT,
                stdin=subprocess.DEVNULL, cwd=self.folder, start_new_session=True))
        for _ in range(10 * MINUTE):
            log = (self.folder / f"{name}.log").read_text()
            if "Ray runtime started" in log:
                return
            if self.processes[-1].poll() is not None:
                break
            time.sleep(0.1)
        raise AssertionError(log[-2000:])

    @contextlib.contextmanager
    def session(self):
        import ray
        ray.init(self.address, _node_ip_address=HEAD, log_to_driver=False)
        try:
            yield ray
        finally:
            ray.shutdown()

    def stop(self):
        end(self.processes)
        for process in self.processes:
            with contextlib.suppress(ProcessLookupError):  # agents that outlive their node
                os.killpg(process.pid, signal.SIGKILL)
        shutil.rmtree(self.temp, ignore_errors=True)


def _free_port():
    with socket.socket() as found:
        found.bind((HEAD, 0))
        return found.getsockname()[1]
