"""A third of the golden cases, each in its own mount, judged by tests/support/check_case.py. mirror_test.py has all in
one."""
import os

import mounted
from mounted import DATA, PROGRAM, Folder, Mount, run
from cases import BAD, GOOD, VIEWS, a_third, refused, store_of
from check_case import check_case


class Cases(Folder):
    def check(self, case):
        must_fail = refused(case)
        for store, words in must_fail.items():
            self.check_refused(store, words)
        if must_fail:
            return
        with Mount(store_of(case), "-o", "views=" + VIEWS) as m:
            passed, problems = check_case(case, m.path)
            self.assertEqual(problems, [])
            self.assertGreater(passed, 0)

    def check_refused(self, store, words):
        point = os.path.join(self.folder, "m")
        os.makedirs(point, exist_ok=True)
        result = run(PROGRAM, store, point)
        self.addCleanup(mounted.unmount, point)
        self.assertIn(result.returncode, (11, 12, 13, 14, 15), f"{store}: {result.stderr.decode()}")
        self.assertEqual(result.stderr.decode().count("\n"), 1)
        self.assertIn(words, result.stderr.decode())


def add_tests():
    for suite in GOOD + BAD:
        folder = os.path.join(DATA, *suite.split("/"))
        for name in a_third(sorted(os.listdir(folder)), 0):
            case = os.path.join(folder, name)
            setattr(Cases, f"test_{suite}_{name}".replace("/", "_"), lambda self, case=case: self.check(case))


if mounted.DATA:
    add_tests()

if __name__ == "__main__":
    mounted.main()
