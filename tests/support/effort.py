"""How often tests try things that a number cannot exhaust: random changes, faults, readers. A run of the tests tries a small fixed
set; PLAINFS_TEST_EFFORT=10, as scripts/nightly sets it, ten times as many."""
import os

EFFORT = max(1, int(os.environ.get("PLAINFS_TEST_EFFORT", "1")))
