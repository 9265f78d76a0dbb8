"""The program in a bound folder, and on an old kernel."""
import ctypes
import os
import shutil
import unittest

import mounted
from mounted import DATA, PROGRAM, SAMPLE, Folder, in_own_namespace, run

H5 = os.path.join(DATA, "bpcells", "mat_h5_root", "store.h5")
WHOLE = shutil.which(PROGRAM)


class Bound(Folder):
    def test_run_reads_hdf5_where_the_program_lies_in_a_bound_folder(self):
        program = os.path.join(self.empty("programs"), "plainfs")
        shutil.copy(os.path.realpath(WHOLE), program)
        bound = self.empty("bound")
        script = 'mount --bind "$1" "$2"; shift 2; "$@"'
        result = in_own_namespace(
            script, os.path.dirname(program), bound, f"{bound}/plainfs", "run", H5, "--", "cat", "{}/matrix.mtx"
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
