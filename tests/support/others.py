"""Used by scripts/golden: adds files that a store shows beside those of its case to the case's others.txt.

    others.py CASE FOLDER [PLAINFS]

Refuses an invalid case, with the reason. With PLAINFS, the store is exported into FOLDER and compared with the case.
Readable paths that the case does not name are added to others.txt. A damaged store (outcome.txt) or parts (listings/)
name no others.
"""
import os
import random
import subprocess
import sys

from check_case import Check
from cases import VIEWS, lines, refused, statements, store_of


def check_is_a_case(case):
    output, words = statements(case)
    has_expectations = (
        output or words or refused(case) or lines(case, "links.txt") or os.path.isdir(os.path.join(case, "listings"))
    )
    if not store_of(case) and not refused(case):
        raise ValueError(f"{case}: there is no store, store.h5, store.zarr, … to mount")
    if not has_expectations and not any(files for _, _, files in os.walk(os.path.join(case, "expected"))):
        raise ValueError(f"{case}: nothing to hold the store against: expected/, links.txt, errors.txt, outcome.txt")
    for name in os.listdir(case):
        if os.path.islink(os.path.join(case, name)):
            raise ValueError(f"{case}/{name} is a link: a case is packed with what it holds")


def problems(case, actual):
    """Returns (paths that the case does not name, other problems), with the messages of check_case."""
    output, _ = statements(case)
    check = Check(case, actual)
    check.files(16, random.Random(1))
    check.links()
    check.outcomes([(path, outcome) for path, outcome in output if outcome in ("ok", "not listed")])
    check.named |= {path for path, _ in output}
    check.everything_else()
    suffix = ": not expected"
    others = [line.removesuffix(suffix) for line in check.problems if line.endswith(suffix)]
    return others, [line for line in check.problems if not line.endswith(suffix)]


def main():
    case, folder, *program = sys.argv[1:]
    try:
        check_is_a_case(case)
    except ValueError as error:
        return f"golden: {error}"
    closed = not any(os.path.exists(os.path.join(case, name)) for name in ("outcome.txt", "listings"))
    if not program or not closed:
        return 0
    shown = os.path.join(folder, "store")
    exported = subprocess.run(
        [program[0], "export", "--index=none", f"--views={VIEWS}", store_of(case), shown],
        capture_output=True,
        text=True,
        check=False,
    )
    if not os.path.isdir(shown):
        return f"golden: {program[0]} does not open the store: {exported.stderr.strip()}"
    if exported.returncode and not lines(case, "errors.txt"):
        print(exported.stderr.strip())
    others, wrong = problems(case, shown)
    if others:
        with open(os.path.join(case, "others.txt"), "w", encoding="utf-8") as file:
            file.writelines(line + "\n" for line in sorted(set(lines(case, "others.txt") + others)))
    for path in others:
        print(f"others.txt  {path}")
    for line in wrong:
        print(f"FAIL {line}")
    print(
        f"{os.path.basename(case)}: {len(others)} paths are new in others.txt, "
        f"{len(wrong)} are not as the case has them"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
