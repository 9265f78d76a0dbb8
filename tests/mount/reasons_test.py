"""user.plainfs.error: the reason why a file cannot be read, as an attribute of the file."""
import errno
import os
import shutil
import sys
import unittest

import mounted
from mounted import DATA, SAMPLE, Folder, Mount, run
from optional import needs

UNSUPPORTED = os.path.join(DATA, "zarr", "v2_bad", "store.zarr")
ATTRIBUTE = "user.plainfs.error"


class Reasons(Folder):
    def damaged(self):
        store = self.copy_of(SAMPLE)
        with open(os.path.join(store, "val_data"), "wb") as file:
            file.write(b"x")
        return store

    def assert_none(self, path):
        with self.assertRaises(OSError) as caught:
            os.getxattr(path, ATTRIBUTE)
        self.assertEqual(caught.exception.errno, errno.ENODATA)

    @needs("attr")
    def test_attr_explains_an_unreadable_file(self):
        with Mount(self.damaged()) as m:
            for name in ("matrix.mtx", "val.csv", "val.npy"):
                result = run("attr", "-q", "-g", "plainfs.error", m.join(name))
                self.assertEqual(
                    (result.returncode, result.stdout), (0, b"val_data: 1 bytes are too short for a header"), name
                )
            self.assertNotEqual(run("attr", "-q", "-g", "plainfs.error", m.join("index.csv")).returncode, 0)

    @unittest.skipUnless(os.geteuid() == 0, "allow_other is for root, or where it is allowed")
    def test_other_users_see_no_attribute_without_a_size(self):
        with Mount(self.damaged(), "-o", "allow_other") as m:
            with self.assertRaises(OSError) as caught:
                os.getxattr(m.join("val.csv"), ATTRIBUTE)
            self.assertEqual(caught.exception.errno, errno.EIO)
            self.assertIn(b"val_data: 1 bytes are too short for a header", m.read(".plainfs", "log"))

    def test_programs_agree_on_a_file_without_a_size(self):
        with Mount(self.damaged()) as m:
            for program in ("getfattr", "ls"):  # only a name, not the real program
                named = shutil.copy(sys.executable, os.path.join(self.folder, program))
                code = (
                    "import os, sys\n"
                    "try: print(os.stat(sys.argv[1]).st_size)\n"
                    "except OSError as error: print(error.errno)"
                )
                environment = dict(os.environ, PYTHONHOME=sys.prefix)
                result = run(named, "-c", code, m.join("val.csv"), env=environment)
                self.assertEqual(result.stdout.decode().strip(), str(errno.EIO), result.stderr)

    def test_attribute_read_first_gives_the_reason(self):
        with Mount(self.damaged()) as m:
            self.assertEqual(
                os.getxattr(m.join("matrix.mtx"), ATTRIBUTE), b"val_data: 1 bytes are too short for a header"
            )

    def test_readable_file_has_no_reason(self):
        with Mount(SAMPLE) as m:
            for names in ((), ("matrix.mtx",), ("shape.npy",), (".plainfs", "log")):
                self.assert_none(m.join(*names))
                self.assertNotIn(ATTRIBUTE, os.listxattr(m.join(*names)))

    def test_unsupported_file_has_its_own_reason(self):
        with Mount(UNSUPPORTED) as m:
            output = []
            for folder, _, names in os.walk(m.path):
                for path in (os.path.join(folder, name) for name in names):
                    try:
                        with open(path, "rb") as file:
                            file.read()
                    except OSError as error:
                        self.assertIn(error.errno, (errno.EIO, errno.ENOTSUP))
                        reason = os.getxattr(path, ATTRIBUTE)
                        self.assertEqual(reason.startswith(b"not supported: "), error.errno == errno.ENOTSUP, path)
                        output.append(reason)
            self.assertTrue(any(b"codec" in reason for reason in output), output)

    def test_a_failure_in_the_middle_is_remembered(self):
        store = os.path.join(self.folder, "s.zarr")
        os.makedirs(os.path.join(store, "a"))
        for name, text in (
            (".zgroup", '{"zarr_format":2}'),
            (
                "a/.zarray",
                '{"zarr_format":2,"shape":[2],"chunks":[1],"dtype":"<i4",'
                '"compressor":null,"filters":null,"order":"C","fill_value":7}',
            ),
            ("a/1", "cut"),
        ):
            with open(os.path.join(store, name), "w") as file:
                file.write(text)
        with Mount(store) as m:
            self.assert_none(m.join("a.npy"))
            with self.assertRaises(OSError):
                m.read("a.npy")
            self.assertIn(b"a/1", os.getxattr(m.join("a.npy"), ATTRIBUTE))

    def test_unlistable_folder_has_a_reason(self):
        store = os.path.join(self.folder, "s.zarr")
        os.makedirs(os.path.join(store, "g"))
        for name, text in ((".zgroup", '{"zarr_format":2}'), ("g/.zgroup", "{")):
            with open(os.path.join(store, name), "w") as file:
                file.write(text)
        with Mount(store) as m:
            self.assertIn(b"g/.zgroup", os.getxattr(m.join("g"), ATTRIBUTE))


if __name__ == "__main__":
    mounted.main()
