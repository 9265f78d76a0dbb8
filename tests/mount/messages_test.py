"""Replies to mistakes and to systems that refuse: one line with a remedy."""
import os
import shutil
import signal
import stat
import subprocess
import unittest
import zipfile

import mounted
from mounted import PROGRAM, Folder, run
from optional import needs

SAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data", "samples")
WITHOUT = "these work without a mount: plainfs serve, ls, cat, export, info and check\n"
CONTAINER = "docker and podman grant it with --cap-add SYS_ADMIN --device /dev/fuse --security-opt apparmor=unconfined"
NO_SANDBOX = "info: not completely confined: "  # without Landlock in the kernel

# A command typed in a folder with pbmc.h5seurat and an empty m, its exit code, and the line after "plainfs: ".
MISTAKES = (
    ("pbmc.h5seurat nope", 4, "nope: no such directory; create it with mkdir, or leave it out"),
    ("m pbmc.h5seurat", 4, "pbmc.h5seurat: not a directory; the store comes first: plainfs STORE MOUNTPOINT"),
    (
        "ftp://b/x.zarr m",
        15,
        "ftp://b/x.zarr: unknown kind of URL, expected https://, http://, s3://, gs:// or az://; "
        "mount it with rclone or sshfs first",
    ),
    (
        "https://me:secret@b/x m",
        15,
        "a URL with a user name, which all users of this machine can see; put it into ~/.netrc",
    ),
    ("file:///no/such m", 11, "/no/such: no such file or directory"),
    ("rnd m", 13, "rnd: unknown format"),
    (
        "x.gz m",
        13,
        "x.gz: unknown format: a gzip file without a store inside (an R object is read under a name in .rds or .RData)",
    ),
    ("x.parquet m", 14, "x.parquet: the footer has 1633771873 bytes in a file of 12"),
    (
        "h5.zip m",
        13,
        "h5.zip: unknown format: a zip archive without a Zarr store; unpack it first, or mount it with fuse-zip",
    ),
    (
        "pbmc.h5seurat/assays/RNA m",
        11,
        "pbmc.h5seurat/assays/RNA: no such file or directory; to show a part of a store: "
        "plainfs -o subdir=assays/RNA pbmc.h5seurat",
    ),
    ("cat pbmc.h5seurat", 1, "cat: expected a store and a path in it: plainfs cat STORE PATH"),
    ("cat pbmc.h5seurat assays", 1, "assays: a directory; plainfs ls lists it"),
    ("ls pbmc.h5seurat nope/x", 11, "pbmc.h5seurat: nope does not exist"),
    ("ls pbmc.h5seurat asays", 11, "pbmc.h5seurat: asays does not exist; did you mean assays?"),
    ("ls -lq pbmc.h5seurat", 1, "unknown option: -q"),
    (
        "-o remount,ro pbmc.h5seurat m",
        1,
        "remount: the options of a mount cannot change; unmount it and mount it again, "
        "or, for a store that was rewritten: plainfs reload MOUNTPOINT",
    ),
    ("umount m", 11, "m: nothing is mounted there"),
    ("unmount m", 1, "unmount: not a command; to unmount: plainfs umount MOUNTPOINT"),
    ("mount pbmc.h5seurat m", 1, "mount: not a command; to mount: plainfs STORE MOUNTPOINT"),
    ("list pbmc.h5seurat", 1, "list: not a command; to list a store: plainfs ls STORE"),
    ("help nope", 1, "help: unknown command nope; for all commands: plainfs --help"),
    ("/", 2, "/: the whole machine; to show all of it, name a mountpoint: plainfs / MOUNTPOINT"),
    ("info cut.h5", 14, "cut.h5: not readable as HDF5: truncated file: it has 3000 of {} bytes; copy it again"),
    ("-o cache_size=64q pbmc.h5seurat m", 1, "cache_size=64q: not a number of bytes, such as 64m or 2g"),
    ("-o cache_size=9999999t pbmc.h5seurat m", 1, "cache_size=9999999t: not a number of bytes, such as 64m or 2g"),
    ("-o umask=999 pbmc.h5seurat m", 1, "umask=999: not an octal number from 0 to 777"),
    ("-o uid=no.such pbmc.h5seurat m", 1, "uid=no.such: neither a number nor a user"),
    ("-o views= pbmc.h5seurat m", 1, "option views requires a value"),
    ("-o log_file=/no/such/x pbmc.h5seurat m", 16, "log file /no/such/x: No such file or directory"),
    ("pbmc.h5seurat ''", 1, "an argument is empty"),
    ("'' m", 1, "the name of the store is empty"),
)


