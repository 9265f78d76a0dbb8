"""Every script prints its purpose for --help, wherever it is called from, and does nothing else."""
import os
import subprocess
import tempfile
import unittest

SCRIPTS = os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "..", "scripts")


class Scripts(unittest.TestCase):
    def test_each_has_a_help(self):
        places = {name: os.path.join(SCRIPTS, name) for name in os.listdir(SCRIPTS)}
        names = sorted(name for name, path in places.items() if os.path.isfile(path) and os.access(path, os.X_OK))
        self.assertIn("test", names)
        with tempfile.TemporaryDirectory(prefix="plainfs-test-") as empty:
            for name in names:
                for option in ("--help", "-h"):
                    # Without a PATH to programs that could set up, build or install anything.
                    os.makedirs(os.path.join(empty, "bin"), exist_ok=True)
                    for tool in ("sed", "sh", "dirname"):
                        if not os.path.exists(os.path.join(empty, "bin", tool)):
                            os.symlink(f"/usr/bin/{tool}", os.path.join(empty, "bin", tool))
                    helped = subprocess.run(
                        ["/bin/sh", os.path.join(SCRIPTS, name), option],
                        cwd=empty,
                        capture_output=True,
                        text=True,
                        env={"PATH": os.path.join(empty, "bin")},
                        timeout=30,
                        check=False,
                    )
                    self.assertEqual((helped.returncode, helped.stderr), (0, ""), name)
                    with open(os.path.join(SCRIPTS, name), encoding="utf-8") as file:
                        first = file.readlines()[1].removeprefix("# ")
                    self.assertTrue(helped.stdout.startswith(first), name)
                    self.assertNotIn("set -eu", helped.stdout)
            self.assertEqual(os.listdir(empty), ["bin"])


if __name__ == "__main__":
    unittest.main()
