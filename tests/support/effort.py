"""The number of attempts of tests that no number can exhaust: random changes, faults, readers. A normal run tries a
small fixed set. PLAINFS_TEST_EFFORT=10, as set by scripts/nightly, tries ten times as many."""
import os

EFFORT = max(1, int(os.environ.get("PLAINFS_TEST_EFFORT", "1")))
