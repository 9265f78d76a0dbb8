"""File handles as a server of NFS keeps them: they outlive the kernel's inodes (open_by_handle_at)."""
import ctypes
import os
import unittest

from mounted import SAMPLE, Folder, Mount

AT_FDCWD = -100
HANDLE_BYTES = 128


class FileHandle(ctypes.Structure):
    _fields_ = [
        ("handle_bytes", ctypes.c_uint),
        ("handle_type", ctypes.c_int),
        ("bytes", ctypes.c_ubyte * HANDLE_BYTES),
    ]


LIBRARY = ctypes.CDLL(None, use_errno=True)


def checked(result):
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def handle_of(path):
    handle, mount = FileHandle(HANDLE_BYTES), ctypes.c_int()
    checked(LIBRARY.name_to_handle_at(AT_FDCWD, path.encode(), ctypes.byref(handle), ctypes.byref(mount), 0))
    return handle


def opened(root, handle):
    return checked(LIBRARY.open_by_handle_at(root, ctypes.byref(handle), os.O_RDONLY))


def forget_inodes():
    with open("/proc/sys/vm/drop_caches", "w", encoding="ascii") as file:
        file.write("2")


class Handles(Folder):
    def setUp(self):
        super().setUp()
        if not os.access("/proc/sys/vm/drop_caches", os.W_OK):
            self.skipTest("only root can make the kernel forget inodes")

    def test_handles_outlive_the_inodes_of_the_kernel(self):
        with Mount(SAMPLE, "-o", "index=none") as mount:
            root = os.open(mount.path, os.O_RDONLY | os.O_DIRECTORY)
            self.addCleanup(os.close, root)
            paths = [os.path.join(folder, name) for folder, _, names in os.walk(mount.path) for name in names]
            folders = [folder for folder, _, _ in os.walk(mount.path)]
            self.assertGreater(len(paths), 3)
            try:
                handles = {path: handle_of(path) for path in paths + folders}
            except PermissionError:
                self.skipTest("handles are not allowed here")
            forget_inodes()
            for path, handle in handles.items():
                file = opened(root, handle)
                try:
                    if path in folders:
                        self.assertEqual(sorted(os.listdir(file)), sorted(os.listdir(path)))
                        continue
                    with open(path, "rb") as same:
                        self.assertEqual(os.pread(file, 1 << 20, 0), same.read(1 << 20), path)
                    self.assertEqual(os.fstat(file).st_size, os.stat(path).st_size)
                finally:
                    os.close(file)


if __name__ == "__main__":
    unittest.main()
