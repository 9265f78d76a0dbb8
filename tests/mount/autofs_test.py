"""A store that automount mounts on its first use, by the line of the man page."""
import contextlib
import os
import signal
import subprocess
import unittest

from mounted import PROGRAM, Folder, main, run, wait_until
from optional import needs

SAMPLE = os.path.realpath(
    os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data", "samples", "pbmc.h5ad")
)
LONGEST = 30  # seconds for what takes a tenth of one


def why_not():
    if os.geteuid() != 0:
        return "only root may start automount"
    if run("unshare", "-m", "true").returncode != 0:
        return "no private mounts here"
    return ""


@needs("automount", "mount.fuse3", "nsenter")
@unittest.skipIf(why_not(), why_not())
class Autofs(Folder):
    """automount runs in its own mount namespace. All its mounts end with the last process in the namespace."""

    def start(self, options):
        self.top = self.empty("top")
        with open(os.path.join(self.folder, "map"), "w", encoding="utf-8") as file:
            file.write(f"pbmc  -fstype=fuse.plainfs,{options}  :{SAMPLE}\n")
        with open(os.path.join(self.folder, "master"), "w", encoding="utf-8") as file:
            file.write(f"{self.top} file:{self.folder}/map --timeout=600\n")
        # mount.fuse3 takes the first plainfs of its own PATH.
        script = 'mount --bind "$1" /usr/local/bin; shift; exec automount -f -p "$@"'
        self.automount = subprocess.Popen(
            ["unshare", "-m", "--propagation", "private", "sh", "-ec", script, "sh"]
            + [os.path.dirname(os.path.realpath(PROGRAM)), f"{self.folder}/pid", f"{self.folder}/master"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "PATH": f"/usr/sbin:/sbin:{os.environ['PATH']}", "XDG_CACHE_HOME": self.folder},
        )
        self.addCleanup(self.end)
        self.assertTrue(wait_until(lambda: self.inside("mountpoint", "-q", self.top).returncode == 0, LONGEST))

    def inside(self, *command):
        """Runs a command in the namespace of automount. It is killed if it hangs."""
        return run("timeout", "-k", "1", str(LONGEST), "nsenter", "-t", str(self.automount.pid), "-m", *command)

    def processes(self):
        """Returns the ids of the processes in the namespace, which are all of this test."""
        found = []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            with contextlib.suppress(OSError):
                if os.readlink(f"/proc/{pid}/ns/mnt") == self.namespace:
                    found.append(int(pid))
        return found

    def end(self):
        self.namespace = os.readlink(f"/proc/{self.automount.pid}/ns/mnt")
        if self.namespace != os.readlink("/proc/self/ns/mnt"):
            while pids := self.processes():  # also those that wait for the mount: a signal that kills ends that
                for pid in pids:
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(pid, signal.SIGKILL)
                with contextlib.suppress(subprocess.TimeoutExpired):
                    self.automount.wait(0.05)
        self.automount.kill()
        self.automount.wait(LONGEST)

    def check_is_mounted(self, options):
        self.start(options)
        expected = subprocess.run([PROGRAM, "cat", SAMPLE, "obs.csv"], stdout=subprocess.PIPE, check=True).stdout
        done = self.inside("cat", f"{self.top}/pbmc/obs.csv")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout, expected)
        self.assertEqual(self.inside("umount", f"{self.top}/pbmc").returncode, 0)
        again = self.inside("head", "-c", "10", f"{self.top}/pbmc/obs.csv")
        self.assertEqual(again.stdout, expected[:10])

    def test_store_is_mounted_on_its_first_use(self):
        self.check_is_mounted("ro,allow_other")

    def test_store_without_a_sandbox_is_mounted_too(self):
        self.check_is_mounted("ro,allow_other,sandbox=none")


if __name__ == "__main__":
    main()
