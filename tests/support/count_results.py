#!/usr/bin/env python3
"""Prints the failures of a ctest run, its ten slowest tests, the skipped tests with reasons, and "N passed, N failed, N
skipped".

    count_results.py RESULTS.xml [LATER.xml]
    count_results.py --skipped RESULTS.xml

RESULTS.xml is the output of `ctest --output-junit`. A Boost.Test or unittest program that ran to its end counts with
the cases that its last lines report, any other test as one. LATER.xml has tests of RESULTS.xml that ran again: their
later passes and skips count, and their failures in either run. --skipped prints the tests that were skipped for a
missing package that is installed now, as an expression for ctest -R; nothing without such tests.
"""
import ast
import re
import sys
import xml.etree.ElementTree as ET

import optional


def number(pattern, text):
    found = re.search(pattern, text)
    return int(found[1]) if found else 0


def output_of(case):
    """Returns what a test printed, without colours."""
    return re.sub(r"\x1b?\[[0-9;]+m", "", case.findtext("system-out") or "")


def boost_cases(output):
    """Returns (passed, failed, skipped) of a Boost.Test program's short report, or None.

    Filtered cases are not skipped.
    """
    if not re.search(r"\d+ test cases? out of \d+ ", output):
        return None
    return (
        number(r"(\d+) test cases? out of \d+ passed", output),
        number(r"(\d+) test cases? out of \d+ failed", output),
        0,
    )


def unittest_cases(output):
    """Returns (passed, failed, skipped) of a Python unittest program, or None."""
    ran = number(r"\nRan (\d+) tests? in ", output)
    if not ran:
        return None
    failed = number(r"failures=(\d+)", output) + number(r"errors=(\d+)", output)
    skipped = number(r"skipped=(\d+)", output)
    return max(0, ran - failed - skipped), failed, skipped


def was_skipped(case):
    return case.find("skipped") is not None or case.get("status") in ("notrun", "disabled")


def results_of(case):
    """Returns (passed, failed, skipped) of one test of ctest's."""
    if was_skipped(case):
        return 0, 0, 1
    bad = case.get("status") == "fail" or case.find("failure") is not None
    output = output_of(case)
    passed, failed, skipped = boost_cases(output) or unittest_cases(output) or (0 if bad else 1, 0, 0)
    return passed, max(failed, 1 if bad else 0), skipped


def reasons_of(case):
    """Returns the reason of each skipped case of a test, as its program printed it."""
    output = output_of(case)
    if was_skipped(case):
        return re.findall(r"^skipped: (.*)$", output, re.M)[:1]
    return [ast.literal_eval(found) for found in re.findall(r"\bskipped ('.*'|\".*\")$", output, re.M)]


def missing_in(reason):
    """Returns the names in a reason "not installed: octave-cli, R's Seurat"; empty if it is another reason."""
    return reason.removeprefix("not installed: ").split(", ") if reason.startswith("not installed: ") else []


def is_installed(missing):
    owner, _, name = missing.rpartition("'s ")
    look = {
        "R": optional.missing_r,
        "python": optional.missing_modules,
        "npm": optional.missing_npm,
        "": optional.missing_programs,
    }
    return not look[owner](name)


def complaints(output):
    """Returns the lines that name failures: Boost.Test's, unittest's and a sanitizer's; at most 20."""
    wanted = re.compile(
        r": (fatal )?error: in |^(FAIL|ERROR): |^\w*(Error|Exception): |ERROR: \w+Sanitizer|: runtime error: "
    )
    return [line for line in output.splitlines() if wanted.search(line)][:20]


def skipped_lines(cases):
    """Returns the lines that report the skipped tests, the reason, and how to install the missing package."""
    by_reason = {}
    for case in cases:
        for reason in reasons_of(case):
            for one in missing_in(reason) or [reason]:
                by_reason.setdefault((not missing_in(reason), one), []).append(case.get("name"))
    lines, parts = [], set()
    for (is_other, what), names in sorted(by_reason.items()):
        tests = f"{len(names)} in {', '.join(sorted(set(names)))}"
        part = None if is_other else optional.part_of(what)
        if is_other:
            lines.append(f"skipped: {what}: {tests}")
        elif part in (None, *optional.REQUIRED):
            lines.append(f"skipped without {what}, which this system has no package of: {tests}")
        else:
            lines.append(f"skipped without {what}: {tests}")
            parts.add(part)
    if parts:
        lines.append(f"to run these too: scripts/setup {' '.join(sorted(parts))} && scripts/test --skipped")
    return lines


def cases_of(path):
    return list(ET.parse(path).getroot().iter("testcase"))


def expression_of_skipped(path):
    names = [
        case.get("name")
        for case in cases_of(path)
        if any(all(map(is_installed, missing_in(reason))) for reason in reasons_of(case) if missing_in(reason))
    ]
    return f"^({'|'.join(names)})$" if names else ""


def count(earlier, later):
    """Returns (passed, failed, skipped) of all cases. Repeated ones are counted once."""
    again = {case.get("name"): results_of(case) for case in later}
    total = [0, 0, 0]
    for case in earlier:
        results = results_of(case)
        passed, failed, skipped = again.get(case.get("name"), results)
        if case.get("name") in again:
            failed = max(failed, results[1])
        total = [a + b for a, b in zip(total, (passed, failed, skipped))]
    return total


def main():
    if sys.argv[1] == "--skipped":
        print(expression_of_skipped(sys.argv[2]))
        return
    earlier = cases_of(sys.argv[1])
    later = cases_of(sys.argv[2]) if len(sys.argv) > 2 else []
    for case in earlier + later:
        if results_of(case)[1]:
            print("\n  ".join([f"failed: {case.get('name')}"] + complaints(output_of(case))))
    slowest = sorted(later or earlier, key=lambda case: -float(case.get("time") or 0))[:10]
    print("slowest: " + ", ".join(f"{case.get('name')} {float(case.get('time') or 0):.0f} s" for case in slowest))
    names = {case.get("name") for case in later}
    print(
        "".join(
            line + "\n" for line in skipped_lines([case for case in earlier if case.get("name") not in names] + later)
        ),
        end="",
    )
    print("{} passed, {} failed, {} skipped".format(*count(earlier, later)))


if __name__ == "__main__":
    main()
