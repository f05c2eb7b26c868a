"""A standalone Spark cluster on loopback: a master and workers, each a process of its own."""

import contextlib
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

from cluster_processes import end

import neardup

MINUTE = 60

# Of small inputs most of the time goes to compilers, so they do less.
_JAVA = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
_LIGHT = {"spark.sql.codegen.wholeStage": "false",
          **{f"spark.{side}.extraJavaOptions": _JAVA for side in ("driver", "executor")}}


class Cluster:
    def __init__(self, folder, workers=2, memory="1g"):
        import pyspark
        self.folder, self.memory = Path(folder), memory
        self.home = Path(pyspark.__file__).parent
        self.processes = []
        self.environment = {**os.environ, "SPARK_HOME": str(self.home), "PYSPARK_PYTHON":
                            sys.executable, "SPARK_LOCAL_IP": "127.0.0.1",
                            "SPARK_NO_DAEMONIZE": "1", "SPARK_DAEMON_JAVA_OPTS": _JAVA}
        log = self._start("master", "org.apache.spark.deploy.master.Master", "--host", "127.0.0.1",
                          "--port", "0", "--webui-port", "0")
        self.url = self._wait_for(log, r"Starting Spark master at (spark://127\.0\.0\.1:\d+)")
        logs = [self._start_worker(f"worker-{number}") for number in range(workers)]
        for log in logs:
            self._wait_for(log, r"(Successfully registered) with master")
        self.workers = self.processes[1:]

    def _start_worker(self, name):
        return self._start(name, "org.apache.spark.deploy.worker.Worker", "--host", "127.0.0.1",
                           "--webui-port", "0", "--cores", "1", "--memory", self.memory,
                           "--work-dir", str(self.folder / name), self.url)

    def _start(self, name, *command):
        log = self.folder / f"{name}.log"
        with open(log, "w") as out:
            self.processes.append(subprocess.Popen(
                [self.home / "bin" / "spark-class", *command], env=self.environment, stdout=out,
                stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, cwd=self.folder))
        return log

    def _wait_for(self, log, pattern):
        for _ in range(10 * MINUTE):
            found = re.search(pattern, log.read_text())
            if found:
                return found[1]
            time.sleep(0.1)
        raise AssertionError(log.read_text()[-2000:])

    @contextlib.contextmanager
    def session(self, **settings):
        """A session whose executors get the package as an archive."""
        from pyspark.sql import SparkSession
        site = self.folder / "site"
        installed = Path(neardup.__file__).parent
        for package in (installed, installed.with_name("neardup.libs")):  # of a wheel: its libraries
            if package.exists():
                shutil.copytree(package, site / package.name, dirs_exist_ok=True,
                                ignore=shutil.ignore_patterns("bin", "__pycache__"))
        archive = shutil.make_archive(str(self.folder / "neardup"), "zip", site)
        os.environ.update(self.environment)
        builder = SparkSession.builder.master(self.url).appName("neardup").config(map={
            "spark.archives": f"{archive}#site", "spark.executorEnv.PYTHONPATH": "site",
            "spark.executor.memory": "600m", "spark.python.unix.domain.socket.enabled": "true",
            "spark.driver.host": "127.0.0.1",
            "spark.driver.bindAddress": "127.0.0.1", "spark.ui.enabled": "false",
            "spark.sql.shuffle.partitions": "2", **_LIGHT,
            "spark.sql.warehouse.dir": str(self.folder / "warehouse"), **settings})
        spark = builder.getOrCreate()
        spark.sparkContext.setLogLevel("ERROR")
        try:
            yield spark
        finally:
            spark.stop()

    def executors_of(self, worker):
        """The ids of the processes that a worker has started."""
        return [int(path.parent.name) for path in Path("/proc").glob("[0-9]*/stat")
                if self._parent_of(path) == worker.pid]

    @staticmethod
    def _parent_of(path):
        try:
            return int(path.read_text().rpartition(")")[2].split()[1])
        except OSError:
            return None  # it has ended

    def stop(self):
        end(self.processes)
