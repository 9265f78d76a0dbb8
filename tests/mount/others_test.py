"""The access of users other than the mounter (allow_other)."""
import os
import pwd
import shutil
import stat
import subprocess
import unittest

import mounted
from mounted import SAMPLE, Folder, Mount


def as_nobody(*command):
    nobody = pwd.getpwnam("nobody")
    return subprocess.run(
        command, capture_output=True, timeout=60, user=nobody.pw_uid, group=nobody.pw_gid, extra_groups=[]
    )


@unittest.skipIf(os.geteuid() != 0, "only root may become another user")
class Others(Folder):
    def open_to_all(self, mount):
        os.chmod(self.folder, 0o755)
        os.chmod(os.path.dirname(mount.path), os.stat(os.path.dirname(mount.path)).st_mode | 0o011)

    def test_a_store_of_mode_600_is_for_its_owner(self):
        store = self.copy_of(SAMPLE)
        for mode, allowed in ((0o755, True), (0o700, False)):
            os.chmod(store, mode)
            with Mount(store, "-o", "allow_other") as m:
                self.open_to_all(m)
                self.assertEqual(as_nobody("cat", m.join("val.csv")).returncode == 0, allowed)
                self.assertEqual(m.read("val.csv")[:1].isdigit(), True)

    def test_files_of_a_mirror_keep_their_permissions(self):
        mirror = self.empty("mirror")
        for name, mode in (("public", 0o644), ("private", 0o600)):
            path = os.path.join(mirror, name)
            with open(path, "w", encoding="ascii") as file:
                file.write(name)
            os.chmod(path, mode)
        shutil.copytree(SAMPLE, os.path.join(mirror, "closed"))
        os.chmod(os.path.join(mirror, "closed"), 0o700)
        with Mount(mirror, "-o", "allow_other") as m:
            self.open_to_all(m)
            self.assertEqual(as_nobody("cat", m.join("public")).stdout, b"public")
            self.assertNotEqual(as_nobody("cat", m.join("private")).returncode, 0)
            self.assertNotEqual(as_nobody("ls", m.join("closed")).returncode, 0)
            self.assertEqual(stat.S_IMODE(os.stat(m.join("private")).st_mode), 0o600)
            self.assertEqual(stat.S_IMODE(os.stat(m.join("public")).st_mode), 0o644)
            self.assertEqual(m.read("private"), b"private")

    def test_umask_is_kept(self):
        store = self.copy_of(SAMPLE)
        os.chmod(store, 0o755)
        with Mount(store, "-o", "allow_other,umask=077") as m:
            self.open_to_all(m)
            self.assertNotEqual(as_nobody("cat", m.join("val.csv")).returncode, 0)


if __name__ == "__main__":
    mounted.main()