class Messages(Folder):
    def setUp(self):
        super().setUp()
        shutil.copy(os.path.join(SAMPLES, "pbmc.h5seurat"), self.folder)
        self.point = self.empty("m")
        self.addCleanup(run, "umount", "-l", self.point)

    def typed(self, line):
        return subprocess.run(
            ["sh", "-c", f'plainfs() {{ "{PROGRAM}" "$@"; }}; plainfs {line}'],
            cwd=self.folder,
            text=True,
            capture_output=True,
            timeout=60,
        )

    def test_each_mistake_has_its_message(self):
        with open(os.path.join(self.folder, "rnd"), "wb") as file:
            file.write(bytes(range(200)) * 9)
        with open(os.path.join(self.folder, "x.parquet"), "wb") as file:
            file.write(b"PAR1aaaaPAR1")
        with zipfile.ZipFile(os.path.join(self.folder, "h5.zip"), "w") as file:
            file.write(os.path.join(self.folder, "pbmc.h5seurat"), "pbmc.h5seurat")
        subprocess.run("gzip -c rnd > x.gz", shell=True, cwd=self.folder, check=True)
        whole = os.path.join(self.folder, "pbmc.h5seurat")
        with open(whole, "rb") as file, open(os.path.join(self.folder, "cut.h5"), "wb") as cut:
            cut.write(file.read(3000))
        before = sorted(os.listdir(self.folder))
        for line, code, words in MISTAKES:
            with self.subTest(line):
                result = self.typed(line)
                self.assertEqual(
                    (result.returncode, result.stdout, result.stderr),
                    (code, "", f"plainfs: {words.format(os.path.getsize(whole))}\n"),
                )
        self.assertFalse(mounted.is_mounted(self.point))
        self.assertEqual(sorted(os.listdir(self.folder)), before)

    def test_typed_commands_work(self):
        for line, words in (
            ("ls -lh pbmc.h5seurat", "meta.data.csv"),
            ("ls -a pbmc.h5seurat/meta.data", "stage"),
            ("cat pbmc.h5seurat/meta.data.csv", '"",nCount_RNA'),
            ("cat file://$PWD/pbmc.h5seurat cell.names.csv", "-1"),
            ("-V", "libhdf5"),
            ("-V", "libzstd"),
        ):
            result = self.typed(line)
            self.assertEqual((result.returncode, result.stderr), (0, ""), line)
            self.assertIn(words, result.stdout)
        for options in ("cache_size=64MB", "uid=nobody", "gid=root", "umask=022"):
            self.assertEqual(self.typed(f"-o {options} pbmc.h5seurat m").stderr, "", options)
            self.assertEqual(mounted.unmount(self.point).returncode, 0)

    def test_options_may_precede_a_command(self):
        for line in (
            "-o index=none ls pbmc.h5seurat",
            "--index none ls pbmc.h5seurat",
            "-oindex=none,views=csv ls pbmc.h5seurat",
            "-l ls pbmc.h5seurat",
        ):
            result = self.typed(line)
            self.assertEqual((result.returncode, result.stderr), (0, ""), line)
            self.assertIn("meta.data.csv", result.stdout)
        result = self.typed("-o index=none run pbmc.h5seurat -- ls {}")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertIn("meta.data.csv", result.stdout)

    def test_each_command_has_its_own_help(self):
        whole = self.typed("--help").stdout
        self.assertEqual(self.typed("help").stdout, whole)
        for name in ("ls", "cat", "export", "info", "check", "index", "reload", "run", "serve", "ps", "umount"):
            printed = self.typed(f"{name} --help")
            self.assertEqual((printed.returncode, printed.stderr), (0, ""))
            self.assertTrue(printed.stdout.startswith(f"usage: plainfs {name}"), printed.stdout)
            self.assertLess(len(printed.stdout.splitlines()), 25)
            self.assertEqual(self.typed(f"help {name}").stdout, printed.stdout)
            for line in printed.stdout.split("\n\n")[0].replace("usage: ", "       ").splitlines():
                self.assertIn(line, whole)
        for letter in "lRhapt":
            self.assertIn(f"\n  -{letter}  ", self.typed("ls --help").stdout)

    def test_info_shows_how_to_open_each_entry(self):
        printed = self.typed("info pbmc.h5seurat").stdout
        self.assertIn("after plainfs ", printed)
        self.assertIn('  R       readRDS("pbmc/seurat.rds")\n', printed)
        self.assertIn('  Python  anndata.read_h5ad("pbmc/assays/RNA.h5ad", backed="r")\n', printed)
        self.assertEqual(self.typed("pbmc.h5seurat m").returncode, 0)
        self.addCleanup(mounted.unmount, self.point)
        for line in ("info pbmc.h5seurat", "info m"):
            printed = self.typed(line).stdout
            lines = printed[printed.index("to open it") :].partition("\n\n")[0].splitlines()
            self.assertEqual(len(lines) > 2, True, printed)
            for shown in lines[1:]:
                path = shown.split('"')[1] if '"' in shown else shown.split()[-1]
                self.assertTrue(os.path.isfile(os.path.join(self.folder, path)), shown)
        self.assertIn(f"mounted    m, process {mounted.daemon_of('m')}\n", printed)
        self.assertIn("format     h5Seurat", printed)

    def test_info_has_a_page_for_each_store(self):
        shutil.copy(os.path.join(SAMPLES, "pbmc.h5ad"), self.folder)
        result = self.typed("info pbmc.h5seurat pbmc.h5ad")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertEqual(
            [line.split()[-1] for line in result.stdout.splitlines() if line.startswith("format")],
            ["h5Seurat", "AnnData"],
        )
        result = self.typed("info pbmc.h5seurat none pbmc.h5ad")
        self.assertEqual((result.returncode, result.stderr), (11, "plainfs: none: no such file or directory\n"))
        self.assertEqual(result.stdout.count("\nformat"), 2)

    def test_ls_omits_names_with_a_leading_dot(self):
        names, all_names = (
            self.typed("ls pbmc.h5seurat").stdout.split(),
            self.typed("ls -a pbmc.h5seurat").stdout.split(),
        )
        self.assertFalse([name for name in names if name.startswith(".")])
        for name in (".attrs.json", ".plainfs", "CACHEDIR.TAG", ".ignore"):
            self.assertIn(name, all_names)

    def test_file_with_the_name_of_a_store_but_other_content(self):
        self.empty("stores")
        for name, content in (("x.h5ad", b"no HDF5 at all"), ("cut.h5", None), ("notes.txt", b"text")):
            with open(os.path.join(self.folder, "stores", name), "wb") as file, open(
                os.path.join(self.folder, "pbmc.h5seurat"), "rb"
            ) as whole:
                file.write(whole.read(3000) if content is None else content)
        self.assertEqual(self.typed("stores m").returncode, 0)
        self.addCleanup(mounted.unmount, self.point)
        self.assertEqual(sorted(os.listdir(self.point)), ["cut.h5", "notes.txt", "x.h5ad"])
        with open(os.path.join(self.point, ".plainfs", "log"), encoding="utf-8") as file:
            self.assertIn(f"warning: {self.folder}/stores/x.h5ad: not an HDF5 file, in spite of its name", file.read())
        self.assertIn(b"not an HDF5 file", os.getxattr(os.path.join(self.point, "x.h5ad"), "user.plainfs.error"))
        self.assertIn(
            b"truncated file: it has 3000 of", os.getxattr(os.path.join(self.point, "cut.h5"), "user.plainfs.error")
        )
        with self.assertRaises(OSError):
            os.getxattr(os.path.join(self.point, "notes.txt"), "user.plainfs.error")

    def test_mount_option_rw_is_reported(self):
        result = self.typed("-o rw pbmc.h5seurat m")
        self.assertEqual((result.returncode, result.stderr), (0, "plainfs: rw: ignored, the mount is read-only\n"))
        self.assertEqual(mounted.unmount(self.point).returncode, 0)
        for options in ("ro", "rw,ro", "rw,dev,suid"):  # mount.fuse3 adds the last one itself
            result = self.typed(f"-o {options} pbmc.h5seurat m")
            self.assertEqual((result.returncode, result.stderr), (0, ""))
            self.assertEqual(mounted.unmount(self.point).returncode, 0)

    def test_log_file_records_events(self):
        log = os.path.join(self.folder, "log")
        self.assertEqual(self.typed(f"-o log_level=info,log_file=log pbmc.h5seurat {self.point}").returncode, 0)
        pid = mounted.daemon_of(self.point)  # not "m", which another test may mount as well
        self.assertEqual(mounted.unmount(self.point).returncode, 0)
        self.assertTrue(mounted.wait_until(lambda: not os.path.exists(f"/proc/{pid}")))
        what = f"{self.folder}/pbmc.h5seurat at {self.point}"
        with open(log, encoding="utf-8") as file:
            lines = [line.split(" ", 2)[2] for line in file.read().splitlines() if NO_SANDBOX not in line]
        self.assertEqual(lines, [f"info: mounted {what}, process {pid}", f"info: unmounted {what}"])

    def test_foreground_logs_its_work_on_request(self):
        daemon = subprocess.Popen(
            [PROGRAM, "-f", "-o", "log_level=info", "pbmc.h5seurat", "m"],
            cwd=self.folder,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.addCleanup(daemon.stderr.close)
        self.assertTrue(mounted.wait_until(lambda: mounted.is_mounted(self.point)))
        self.assertTrue(os.listdir(self.point))
        daemon.send_signal(signal.SIGTERM)
        self.assertEqual(daemon.wait(10), 0)
        what = f"{self.folder}/pbmc.h5seurat at {self.point}"
        printed = [line for line in daemon.stderr.read().splitlines() if NO_SANDBOX not in line]
        self.assertEqual(
            printed, [f"plainfs: info: mounted {what}, process {daemon.pid}", f"plainfs: info: unmounted {what}"]
        )

    def test_inode_usage_is_not_reported(self):
        self.assertEqual(self.typed("pbmc.h5seurat m").returncode, 0)
        self.assertEqual(run("df", "--output=itotal,ipcent", self.point).stdout.split()[-2:], [b"0", b"-"])
        self.assertEqual(mounted.unmount(self.point).returncode, 0)

    # If FUSE refuses.
    def refused(self, setup, start, code=4, options=""):
        """Returns the output of `START plainfs OPTIONS pbmc.h5seurat m`, after `setup` in a mount namespace. $1 is an
        empty folder."""
        for path in (self.folder, os.path.join(self.folder, "pbmc.h5seurat"), self.point):
            os.chmod(path, 0o777)
        program = self.copy_of(PROGRAM, "plainfs")
        result = mounted.in_own_namespace(
            f'{setup}\ncd "$2"; exec {start} "$3" {options} pbmc.h5seurat m', self.empty("e"), self.folder, program
        )
        if result is None:
            self.skipTest("no mount namespace may be made")
        if result.returncode == 99:
            self.skipTest("no device may be made")
        printed = result.stderr.decode().splitlines(keepends=True)
        self.assertEqual(result.returncode, code, printed)
        self.assertTrue(printed[-1].startswith("plainfs: "), printed)
        self.assertTrue(printed[-1].endswith(WITHOUT), printed)
        return printed[-1]

    # /dev/fuse for all users, which some systems lack.
    DEVICE = (
        'mknod "$1/fuse" c 10 229 && chmod 666 "$1/fuse" && mount --bind "$1/fuse" /dev/fuse && '
        '[ -r /dev/fuse ] || exit 99;'
    )
    NOBODY = "setpriv --reuid nobody --regid nogroup --clear-groups"

    def test_without_the_device(self):
        self.assertIn(
            "/dev/fuse is missing (in a container: --device /dev/fuse --cap-add SYS_ADMIN; otherwise: modprobe fuse); ",
            self.refused("mount -t tmpfs none /dev", "", 3),
        )

    @unittest.skipUnless(os.geteuid() == 0 and shutil.which("setpriv"), "this needs root and setpriv")
    def test_user_without_permission(self):
        closed = self.DEVICE.replace("666", "600")
        self.assertIn(
            "this user cannot use /dev/fuse "
            "(root can allow it: chmod 666 /dev/fuse; in a container: --device /dev/fuse); ",
            self.refused(closed, self.NOBODY, 3),
        )

    @unittest.skipUnless(os.geteuid() == 0 and shutil.which("setpriv"), "this needs root and setpriv")
    def test_user_with_allow_other(self):
        no_output = self.DEVICE + 'touch "$1/fuse.conf" /etc/fuse.conf; mount --bind "$1/fuse.conf" /etc/fuse.conf;'
        self.assertIn(
            "-o allow_other is only for root, unless /etc/fuse.conf has the line user_allow_other; ",
            self.refused(no_output, self.NOBODY, options="-o allow_other"),
        )

    @needs("setpriv")
    def test_without_the_capability(self):
        printed = self.refused("", "setpriv --bounding-set -sys_admin --inh-caps -sys_admin")
        self.assertIn(f"cannot mount: the capability SYS_ADMIN is missing; {CONTAINER}; ", printed)

    @unittest.skipUnless(os.geteuid() == 0 and shutil.which("setpriv"), "this needs root and setpriv")
    def test_a_user_without_new_privileges(self):
        self.assertIn("has no_new_privs", self.refused(self.DEVICE, self.NOBODY + " --no-new-privs"))

    @unittest.skipUnless(os.geteuid() == 0 and shutil.which("setpriv"), "this needs root and setpriv")
    def test_a_user_without_the_helper(self):
        helper = os.path.realpath(shutil.which("fusermount3"))
        hidden = f'touch "$1/none"; mount --bind "$1/none" {helper};'
        self.assertIn(
            "fusermount3 is not installed; it is in the package fuse3; ",
            self.refused(self.DEVICE + hidden, self.NOBODY),
        )

    @unittest.skipUnless(os.geteuid() == 0 and shutil.which("setpriv"), "this needs root and setpriv")
    def test_user_with_a_helper_without_setuid(self):
        helper = os.path.realpath(shutil.which("fusermount3"))
        self.assertTrue(os.stat(helper).st_mode & stat.S_ISUID)
        plain = f'cp {helper} "$1/helper"; chmod 755 "$1/helper"; mount --bind "$1/helper" {helper};'
        self.assertIn(
            "fusermount3 does not run as root; the package fuse3 installs it setuid root; ",
            self.refused(self.DEVICE + plain, self.NOBODY),
        )


if __name__ == "__main__":
    mounted.main()
