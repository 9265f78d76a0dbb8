#!/usr/bin/env python3
"""Print what failed in a ctest run, its ten slowest tests, and "N passed, N failed, N skipped".

    count_results.py RESULTS.xml

RESULTS.xml is what `ctest --output-junit` wrote. A Boost.Test or unittest program that ran to its end counts with the cases its
last lines report, any other test as one.
"""
import re
import sys
import xml.etree.ElementTree as ET


def number(pattern, text):
    found = re.search(pattern, text)
    return int(found[1]) if found else 0


def boost_cases(output):
    """(passed, failed, skipped) of a Boost.Test program's short report, or None. Cases that a filter left out are not skipped."""
    if not re.search(r"\d+ test cases? out of \d+ ", output):
        return None
    return number(r"(\d+) test cases? out of \d+ passed", output), number(r"(\d+) test cases? out of \d+ failed", output), 0


def unittest_cases(output):
    """(passed, failed, skipped) of a Python unittest program, or None."""
    ran = number(r"\nRan (\d+) tests? in ", output)
    if not ran:
        return None
    failed = number(r"failures=(\d+)", output) + number(r"errors=(\d+)", output)
    skipped = number(r"skipped=(\d+)", output)
    return ran - failed - skipped, failed, skipped


def results_of(case):
    """(passed, failed, skipped) of one test of ctest's."""
    if case.find("skipped") is not None or case.get("status") in ("notrun", "disabled"):
        return 0, 0, 1
    bad = case.get("status") == "fail" or case.find("failure") is not None
    output = case.findtext("system-out") or ""
    passed, failed, skipped = boost_cases(output) or unittest_cases(output) or (0 if bad else 1, 0, 0)
    return passed, max(failed, 1 if bad else 0), skipped


def complaints(output):
    """The lines that say what failed: Boost.Test's, unittest's and a sanitizer's, without colours; at most 20."""
    plain = re.sub(r"\x1b?\[[0-9;]+m", "", output).splitlines()
    wanted = re.compile(r": (fatal )?error: in |^(FAIL|ERROR): |^\w*(Error|Exception): |ERROR: \w+Sanitizer|: runtime error: ")
    return [line for line in plain if wanted.search(line)][:20]


def main():
    cases = list(ET.parse(sys.argv[1]).getroot().iter("testcase"))
    for case in cases:
        if results_of(case)[1]:
            print("\n  ".join([f"failed: {case.get('name')}"] + complaints(case.findtext("system-out") or "")))
    slowest = sorted(cases, key=lambda case: -float(case.get("time") or 0))[:10]
    print("slowest: " + ", ".join(f"{case.get('name')} {float(case.get('time') or 0):.0f} s" for case in slowest))
    print("{} passed, {} failed, {} skipped".format(*map(sum, zip((0, 0, 0), *map(results_of, cases)))))


if __name__ == "__main__":
    main()
