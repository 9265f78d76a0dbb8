"""Clients that send garbage, send slowly, read nothing and disconnect, beside one that reads. By hand, longer than in
the tests.

    PLAINFS=… PLAINFS_TEST_DATA=… tests/serve/attack.py [SECONDS] [SEED]

The reader always gets the right bytes (or 503, followed by another attempt). Afterwards nothing is open and nothing has
grown. Prints a summary.

    PLAINFS=… PLAINFS_TEST_DATA=… tests/serve/attack.py sort [SECONDS] [ROWS]

Forty clients sort and filter a large table, beside one that opens a small folder. The program stays within its cache
and 256 MiB.

    PLAINFS=… PLAINFS_TEST_DATA=… tests/serve/attack.py queries [SECONDS] [SEED]

Twelve clients ask for the pages of stores of all kinds with queries of true and false names, numbers and nonsense. No
query is the fault of the server (5xx, except 503), and the memory is bounded in the same way."""
import glob
import html
import http.client
import json
import os
import random
import re
import socket
import struct
import sys
import tempfile
import threading
import time
import urllib.parse

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
from server import DATA, Server, cat

STORE = os.path.join(DATA, "h5seurat", "plain", "store.h5seurat")
FILES = ["meta.data.csv", "meta.data.rds", "cell.names.csv", "assays/RNA/counts/matrix.mtx"]
SEEDS = [
    open(path, "rb").read() for path in sorted(glob.glob(os.path.join(HERE, "..", "damage", "corpus", "http", "*")))
]


def status_of(process):
    with open(f"/proc/{process}/status", encoding="ascii") as file:
        memory = next(int(line.split()[1]) for line in file if line.startswith("VmRSS"))
    return len(os.listdir(f"/proc/{process}/fd")), memory


