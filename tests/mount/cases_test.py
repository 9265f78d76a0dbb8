"""Every golden case through a real mount, judged by tests/support/check_case.py."""
import os
import sys

import mounted
from mounted import DATA, PROGRAM, Folder, Mount, run

CHECK = os.path.join(os.path.dirname(__file__), "..", "support", "check_case.py")
FORMATS = ("bpcells", "h5seurat", "hdf5", "hdmf-zarr", "takane", "zarr", "zarr-implementations",
           "bad/bpcells", "bad/hdmf-zarr", "bad/takane")


def store_of(case):
    stores = [name for name in os.listdir(case) if name == "store" or name.startswith("store.")]
    return os.path.join(case, stores[0]) if stores else None


def must_not_mount(case):
    path = os.path.join(case, "outcome.txt")
    if not os.path.exists(path):
        return False
    with open(path) as file:
        # "mount fails or ok" leaves it open; plainfs refuses.
        return any(line.startswith("mount fails") for line in file)


class Cases(Folder):
    def check(self, case):
        store = store_of(case)
        if store is None:
            for name in sorted(os.listdir(case)):
                if name.endswith(".h5"):
                    self.check_refused(os.path.join(case, name))
        elif must_not_mount(case):
            self.check_refused(store)
        elif any(os.path.exists(os.path.join(case, name)) for name in ("expected", "outcome.txt", "errors.txt")):
            with Mount(store) as m:
                result = run(sys.executable, CHECK, case, m.path)
                if result.stdout.decode().endswith("0 passed, 0 failed\n"):
                    return  # only advice
                self.assertEqual(result.returncode, 0, result.stdout.decode()[-2000:] + result.stderr.decode())

    def check_refused(self, store):
        point = os.path.join(self.folder, "m")
        os.makedirs(point, exist_ok=True)
        result = run(PROGRAM, store, point)
        self.addCleanup(mounted.unmount, point)
        self.assertIn(result.returncode, (11, 12, 13, 14, 15), f"{store}: {result.stderr.decode()}")
        self.assertEqual(result.stderr.decode().count("\n"), 1)


def add_tests():
    for format_name in FORMATS:
        folder = os.path.join(DATA, *format_name.split("/"))
        for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else ():
            case = os.path.join(folder, name)
            title = "test_" + format_name.replace("/", "_") + "_" + name
            setattr(Cases, title, lambda self, case=case: self.check(case))


add_tests()

if __name__ == "__main__":
    mounted.main()
