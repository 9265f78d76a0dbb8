"""A program started by the dynamic loader, as in a folder that carries its C library, and one on an old kernel."""
import ctypes
import os
import shutil
import struct
import unittest

import mounted
from mounted import DATA, PROGRAM, SAMPLE, Folder, Mount, in_own_namespace, run

H5 = os.path.join(DATA, "bpcells", "mat_h5_root", "store.h5")
WHOLE = shutil.which(PROGRAM)


def loader_of(program):
    """Returns the dynamic loader that a program of 64 bits names."""
    with open(program, "rb") as file:
        head = file.read(64)
        start, size, count = *struct.unpack_from("<Q", head, 32), *struct.unpack_from("<HH", head, 54)
        for number in range(count):
            file.seek(start + number * size)
            kind, _, offset, _, _, length = struct.unpack_from("<IIQQQQ", file.read(size))
            if kind == 3:  # PT_INTERP
                file.seek(offset)
                return file.read(length).rstrip(b"\0").decode()
    return None


LOADER = loader_of(os.path.realpath(WHOLE))


@unittest.skipUnless(LOADER, "the program has no loader")
class StartedByLoader(Folder):
    """Started by `ld.so program`, it reads the same, and starts itself again for libhdf5."""

    def carried(self):
        """Returns the words that start a copy of the program by a copy of its loader, in a folder of their own."""
        folder = self.empty("carried")
        shutil.copy(os.path.realpath(WHOLE), os.path.join(folder, "program"))
        shutil.copy(LOADER, os.path.join(folder, "loader"))
        return self.words_in(folder)

    def words_in(self, folder):
        return [os.path.join(folder, "loader"), "--argv0", "plainfs", os.path.join(folder, "program")]

    def test_hdf5_is_read(self):
        expected = run(WHOLE, "cat", H5, "matrix.mtx")
        result = run(*self.carried(), "cat", H5, "matrix.mtx")
        self.assertEqual((result.returncode, result.stderr), (0, b""))
        self.assertEqual(result.stdout, expected.stdout)
        self.assertTrue(expected.stdout.startswith(b"%%MatrixMarket"))

    def test_hdf5_is_read_in_the_sandbox_of_a_mount(self):
        with Mount(H5) as mount:
            expected = mount.read("matrix.mtx")
        words = self.carried()
        target = self.empty("mountpoint")
        self.addCleanup(run, "umount", "-l", target)
        result = run(*words, H5, target)
        self.assertEqual((result.returncode, result.stderr), (0, b""))
        with open(os.path.join(target, "matrix.mtx"), "rb") as file:
            self.assertEqual(file.read(), expected)
        with open(os.path.join(target, ".plainfs", "log"), encoding="utf-8") as file:
            self.assertRegex(file.read(), r"^\S+ \S+ info: mounted [^\n]+\n$")  # no word of a missing sandbox
        self.assertEqual(run(*words, "umount", target).returncode, 0)

    def test_program_that_was_replaced_is_not_started_again(self):
        words = self.carried()
        target = self.empty("mountpoint")
        self.addCleanup(run, "umount", "-l", target)
        self.assertEqual(run(*words, SAMPLE, target).returncode, 0)  # no HDF5 yet
        self.assertEqual(run(*words, "umount", target).returncode, 0)
        mirror = self.empty("mirror")
        self.copy_of(H5, "mirror/a.h5")
        self.assertEqual(run(*words, mirror, target).returncode, 0)
        os.remove(words[-1])
        shutil.copy(os.path.realpath(WHOLE), words[-1])
        with self.assertRaises(OSError):
            with open(os.path.join(target, "a.h5", "matrix.mtx"), "rb") as file:
                file.read()
        with open(os.path.join(target, ".plainfs", "log"), encoding="utf-8") as file:
            self.assertIn("program: replaced since it was started; start plainfs again", file.read())

    def test_run_reads_hdf5_where_the_program_lies_in_a_bound_folder(self):
        words = self.carried()
        bound = self.empty("bound")
        script = 'mount --bind "$1" "$2"; shift 2; "$@"'
        result = in_own_namespace(
            script, os.path.dirname(words[0]), bound, *self.words_in(bound), "run", H5, "--", "cat", "{}/matrix.mtx"
        )
        if result is None:
            self.skipTest("no private mounts here")
        self.assertEqual((result.returncode, result.stderr), (0, b""))
        self.assertEqual(result.stdout, run(WHOLE, "cat", H5, "matrix.mtx").stdout)


