"""`plainfs serve`: the bytes match `plainfs cat` and the expected files, for any kind of request."""
import base64
import email
import hashlib
import html.parser
import http.client
import json
import os
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.parse

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from cases import GOOD, cases
from server import DATA, PROGRAM, Server, cat, listed
from optional import has_program, missing_programs, skip_rest

SEURAT = os.path.join(DATA, "h5seurat", "spec_minimal", "store.h5seurat")
SAMPLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data", "samples", "pbmc.h5seurat")
MATRIX = os.path.join(DATA, "bpcells", "mat_packed_uint_col", "store")


def write_array(path, chunks, length=100_000):
    """Writes a Zarr v2 array of int32 in uncompressed chunks of `length` values."""
    os.makedirs(path)
    with open(os.path.join(path, ".zarray"), "w") as file:
        json.dump(
            {
                "zarr_format": 2,
                "shape": [chunks * length],
                "chunks": [length],
                "dtype": "<i4",
                "compressor": None,
                "fill_value": 0,
                "order": "C",
                "filters": None,
            },
            file,
        )
    for i in range(chunks):
        with open(os.path.join(path, str(i)), "wb") as file:
            file.write(struct.pack(f"<{length}i", *range(i * length, (i + 1) * length)))


def is_link(store, path):
    listing = subprocess.run(
        [PROGRAM, "ls", "-l", store, os.path.dirname(path) or "/"], capture_output=True, timeout=120
    ).stdout.decode()
    return any(line.startswith("l") and f" {os.path.basename(path)} -> " in line for line in listing.splitlines())


