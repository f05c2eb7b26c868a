"""Processes of a cluster, which the tests end."""

import subprocess


def end(processes):
    """Asks all to end, the last one first, and kills each that does not."""
    for process in reversed(processes):
        process.terminate()
    for process in processes:
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
