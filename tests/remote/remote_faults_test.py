"""Faults of servers: the right bytes nevertheless, or an error with the reason. Nothing hangs."""
import base64
import json
import os
import socket
import subprocess
import threading
import time
import unittest

import h5py
import numpy

from remote import HAS_FUSE, PATIENCE, PROGRAM, RemoteTest, environment, run, unmount
from store_server import Fault, StoreServer

VALUES = numpy.arange(1_200_000, dtype="<i8")  # more than is fetched by one request


class EndlessServer:
    """Answers every request with a beginning, followed by a piece again and again until the client leaves."""

    def __init__(self, beginning, piece, pause):
        self.beginning, self.piece, self.pause = beginning, piece, pause
        self.max_sent = 0  # bytes of one answer
        self.listening = socket.create_server(("127.0.0.1", 0))
        self.url = "http://127.0.0.1:%d" % self.listening.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                client, _ = self.listening.accept()
            except OSError:
                return
            threading.Thread(target=self.answer, args=(client,), daemon=True).start()

    def answer(self, client):
        sent = 0
        with client:
            try:
                client.recv(65536)
                client.sendall(self.beginning)
                while True:
                    client.sendall(self.piece)
                    sent += len(self.piece)
                    self.max_sent = max(self.max_sent, sent)
                    time.sleep(self.pause)
            except OSError:
                pass

    def end(self):
        self.listening.close()