class Links(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.found = []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.found += [value for name, value in attributes if tag == "a" and name == "href"]


class Folder(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="plainfs-test-")
        self.addCleanup(temporary.cleanup)
        self.folder = os.path.realpath(temporary.name)

    def zarr(self, chunks=4):
        store = os.path.join(self.folder, "store.zarr")
        os.mkdir(store)
        with open(os.path.join(store, ".zgroup"), "w") as file:
            file.write('{"zarr_format":2}')
        write_array(os.path.join(store, "a"), chunks)
        return store


class Bytes(Folder):
    def ask(self, server, path):
        """Returns the bytes, or None after an error."""
        try:
            answer = server.ask(path)
        except (http.client.IncompleteRead, ConnectionResetError):
            return None
        if answer.status >= 400:
            self.assertIn(answer.status, (500, 501), path)
            return None
        return answer.body

    def crawl(self, server, path=""):
        """Returns every file below `path`, found by following links like a program."""
        found = {}
        for link in Links((self.ask(server, path) or b"").decode()).found:
            if link.endswith("/"):
                found.update(self.crawl(server, path + link))
            else:
                found[urllib.parse.unquote(path + link)] = self.ask(server, path + link)
        return found

    def test_files_of_a_store_match_the_commands(self):
        """Tests one case of each suite: exactly the files that its lists lead to, with the bytes of `plainfs cat`."""
        seen, files = set(), 0
        for case, store in cases(DATA, GOOD):
            suite = os.path.relpath(case, DATA).split(os.sep)[0]
            if suite in seen or not os.path.isdir(os.path.join(case, "expected")):
                continue
            seen.add(suite)
            with self.subTest(case), Server(store) as server:
                found = self.crawl(server)
                self.assertGreater(len(found), 1)
                for path, body in found.items():
                    result = subprocess.run([PROGRAM, "cat", store, path], capture_output=True, timeout=120)
                    self.assertEqual(body, result.stdout if result.returncode == 0 else None, path)
                links = {path for path in listed(store) if path not in found}
                self.assertEqual({path for path in links if not is_link(store, path)}, set())
                files += len(found)
        self.assertGreaterEqual(len(seen), 8)
        self.assertGreater(files, 100)

    def test_ranges_give_the_requested_bytes(self):
        whole = cat(MATRIX, "matrix.mtx")
        with Server(MATRIX) as server:
            for first, last in (
                (0, 0),
                (0, 99),
                (7, 1000),
                (len(whole) - 10, len(whole) + 10),
                (100, None),
                (None, 17),
            ):
                text = f"bytes={'' if first is None else first}-{'' if last is None else last}"
                wanted = whole[first : None if last is None else last + 1] if first is not None else whole[-last:]
                answer = server.ask("matrix.mtx", Range=text)
                self.assertEqual((answer.status, answer.body), (206, wanted), text)
                place = re.fullmatch(r"bytes (\d+)-(\d+)/(\d+)", answer["Content-Range"])
                self.assertEqual(whole[int(place[1]) : int(place[2]) + 1], wanted)
                self.assertEqual(int(place[3]), len(whole))
            self.assertEqual(server.ask("matrix.mtx", Range=f"bytes={len(whole)}-").status, 416)

    def test_several_ranges_are_a_message_of_parts(self):
        whole = cat(MATRIX, "matrix.mtx")
        with Server(MATRIX) as server:
            answer = server.ask("matrix.mtx", Range="bytes=0-9,50-69,-5")
            message = email.message_from_bytes(
                b"Content-Type: " + answer["Content-Type"].encode() + b"\r\n\r\n" + answer.body
            )
            parts = [(part["Content-Range"], part.get_payload(decode=True)) for part in message.get_payload()]
            size = len(whole)
            self.assertEqual(
                parts,
                [
                    (f"bytes 0-9/{size}", whole[:10]),
                    (f"bytes 50-69/{size}", whole[50:70]),
                    (f"bytes {size - 5}-{size - 1}/{size}", whole[-5:]),
                ],
            )
            many = "bytes=" + ",".join(f"{i}-{i}" for i in range(0, 34, 2))
            self.assertEqual(server.ask("matrix.mtx", Range=many).body, whole)

    def test_large_text_is_saved_and_not_opened_in_a_tab(self):
        mirror = os.path.join(self.folder, "mirror")
        shutil.copytree(MATRIX, os.path.join(mirror, "store"))
        for name, size in (("small.txt", 1000), ("large.txt", 1_500_000), ("large.csv", 1_500_000)):
            with open(os.path.join(mirror, name), "w") as file:
                file.write("x" * size)
        with Server(mirror) as server:
            for name, disposition in (("small.txt", None), ("large.txt", "attachment"), ("large.csv", None)):
                self.assertEqual(server.ask(name)["Content-Disposition"], disposition, name)
                self.assertEqual(
                    server.ask(name, **{"Accept-Encoding": "gzip"})["Content-Disposition"], disposition, name
                )

    def test_large_text_begins_before_its_size_is_known(self):
        store = self.zarr()
        whole = cat(store, "a.csv")
        with Server(store) as server:
            answer = server.ask("a.csv")
            self.assertEqual(answer["Transfer-Encoding"], "chunked")
            self.assertEqual(answer.body, whole)
            self.assertEqual(server.ask("a.csv", "HEAD")["Content-Length"], str(len(whole)))
            self.assertEqual(server.ask("a.npy").body, cat(store, "a.npy"))
            again = server.ask("a.csv", Range="bytes=100-", If_Range=answer["ETag"])
            self.assertEqual((again.status, again.body), (206, whole[100:]))
            self.assertEqual(server.ask("a.csv", If_None_Match=answer["ETag"]).status, 304)

    def test_tags_of_joined_stores_end_when_any_of_them_changes(self):
        stores = []
        for name in ("one", "two"):
            os.mkdir(os.path.join(self.folder, name))
            stores.append(shutil.copy(SAMPLE, os.path.join(self.folder, name)))
        tags = []
        for _ in range(2):
            with Server("--join", "outer", *stores) as server:
                tags.append(server.ask("obs.csv")["ETag"])
        self.assertEqual(tags[0], tags[1])
        os.utime(stores[1])
        with Server("--join", "outer", *stores) as server:
            self.assertEqual(server.ask("obs.csv", If_None_Match=tags[0]).status, 200)

    def test_tags_of_an_unchanged_store_outlive_the_server(self):
        store = shutil.copy(SEURAT, self.folder)
        with Server(store) as server:
            tag, other = server.ask("meta.data.csv")["ETag"], server.ask("cell.names.csv")["ETag"]
            self.assertNotEqual(tag, other)
        with Server(store) as server:
            self.assertEqual(server.ask("meta.data.csv", If_None_Match=tag).status, 304)
            self.assertEqual(server.ask("cell.names.csv")["ETag"], other)
        with Server("-o", "header", store) as server:  # perhaps other bytes
            self.assertNotEqual(server.ask("cell.names.csv")["ETag"], other)
        os.utime(store)
        with Server(store) as server:
            self.assertEqual(server.ask("meta.data.csv", If_None_Match=tag).status, 200)

    def test_type_of_a_file_is_that_of_its_view(self):
        with Server(os.path.join(DATA, "vcf-zarr", "far", "store.zarr")) as server:
            for name, kind in (
                ("plink.bed", "application/octet-stream"),  # .bed of ranges is text
                ("samples.tsv", "text/tab-separated-values; charset=utf-8"),
                ("variants.vcf.gz", "application/gzip"),
            ):
                self.assertEqual(server.ask(name, method="HEAD")["Content-Type"], kind)
                listed = server.ask(name, method="PROPFIND", Depth="0").body.decode()
                self.assertIn(f"<D:getcontenttype>{kind}<", listed)

    def test_several_stores(self):
        with Server(SEURAT, MATRIX) as server:
            self.assertEqual(server.ask("store/matrix.mtx").body, cat(MATRIX, "matrix.mtx"))
            self.assertEqual(server.ask("store.h5seurat/meta.data.csv").body, cat(SEURAT, "meta.data.csv"))
            names = [entry["name"] for entry in json.loads(server.ask("", Accept="application/json").body)["entries"]]
            self.assertEqual(names, ["store", "store.h5seurat"])

    def test_page_shows_the_store_and_hides_own_files(self):
        with Server(SEURAT) as server:
            page = server.ask("", Accept="text/html").body.decode()
            self.assertIn("<h2>Contents</h2>", page)
            for own in ("CACHEDIR.TAG", ".ignore"):
                self.assertNotIn(own, page)
                self.assertEqual(server.ask(own).status, 200)

    def test_options_match_those_of_a_mount(self):
        store = self.zarr(1)
        with Server("-o", "header,views=csv", "--subdir=/", store) as server:
            self.assertTrue(server.ask("a.csv").body.startswith(b"value\n0\n"))
            self.assertEqual(server.ask("a.npy").status, 404)


class Errors(Folder):
    def damaged(self):
        store = self.zarr()
        with open(os.path.join(store, "a", "3"), "r+b") as file:
            file.truncate(1000)
        return store

    def whole_answer(self, server, path):
        """Returns everything received, and whether the connection broke."""
        with server.connect() as connection:
            connection.sendall(server.request(path))
            text = b""
            try:
                while piece := connection.recv(1 << 20):
                    text += piece
            except ConnectionResetError:
                return text, True
            return text, False

    def test_failure_after_the_header_breaks_the_connection(self):
        with Server(self.damaged()) as server:
            for path in ("a.npy", "a.csv"):
                text, is_broken = self.whole_answer(server, path)
                self.assertTrue(text.startswith(b"HTTP/1.1 200 OK"), path)
                self.assertTrue(is_broken, path)
                self.assertGreater(len(text), 10_000)
            answer = server.ask("a.csv", "HEAD")
            self.assertEqual(answer.status, 500)
            self.assertEqual(server.ask("a.npy", Range="bytes=1000-1999").status, 206)
            for client in (["curl", "-sS"], ["wget", "-q", "-t", "1", "-O", "-"]):
                for path in ("a.npy", "a.csv") if has_program(client[0]) else ():
                    result = subprocess.run([*client, server.url + path], capture_output=True, timeout=60)
                    self.assertNotEqual(result.returncode, 0, (client, path))
            output = server.end()
        self.assertIn("plainfs", output)
        self.assertIn("/a.npy", output)
        skip_rest(self, missing_programs("curl", "wget"))

    def test_replies_name_no_local_folder(self):
        with Server(self.damaged()) as server:
            answer = server.ask("a.csv", Range="bytes=0-1")
            self.assertEqual(answer.status, 500)
            self.assertNotIn(self.folder.encode(), answer.body)
            self.assertIn(b"1000 bytes", answer.body)
            for path in ("", "?json", "?page", ".plainfs/info.json", "none"):
                self.assertNotIn(self.folder.encode(), server.ask(path).body)

    def test_changed_store_is_an_error_until_reopened(self):
        store = shutil.copy(SEURAT, self.folder)
        with Server("-o", "log_level=info", store) as server:
            tag = server.ask("meta.data.csv")["ETag"]
            os.utime(store, (1, 1))
            answer = server.ask("meta.data.csv", If_None_Match=tag)
            self.assertEqual(answer.status, 500)
            self.assertIn(b"has changed", answer.body)
            server.process.send_signal(signal.SIGUSR1)
            end = time.monotonic() + 60
            while (answer := server.ask("meta.data.csv", If_None_Match=tag)).status == 500 and time.monotonic() < end:
                time.sleep(0.02)
            self.assertEqual((answer.status, answer.body), (200, cat(SEURAT, "meta.data.csv")))
            self.assertNotEqual(answer["ETag"], tag)
        with Server("-o", "on_change=reopen", store) as server:
            tag = server.ask("meta.data.csv")["ETag"]
            os.utime(store, (2, 2))
            answer = server.ask("meta.data.csv", Range="bytes=0-3", If_Range=tag)
            self.assertEqual((answer.status, answer.body), (200, cat(SEURAT, "meta.data.csv")))

    def test_wrong_use(self):
        for arguments, words in (
            ((), "expected a store"),
            (("--listen", "x", SEURAT), "--listen x"),
            (("--cors", "viewer", SEURAT), "--cors viewer"),
            (("-o", "allow_other", SEURAT), "allow_other"),
            ((SEURAT + ".none",), "store.h5seurat.none"),
            (("--nonsense", SEURAT), "nonsense"),
        ):
            result = subprocess.run([PROGRAM, "serve", *arguments], capture_output=True, timeout=60)
            self.assertNotEqual(result.returncode, 0)
            self.assertIn(words, result.stderr.decode())
            self.assertEqual(result.stdout, b"")


class Clients(Folder):
    def test_hundreds_of_cut_connections_leave_nothing_open(self):
        store = self.zarr()
        with Server(store) as server:
            server.ask("a.csv")
            open_files = len(os.listdir(f"/proc/{server.process.pid}/fd"))
            for i in range(300):
                with server.connect() as connection:
                    connection.sendall(
                        server.request("a.npy" if i % 2 else "a.csv")[: (i * 7) % 200 + 1 if i % 3 else None]
                    )
                    if i % 3 == 0:
                        connection.recv(1000)
            end = time.monotonic() + 60
            while len(os.listdir(f"/proc/{server.process.pid}/fd")) > open_files + 2 and time.monotonic() < end:
                time.sleep(0.05)
            self.assertLessEqual(len(os.listdir(f"/proc/{server.process.pid}/fd")), open_files + 2)
            self.assertEqual(server.ask("a.csv").body, cat(store, "a.csv"))

    def test_small_request_is_served_beside_stuck_clients(self):
        store = self.zarr(20)
        with Server(store) as server:
            stuck = [self.enterContext(server.connect()) for _ in range(48)]  # of 64; answered ones may stay
            for connection in stuck:
                connection.sendall(server.request("a.npy"))
            times = []
            for _ in range(20):
                begin = time.monotonic()
                self.assertEqual(server.ask(".attrs.json").status in (200, 404), True)
                times.append(time.monotonic() - begin)
            self.assertLess(sorted(times)[len(times) // 2], 2)

    def test_server_ends_at_once_during_requests(self):
        store = self.zarr(20)
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            with Server(store) as server:
                stuck = [self.enterContext(server.connect()) for _ in range(5)]
                for connection in stuck:
                    connection.sendall(server.request("a.npy"))
                self.assertEqual(server.ask("a.npy", Range="bytes=0-5").body, cat(store, "a.npy")[:6])
                server.process.send_signal(number)
                self.assertEqual(server.process.wait(timeout=20), 0)

    def test_idle_server_ends_on_request(self):
        with Server("-o", "timeout=1", SEURAT) as server:
            self.assertEqual(server.ask("").status, 200)
            self.assertEqual(server.process.wait(timeout=60), 0)


class Safety(Folder):
    def test_the_address_is_this_machine_and_a_token(self):
        with Server(SEURAT) as one, Server(SEURAT) as other:
            self.assertRegex(one.url, r"^http://127\.0\.0\.1:\d+/[0-9a-f]{32}/$")
            self.assertNotEqual(one.path, other.path)
            with open(f"/proc/{one.process.pid}/net/tcp", encoding="ascii") as file:
                listening = [line.split()[1] for line in file if line.split()[3] == "0A"]
            self.assertIn(f"0100007F:{one.port:04X}", listening)
            self.assertNotIn(f"00000000:{one.port:04X}", listening)
            one.path = other.path
            self.assertEqual(one.ask("meta.data.csv").status, 404)

    def test_foreign_host_names_are_refused(self):
        with Server("--host", "data.example", SEURAT) as server:
            for host, status in (
                ("evil.example", 421),
                ("data.example", 200),
                (f"127.0.0.1:{server.port}", 200),
                ("localhost", 200),
            ):
                self.assertEqual(server.ask("meta.data.csv", Host=host).status, status, host)

    def test_listening_on_other_addresses_is_reported(self):
        with Server("--listen", "0.0.0.0:0", SEURAT) as server:
            self.assertEqual(server.ask("meta.data.csv").status, 200)
            self.assertEqual(server.ask("meta.data.csv", Host=socket.gethostname()).status, 200)
            self.assertIn("the connection is not encrypted", server.end())

    def test_style_of_a_page_matches_its_policy(self):
        with Server(SEURAT) as server:
            page = server.ask("", Accept="text/html")
            style = re.search(rb"<style>(.*?)</style>", page.body, re.S)[1]
            digest = base64.b64encode(hashlib.sha256(style).digest()).decode()
            self.assertIn(f"style-src 'sha256-{digest}'", page["Content-Security-Policy"])
            self.assertIn("default-src 'none'", page["Content-Security-Policy"])

    def test_viewers_match_the_list(self):
        for arguments, allowed in (
            ((), "https://vitessce.io"),
            (("--cors", "http://127.0.0.1:9"), "http://127.0.0.1:9"),
            (("--cors", "none"), None),
        ):
            with Server(*arguments, SEURAT) as server:
                for origin in ("https://vitessce.io", "http://127.0.0.1:9", "https://evil.example"):
                    answer = server.ask("meta.data.csv", Origin=origin)
                    self.assertEqual(answer["Access-Control-Allow-Origin"], origin if origin == allowed else None)

    def test_the_log_of_requests_has_no_token(self):
        with Server("-d", SEURAT) as server:
            token = server.path.strip("/")
            server.ask("meta.data.csv?x=1")
            output = server.end()
        self.assertIn("GET /TOKEN/meta.data.csv", output)
        self.assertNotIn(token, output)

    @unittest.skipIf(
        "sandbox: "
        in subprocess.run(
            [PROGRAM, "-o", "sandbox=required", MATRIX, "/dev/null"], capture_output=True
        ).stderr.decode(),
        "this system has no Landlock",
    )
    def test_server_is_confined_like_a_mount(self):
        with Server("-o", "sandbox=required", SEURAT, MATRIX) as server:
            with open(f"/proc/{server.process.pid}/status", encoding="ascii") as file:
                status = dict(line.rstrip("\n").split(":\t", 1) for line in file if ":\t" in line)
            self.assertEqual((status["Seccomp"], status["NoNewPrivs"]), ("2", "1"))
            for store in (SEURAT, MATRIX):
                for path in listed(store):
                    self.assertEqual(
                        server.ask(os.path.basename(store) + "/" + urllib.parse.quote(path)).body, cat(store, path)
                    )
        with Server("-o", "sandbox=none", SEURAT) as server:
            with open(f"/proc/{server.process.pid}/status", encoding="ascii") as file:
                self.assertIn("Seccomp:\t0", file.read())


if __name__ == "__main__":
    unittest.main(verbosity=2)