class Attack:
    def __init__(self, server, seconds, seed):
        self.server, self.end, self.seed = server, time.monotonic() + seconds, seed
        self.done, self.lock, self.faults = {}, threading.Lock(), []
        self.slowest = 0

    def count(self, what):
        with self.lock:
            self.done[what] = self.done.get(what, 0) + 1

    def each(self, number, act):
        chance = random.Random(self.seed * 1000 + number)
        while time.monotonic() < self.end:
            try:
                act(chance)
            except (AssertionError, http.client.HTTPException) as fault:
                self.faults.append(fault)
                return
            except OSError:
                self.count(f"{act.__name__} ended by the server")

    def nonsense(self, chance):
        request = bytearray(chance.choice(SEEDS).replace(b"token", self.server.path.strip("/").encode()))
        for _ in range(chance.randrange(8)):
            at = chance.randrange(len(request))
            request[at : at + chance.randrange(3)] = bytes(chance.randrange(256) for _ in range(chance.randrange(4)))
        with self.server.connect() as connection:
            connection.settimeout(5)
            connection.sendall(request)
            connection.recv(chance.choice((1, 100, 65536)))
            self.count("nonsense")

    def cut(self, chance):
        with self.server.connect() as connection:
            if chance.random() < 0.5:  # without closing it properly
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            request = self.server.request(chance.choice(FILES) + chance.choice(("", "?page")))
            connection.sendall(request[: chance.choice((len(request), chance.randrange(1, len(request))))])
            connection.settimeout(0.5)
            if chance.random() < 0.5:
                connection.recv(chance.randrange(1, 5000))
        self.count("cut")

    def dribble(self, chance):
        with self.server.connect() as connection:
            for byte in self.server.request("meta.data.csv")[:-2] + b"X: " + b"y" * 100:
                connection.sendall(bytes([byte]))
                time.sleep(0.2)
                if time.monotonic() > self.end:
                    break
            self.count("dribble")

    def stuck(self, chance):
        with self.server.connect() as connection:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            connection.sendall(self.server.request(chance.choice(FILES)) * 50)
            time.sleep(chance.random() * 5)
            self.count("stuck")

    def read(self, chance):
        path = chance.choice(FILES)
        start = time.monotonic()
        try:
            answer = self.server.ask(path)
        except (ConnectionResetError, BrokenPipeError):  # a 503 may end like this too
            return self.count("503")
        self.slowest = max(self.slowest, time.monotonic() - start)
        if answer.status == 503:
            return self.count("503")
        assert (answer.status, answer.body) == (200, WANTED[path]), (path, answer.status, len(answer.body))
        self.count("read")

    def run(self):
        acts = [self.nonsense] * 6 + [self.cut] * 6 + [self.dribble] * 8 + [self.stuck] * 12 + [self.read] * 2
        threads = [threading.Thread(target=self.each, args=(number, act)) for number, act in enumerate(acts)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()


WANTED = {path: cat(STORE, path) for path in FILES}


def write_wide_table(folder, rows):
    """Writes an AnnData of Zarr with columns that were never written, which takes some hundred bytes."""

    def put(path, **attributes):
        os.makedirs(os.path.join(folder, path), exist_ok=True)
        with open(os.path.join(folder, path, ".zattrs"), "w", encoding="ascii") as file:
            json.dump(attributes, file)

    def group(path, **attributes):
        put(path, **attributes)
        with open(os.path.join(folder, path, ".zgroup"), "w", encoding="ascii") as file:
            json.dump({"zarr_format": 2}, file)

    def array(path, shape):
        put(path, **{"encoding-type": "array", "encoding-version": "0.2.0"})
        with open(os.path.join(folder, path, ".zarray"), "w", encoding="ascii") as file:
            chunks = [min(each, 1 << 20) for each in shape]
            more = {"compressor": None, "filters": None, "order": "C", "fill_value": 0}
            json.dump({"zarr_format": 2, "shape": shape, "chunks": chunks, "dtype": "<f8", **more}, file)

    frame = {"encoding-type": "dataframe", "encoding-version": "0.2.0", "_index": "index"}
    group("", **{"encoding-type": "anndata", "encoding-version": "0.1.0"})
    for name, count in (("obs", rows), ("var", 2)):
        group(name, **frame, **{"column-order": ["n", "m"]})
        for column in ("index", "n", "m"):
            array(f"{name}/{column}", [count])


def sort():
    seconds, rows = (float(word) for word in (sys.argv[2:] + ["60", "1e7"][len(sys.argv) - 2 :])[:2])
    counts, slowest, end = {}, 0, time.monotonic() + seconds
    with tempfile.TemporaryDirectory() as folder:
        write_wide_table(folder, int(rows))
        with Server("-o", "cache_size=64m", folder) as server:
            server.ask("var/", Accept="text/html")
            before = status_of(server.process.pid)[1]

            def client(number):
                for turn in range(number, 1 << 20):
                    query = ("sort=n", "sort=-n", "sort=m", f"sort=m&from={turn * 100}")[turn % 4]
                    status = server.ask("obs/?" + query, Accept="text/html").status
                    counts[status] = counts.get(status, 0) + 1
                    if time.monotonic() > end:
                        return

            threads = [threading.Thread(target=client, args=(number,)) for number in range(40)]
            for thread in threads:
                thread.start()
            while any(thread.is_alive() for thread in threads):
                start = time.monotonic()
                assert server.ask("var/?sort=n", Accept="text/html").status == 200
                slowest = max(slowest, time.monotonic() - start)
                time.sleep(0.2)
            with open(f"/proc/{server.process.pid}/status", encoding="ascii") as file:
                peak = next(int(line.split()[1]) for line in file if line.startswith("VmHWM"))
    print(f"answers {counts}; memory {before} KiB, at most {peak}; slowest small folder {slowest:.2f} s")
    return int(peak > (64 + 256 << 10) + before or set(counts) - {200, 503} != set())


STORES = "h5seurat/plain anndata/csr_h5ad xarray nwb conversions tenx-runs vcf-zarr zarr seurat".split()
KEYS = (
    "color where sort from find kind split stored markers take matrix assay field embedding slide tissue scale numbers "
    "near names region samples file folders at at.lat at.time along map low high c min0 max0 max1 thumbnail channels "
    "page json q x"
).split()
VALUES = ["", "%00", "../..", "<script>", "0-3, 7", "x" * 4000, "lat:nan," * 200, "time:2000-01-01,lat:1"] + (
    "0 -1 1e999 nan 18446744073709551616 -inf 1,0 a,b ,,,, : :::: lat:0 leiden leiden:0 h5ad rds csv xlsx parquet "
    "counts raw X all date 0,0,1,1 1,1,0,0 nan,nan,nan,nan gene CD3E,CD8A"
).split()


def links_below(server):
    """Returns the addresses that the pages link to, three levels deep."""
    found, level = {""}, [""]
    for _ in range(3):
        following = []
        for path in level:
            answer = server.ask(path + "?page", Accept="text/html")
            if answer.status == 200:
                for link in re.findall(rb'href="([^"?#:]+)[?"]', answer.body):
                    target = urllib.parse.urljoin("/" + path, html.unescape(link.decode())).lstrip("/")
                    if target not in found and len(found) < 3000:
                        found.add(target)
                        following.append(target)
        level = following
    return sorted(path for path in found if "." not in path.rsplit("/", 1)[-1])


def queries():
    seconds, seed = (float(word) for word in (sys.argv[2:] + ["60", "1"][len(sys.argv) - 2 :])[:2])
    counts, faults, end = {}, [], time.monotonic() + seconds
    stores = [os.path.join(DATA, name) for name in STORES if os.path.exists(os.path.join(DATA, name))]
    with Server("-o", "cache_size=64m", *stores) as server:
        paths = links_below(server)
        before = status_of(server.process.pid)[1]
        end = time.monotonic() + seconds

        def client(number):
            chance = random.Random(seed * 1000 + number)
            while time.monotonic() < end:
                pairs = [(chance.choice(KEYS), chance.choice(VALUES)) for _ in range(chance.randrange(1, 5))]
                kind = chance.choice(("page&", "json&", ""))
                asked = f"{chance.choice(paths)}?{kind}{urllib.parse.urlencode(pairs)}"
                try:
                    status = server.ask(asked, Accept=chance.choice(("text/html", "*/*"))).status
                except (OSError, http.client.HTTPException) as fault:
                    status = type(fault).__name__
                counts[status] = counts.get(status, 0) + 1
                if not isinstance(status, int) or (status >= 500 and status != 503):
                    faults.append((status, asked))

        threads = [threading.Thread(target=client, args=(number,)) for number in range(12)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        with open(f"/proc/{server.process.pid}/status", encoding="ascii") as file:
            peak = next(int(line.split()[1]) for line in file if line.startswith("VmHWM"))
    print(f"{len(paths)} addresses, answers {counts}; memory {before} KiB, at most {peak}")
    for fault in faults[:40]:
        print("FAULT", *fault)
    return int(bool(faults) or peak > (64 + 256 << 10) + before)


def main():
    if sys.argv[1:2] == ["sort"]:
        return sort()
    if sys.argv[1:2] == ["queries"]:
        return queries()
    seconds, seed = (float(word) for word in (sys.argv[1:] + ["60", "1"][len(sys.argv) - 1 :])[:2])
    with Server("-o", "cache_size=32m", STORE) as server:
        for path in FILES:
            server.ask(path)
        before = status_of(server.process.pid)
        attack = Attack(server, seconds, int(seed))
        attack.run()
        end = time.monotonic() + 70  # an idle connection is closed after a minute
        while status_of(server.process.pid)[0] > before[0] and time.monotonic() < end:
            time.sleep(0.2)
        after = status_of(server.process.pid)
        assert server.ask(FILES[0]).body == WANTED[FILES[0]]
        start = time.monotonic()
        server.end()
        print(
            f"{attack.done}, slowest read {attack.slowest:.2f} s; files open {before[0]} -> {after[0]}, "
            f"memory {before[1]} -> {after[1]} KiB; "
            f"ended in {time.monotonic() - start:.2f} s"
        )
        for fault in attack.faults:
            print("FAULT", fault)
        return int(len(attack.faults) > 0 or after[0] > before[0])


if __name__ == "__main__":
    sys.exit(main())
