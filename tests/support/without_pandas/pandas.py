"""Stands for pandas. If pandas is there, pyarrow imports it with the first table. That takes .4 s
in each Python, and the tests run dozens of them that need no pandas."""
raise ImportError('tests/support/with_duckdb hides pandas')