class Instruction(ctypes.Structure):
    _fields_ = [("code", ctypes.c_ushort), ("jt", ctypes.c_ubyte), ("jf", ctypes.c_ubyte), ("k", ctypes.c_uint32)]


class Filter(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("instructions", ctypes.POINTER(Instruction))]


# System calls that came after Linux 3.10, on x86_64: renameat2, seccomp, getrandom, memfd_create, execveat,
# userfaultfd, membarrier, copy_file_range, preadv2, pwritev2, statx, and all since 5.1 (pidfd_open, clone3,
# close_range, openat2, faccessat2, landlock ...).
LATER = [316, 317, 318, 319, 322, 323, 324, 326, 327, 328, 332, *range(424, 470)]
PRCTL, SET_SECCOMP = 157, 22


def become_old():
    """Refuses the system calls that Linux 3.10 had not, and seccomp, to this process and those that it starts."""
    load, jump, give = 0x20, 0x15, 0x06
    no_such_call, invalid, allowed = 0x00050000 | 38, 0x00050000 | 22, 0x7FFF0000
    code = [(load, 0, 0, 0)]
    for call in LATER:
        code += [(jump, 0, 1, call), (give, 0, 0, no_such_call)]
    code += [(jump, 0, 3, PRCTL), (load, 0, 0, 16), (jump, 0, 1, SET_SECCOMP), (give, 0, 0, invalid)]
    code += [(give, 0, 0, allowed)]
    instructions = (Instruction * len(code))(*(Instruction(*one) for one in code))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(SET_SECCOMP, 2, ctypes.byref(Filter(len(code), instructions)), 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "seccomp")


@unittest.skipUnless(os.uname().machine == "x86_64" and os.geteuid() == 0, "needs root on x86_64")
class OldKernel(Folder):
    """Linux 3.10: no Landlock, and no filter of system calls that a daemon could ask for."""

    def on_it(self, *words):
        return run(*words, preexec_fn=become_old)

    def test_commands_read_and_write_the_same(self):
        for words in (("cat", H5, "matrix.mtx"), ("ls", "-lR", SAMPLE), ("info", SAMPLE)):
            self.assertEqual(self.on_it(WHOLE, *words).stdout, run(WHOLE, *words).stdout, words)
        self.assertIn(b"libhdf5's process is not confined", self.on_it(WHOLE, "info", H5).stdout)
        for name in ("old", "new"):
            target = os.path.join(self.folder, name)
            result = (self.on_it if name == "old" else run)(WHOLE, "export", SAMPLE, target)
            self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(
            run("diff", "-r", os.path.join(self.folder, "old"), os.path.join(self.folder, "new")).stdout, b""
        )

    def test_mount_goes_on_and_logs_the_missing_sandbox(self):
        target = self.empty("mountpoint")
        self.addCleanup(run, "umount", "-l", target)
        result = self.on_it(WHOLE, H5, target)
        self.assertEqual(result.returncode, 0, result.stderr)
        with open(os.path.join(target, "matrix.mtx"), "rb") as file:
            self.assertEqual(file.read(), run(WHOLE, "cat", H5, "matrix.mtx").stdout)
        with open(os.path.join(target, ".plainfs", "log"), encoding="utf-8") as file:
            log = file.read()
        self.assertIn("Landlock is not available: Function not implemented", log)
        self.assertEqual(run(WHOLE, "umount", target).returncode, 0)


if __name__ == "__main__":
    mounted.main()