class Faults(RemoteTest):
    def setUp(self):
        super().setUp()
        os.mkdir(self.path("served"))
        with h5py.File(self.path("served", "x.h5"), "w") as file:
            file["values"] = VALUES
            file["more/names"] = ["a", "b"]
        self.server = self.served(StoreServer(self.path("served")))
        self.url = self.server.url + "/x.h5"

    def cat(self, *options, name="values.npy", url=None, **more):
        return run("cat", *options, url or self.url, name, **more)

    def check_right(self, done):
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        self.assertTrue(done.stdout.endswith(VALUES.tobytes()))

    def check_error(self, done, *words):
        self.assertNotIn(done.returncode, (0, 1))
        for word in words:
            self.assertIn(word, done.stderr.decode())
        self.assertFalse(done.stdout and VALUES.tobytes() in done.stdout)

    def test_transient_faults_are_hidden(self):
        for fault in (
            Fault("status", 3, status=503, code="SlowDown"),
            Fault("status", 2, status=500),
            Fault("hang up", 3),
            Fault("cut", 4),
            Fault("status", 1, status=429, retry_after=1),
            Fault("cut", 3, after=3, bytes=0),
        ):
            with self.subTest(fault.kind):
                self.server.faults[:] = [fault]
                self.check_right(self.cat())
                self.assertEqual(fault.times, 0)

    def test_truncated_range_is_resumed(self):
        cut = Fault("cut", 1, after=1, bytes=10_000)
        self.server.faults.append(cut)
        self.check_right(self.cat())
        first, last = cut.asked.removeprefix("bytes=").split("-")
        self.assertIn(f"bytes={int(first) + 10_000}-{last}", [request[1] for request in self.server.requests])

    def test_retry_after_is_honoured(self):
        self.server.faults.append(Fault("status", 1, status=503, retry_after=2))
        began = time.monotonic()
        self.check_right(self.cat())
        self.assertGreater(time.monotonic() - began, 2)

    def test_lasting_fault_is_an_error(self):
        self.server.faults.append(Fault("status", 1000, status=503, code="SlowDown"))
        done = self.cat(env=environment(AWS_MAX_ATTEMPTS="3"))
        self.check_error(done, "503 SlowDown")
        self.assertEqual(len(self.server.requests), 3)

    def test_refused_connection_is_an_error(self):
        done = self.cat(url="http://127.0.0.1:9/x.h5", env=environment(AWS_MAX_ATTEMPTS="2"))
        self.check_error(done, "onnect")

    def test_another_version_is_never_mixed_in(self):
        self.server.faults.append(Fault("other version", 1000, after=1))
        self.check_error(self.cat(), "has changed since it was mounted")

    def test_store_changed_during_a_read(self):
        def change(fault=Fault("slow", 1, after=1, seconds=0)):
            if fault.takes("x"):
                self.server.change("/x.h5")

        answered = self.server.fault_for
        self.server.fault_for = lambda path: change() or answered(path)
        self.check_error(self.cat(), "has changed since it was mounted")
        self.assertIn(412, [request[2] for request in self.server.requests])

    def test_a_server_without_ranges_is_refused(self):
        self.server.faults.append(Fault("no ranges", 1000))
        self.check_error(self.cat(), "does not support byte ranges")

    def test_server_loses_range_support(self):
        self.server.faults.append(Fault("no ranges", 1000, after=2))
        self.check_error(self.cat(), "does not support byte ranges")

    def test_server_without_versions_is_refused(self):
        self.server.faults.append(Fault("no version", 1000))
        done = self.cat()
        self.check_error(done, "/x.h5: the server sends neither ETag nor Last-Modified")
        self.assertNotIn(b"x.h5/", done.stderr)

    def test_wrong_range_is_an_error(self):
        self.server.faults.append(Fault("wrong range", 1000))
        self.check_error(self.cat(), "the server sends")

    def test_an_encoded_body_is_refused(self):
        self.server.faults.append(Fault("encoded", 1000))
        self.check_error(self.cat(), "Content-Encoding: gzip")

    def test_folder_of_refused_objects_is_not_absent(self):
        """Tests that a store is absent only if the server reports so for each object."""
        url = self.server.url + "/a.zarr"
        for fault, words in (
            (Fault("status", 1000, path="a.zarr/", status=503), "503"),
            (Fault("status", 1000, path="a.zarr/", status=429), "429"),
            (Fault("status", 1000, path="a.zarr/.z", status=503), "503"),
            (Fault("hang up", 1000, path="a.zarr/"), ""),
        ):
            with self.subTest(fault.kind):
                self.server.faults[:] = [fault]
                done = run("ls", "-o", "remote_timeout=2", url, env=environment(AWS_MAX_ATTEMPTS="2"))
                self.assertEqual(done.returncode, 12, done.stderr)
                self.check_error(done, words)
                self.assertNotIn(b"no such file", done.stderr)
        self.server.faults[:] = []
        self.assertEqual(run("ls", url).returncode, 11)

    def test_endless_header_fields_are_refused(self):
        """The head, trailers, one long line, and trailers that drip."""
        field = b"X-A: " + b"b" * 1000 + b"\r\n"
        head = b"HTTP/1.1 206 Partial Content\r\n"
        chunked = b'Content-Range: bytes 0-262143/10000000\r\nETag: "a"\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n'
        redirect = b"HTTP/1.1 302 Found\r\nLocation: /"
        for name, beginning, piece, pause, words in (
            ("head", head, field, 0, "have more than"),
            ("trailers", head + chunked, field, 0, "the header fields of the reply have more than 262144 bytes"),
            ("dripping trailers", head + chunked, field * 2, 0.5, "Operation too slow"),
            ("location", redirect, b"a" * 1000, 0, "a header field of the reply has more than 100 KiB"),
        ):
            with self.subTest(name):
                server = EndlessServer(beginning, piece, pause)
                self.addCleanup(server.end)
                done = run("ls", "-o", "remote_timeout=2", server.url + "/s.h5")
                self.check_error(done, words)
                self.assertEqual(done.returncode, 12)
                self.assertLess(server.max_sent, 32 << 20)

    def test_silent_server_times_out(self):
        """Sends half of each range and then nothing. Without remote_timeout the client waits for a minute."""
        self.server.faults[:] = [Fault("stall", 1000, seconds=40)]
        began = time.monotonic()
        self.check_error(self.cat("-o", "remote_timeout=4"), "Operation too slow")
        self.assertLess(time.monotonic() - began, 40 * PATIENCE)

    def test_absent_store(self):
        done = run("ls", self.server.url + "/none.h5")
        self.assertEqual(done.returncode, 11)
        self.assertIn("/none.h5: no such file", done.stderr.decode().lower())

    def test_a_slow_reply_is_waited_for(self):
        self.server.faults.append(Fault("slow", 3, seconds=0.5))
        self.check_right(self.cat())

    def test_a_redirect_is_followed_once_and_remembered(self):
        signed = "/signed"
        self.server.redirects["/download"] = lambda: f"{self.server.url}/x.h5?{signed}"
        self.check_right(self.cat(url=self.server.url + "/download"))
        self.assertEqual([request[2] for request in self.server.requests].count(302), 1)

    def test_expired_redirect_is_requested_again(self):
        self.server.redirects["/download"] = lambda: f"{self.server.url}/x.h5?signed"
        self.server.faults.append(Fault("status", 1, path="signed", after=2, status=403, code="AccessDenied"))
        self.check_right(self.cat(url=self.server.url + "/download"))
        self.assertIn([request[2] for request in self.server.requests].count(302), range(2, 8))

    def test_redirect_loop_ends(self):
        self.server.redirects["/download"] = self.server.url + "/download"
        self.check_error(self.cat(url=self.server.url + "/download"), "302")

    def test_netrc_passwords_go_only_to_the_hosts_that_it_names(self):
        expected = "Basic " + base64.b64encode(b"ann:hidden").decode()
        other_port = self.served(StoreServer(self.path("served")))
        other_host = self.served(StoreServer(self.path("served"), host="127.0.0.2"))
        for entries in ("default", "machine 127.0.0.1 login ann password hidden machine 127.0.0.2"):
            with open(
                self.path(".netrc"), "w", encoding="utf-8", opener=lambda path, flags: os.open(path, flags, 0o600)
            ) as file:
                file.write(entries + " login ann password hidden\n")
            for target in (other_port, other_host, self.server):
                with self.subTest(entries=entries, target=target.url):
                    self.server.authorizations.clear()
                    target.authorizations.clear()
                    self.server.redirects["/download"] = target.url + "/x.h5"
                    self.check_right(self.cat(url=self.server.url + "/download", env=environment(HOME=self.folder)))
                    self.assertEqual(set(self.server.authorizations), {expected})
                    is_named = target is self.server or (target is other_host and "127.0.0.2" in entries)
                    self.assertEqual(set(target.authorizations), {expected if is_named else None})

    def test_public_server_cannot_redirect_to_a_private_network(self):
        """The proxy represents the internet: everything beyond it is public."""
        inner = self.served(StoreServer(self.path("served")))
        beyond = environment(http_proxy=self.server.url, NO_PROXY=socket.gethostname())
        self.check_right(self.cat(url="http://store.example/x.h5", env=beyond))
        targets = [
            inner.url,
            inner.url.replace("127.0.0.1", "localhost"),
            inner.url.replace("127.0.0.1", "[::ffff:127.0.0.1]"),
        ]
        own = self.own_address()
        if own:  # only a resolver can recognise this name as one of a private network
            targets.append(f"http://{socket.gethostname()}:9")
        for target in targets:
            with self.subTest(target):
                self.server.requests.clear()
                self.server.redirects["/download"] = target + "/x.h5"
                done = self.cat(url="http://store.example/download", env=beyond)
                host = target.removeprefix("http://").rpartition(":")[0]
                address = own if host == socket.gethostname() else host
                self.check_error(
                    done,
                    f"/download: a redirect to {host} is not followed: "
                    f"{address} is on this machine or in a private network",
                )
                self.assertEqual([request[2] for request in self.server.requests], [302])
        self.assertEqual(inner.requests, [])
        self.server.redirects["/download"] = "http://other.example/x.h5"
        self.check_right(self.cat(url="http://store.example/download", env=beyond))

    @staticmethod
    def own_address():
        """Returns the address of this machine's name, if it has a single private one, otherwise None."""
        try:
            addresses = {info[4][0] for info in socket.getaddrinfo(socket.gethostname(), 9, type=socket.SOCK_STREAM)}
        except OSError:
            return None
        address = addresses.pop() if len(addresses) == 1 else ""
        return address if address.startswith(("127.", "10.", "192.168.", "172.16.", "172.17.", "172.18.")) else None

    def test_query_is_sent_with_every_request_and_never_shown(self):
        self.check_right(self.cat(url=self.url + "?sig=hidden"))
        self.assertTrue(all(request[0].endswith("?sig=hidden") for request in self.server.requests))
        self.assertNotIn(b"hidden", run("info", "--json", self.url + "?sig=hidden").stdout)
        self.server.faults.append(Fault("status", 1000, status=403))
        done = self.cat(url=self.url + "?sig=hidden")
        self.check_error(done, "403")
        self.assertNotIn(b"hidden", done.stderr)

    def test_an_interrupted_program_ends_at_once(self):
        self.server.faults.append(Fault("stall", 1000, after=1, seconds=20))
        program = subprocess.Popen(
            [PROGRAM, "cat", self.url, "values.npy"], stdout=subprocess.DEVNULL, env=environment()
        )
        time.sleep(1)
        program.terminate()
        self.assertNotEqual(program.wait(5 * PATIENCE), 0)


