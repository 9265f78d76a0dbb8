#!/usr/bin/env python3
"""Print "N passed, N failed, N skipped" for a ctest run.

    count_results.py RESULTS.xml

RESULTS.xml is what `ctest --output-junit` wrote. A Boost.Test program that ran to its end counts with the cases its last
lines report, any other test as one.
"""
import re
import sys
import xml.etree.ElementTree as ET


def boost_cases(output):
    """(passed, failed) of a Boost.Test program's short report, or None."""
    counts = {}
    for number, outcome in re.findall(r"(\d+) test cases? out of \d+ (passed|failed)", output):
        counts[outcome] = int(number)
    if not counts:
        return None
    return counts.get("passed", 0), counts.get("failed", 0)


def count(root):
    passed = failed = skipped = 0
    for case in root.iter("testcase"):
        if case.find("skipped") is not None or case.get("status") in ("notrun", "disabled"):
            skipped += 1
            continue
        cases = boost_cases(case.findtext("system-out") or "")
        bad = case.get("status") == "fail" or case.find("failure") is not None
        good_cases, bad_cases = cases or (0 if bad else 1, 0)
        passed += good_cases
        failed += max(bad_cases, 1 if bad else 0)
    return passed, failed, skipped


def main():
    print("{} passed, {} failed, {} skipped".format(*count(ET.parse(sys.argv[1]).getroot())))


if __name__ == "__main__":
    main()
