"""Stands for pandas. If pandas is there, pyarrow imports it with the first table, which takes .4 s in
each Python, and the tests that run dozens of them need nothing of it."""
raise ImportError('tests/support/with_duckdb hides pandas')