@unittest.skipUnless(HAS_FUSE, "no FUSE")
class Mounted(RemoteTest):
    def setUp(self):
        super().setUp()
        os.mkdir(self.path("served"))
        os.mkdir(self.path("mount"))
        with h5py.File(self.path("served", "x.h5"), "w") as file:
            file["values"] = VALUES
            file["more/names"] = ["a", "b"]
        self.server = self.served(StoreServer(self.path("served")))

    def mount(self, *options):
        done = run(*options, self.server.url + "/x.h5", self.path("mount"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.addCleanup(unmount, self.path("mount"))

    def test_mount_shows_the_store_and_its_identity(self):
        self.mount()
        with open(self.path("mount", "values.npy"), "rb") as file:
            self.assertTrue(file.read().endswith(VALUES.tobytes()))
        with open("/proc/self/mounts", encoding="utf-8") as mounts:
            self.assertIn(f"{self.server.url}/x.h5 {self.path('mount')} fuse.plainfs ro", mounts.read())
        with open(self.path("mount", ".plainfs", "stats.json"), encoding="utf-8") as file:
            self.assertIn('"remote_requests"', file.read())
        self.assertEqual(
            int(os.stat(self.path("mount", "values.npy")).st_mtime), int(os.stat(self.path("served", "x.h5")).st_mtime)
        )

    def test_changed_store_is_an_error_until_a_reload(self):
        self.mount()
        with open(self.path("mount", "more", "names.csv"), encoding="utf-8") as file:
            self.assertEqual(file.read(), "a\nb\n")
        time.sleep(0.01)
        with h5py.File(self.path("served", "x.h5"), "r+") as file:
            file["values"][...] = VALUES + 1
        with self.assertRaises(OSError):
            with open(self.path("mount", "values.npy"), "rb") as file:
                file.read()
        self.assertEqual(run("reload", self.path("mount")).returncode, 0)
        with open(self.path("mount", "values.npy"), "rb") as file:
            self.assertTrue(file.read().endswith((VALUES + 1).tobytes()))

    def test_lost_server_is_reported_at_once(self):
        self.mount()
        self.server.faults.append(Fault("hang up", 100000))  # open connections
        self.server.__exit__()

        def log():
            with open(self.path("mount", ".plainfs", "log"), encoding="utf-8") as file:
                return file.read()

        began = time.monotonic()
        reader = subprocess.Popen(
            ["cat", self.path("mount", "values.npy")], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        while "trying again (2 of 10)" not in log() and reader.poll() is None:
            self.assertLess(time.monotonic() - began, 10 * PATIENCE)
            time.sleep(0.05)
        self.addCleanup(reader.kill)
        state = next(
            row["state"]
            for row in json.loads(run("ps", "--json").stdout)
            if row["mountpoint"] == os.path.realpath(self.path("mount"))
        )
        self.assertEqual(state, "waiting")
        self.assertEqual(reader.wait(60 * PATIENCE), 1)
        self.assertLess(time.monotonic() - began, 30 * PATIENCE)
        lines = log().splitlines()
        self.assertEqual(len([line for line in lines if "trying again" in line]), 1, lines)
        output = [line for line in lines if "error: /values.npy: " in line]
        self.assertIn(len(output), (1, 2), lines)  # of the two chunks; the kernel may request both
        self.assertEqual(len({line.split("error: ")[1] for line in output}), len(output), lines)
        self.assertEqual(output[0].count("values.npy"), 1)
        began = time.monotonic()
        self.assertEqual(
            subprocess.run(["cat", self.path("mount", "values.npy")], capture_output=True, check=False).returncode, 1
        )
        self.assertLess(time.monotonic() - began, 5 * PATIENCE)

    def test_patience_with_a_silent_server_is_an_option(self):
        self.mount("-o", "remote_timeout=1")
        self.server.faults.append(Fault("status", 100000, status=503))
        began = time.monotonic()
        self.assertEqual(
            subprocess.run(["cat", self.path("mount", "values.npy")], capture_output=True, check=False).returncode, 1
        )
        self.assertLess(time.monotonic() - began, 15 * PATIENCE)

    def test_killed_remote_reader_ends_at_once(self):
        self.mount()
        self.server.faults.append(Fault("stall", 1000, seconds=20))
        reader = subprocess.Popen(["cat", self.path("mount", "values.npy")], stdout=subprocess.DEVNULL)
        time.sleep(0.5)
        reader.kill()
        reader.wait(5 * PATIENCE)


if __name__ == "__main__":
    unittest.main()
