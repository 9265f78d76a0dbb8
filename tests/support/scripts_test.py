"""Every script prints its purpose for --help, in any place and wherever it is called from, and does nothing else."""
import os
import subprocess
import sys
import tempfile
import unittest

SOURCES = os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "..")


def scripts():
    """Yields the path of each script, and what runs it."""
    for top in ("scripts", ".ci"):
        for folder, _, names in os.walk(os.path.join(SOURCES, top)):
            for path in (os.path.join(folder, name) for name in sorted(names)):
                if os.access(path, os.X_OK):
                    with open(path, encoding="utf-8") as file:
                        yield path, sys.executable if "python" in file.readline() else "/bin/sh"


class Scripts(unittest.TestCase):
    def test_each_has_a_help(self):
        names = [os.path.basename(path) for path, _ in scripts()]
        self.assertLessEqual({"test", "check", "run", "libraries", "use-file"}, set(names))
        with tempfile.TemporaryDirectory(prefix="plainfs-test-") as empty:
            # Without a PATH to programs that could set up, build or install anything.
            programs = os.path.join(empty, "bin")
            os.makedirs(programs)
            for tool in ("sed", "sh", "dirname"):
                os.symlink(f"/usr/bin/{tool}", os.path.join(programs, tool))
            for path, interpreter in scripts():
                for words in (["--help"], ["-h"], ["alone", "--help"], ["--other", "a b", "-h"], ["--help", "alone"]):
                    helped = subprocess.run(
                        [interpreter, path, *words],
                        cwd=empty,
                        capture_output=True,
                        text=True,
                        env={"PATH": programs},
                        timeout=30,
                        check=False,
                    )
                    self.assertEqual((helped.returncode, helped.stderr), (0, ""), [path, *words])
                    with open(path, encoding="utf-8") as file:
                        first = file.readlines()[1].removeprefix("# ").removeprefix('"""')
                    self.assertTrue(helped.stdout.startswith(first), path)
                    self.assertNotIn("set -", helped.stdout)
            self.assertEqual(os.listdir(empty), ["bin"])


if __name__ == "__main__":
    unittest.main()
