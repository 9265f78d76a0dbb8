"""A running `plainfs serve` for a test. The program and the data come from the environment: PLAINFS,
PLAINFS_TEST_DATA."""
import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.parse

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))

os.environ.setdefault("PLAINFS_INDEX", "none")  # measurements of one test must not reach the next
PROGRAM = os.environ["PLAINFS"]
DATA = os.environ["PLAINFS_TEST_DATA"]


class Answer:
    def __init__(self, response, body):
        self.status, self.headers, self.body = response.status, response.headers, body

    def __getitem__(self, name):
        return self.headers[name]


class Server:
    """with Server(store) as server: ... – always stopped at the end."""

    def __init__(self, *arguments, environment=None):
        self.arguments, self.environment = arguments, environment

    def __enter__(self):
        self.process = subprocess.Popen(
            [PROGRAM, "serve", *self.arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, **(self.environment or {})},
        )
        self.url = self.process.stdout.readline().decode().strip()
        if not self.url:
            raise AssertionError(f"serve ended with {self.process.wait()}: {self.process.stderr.read().decode()}")
        parts = urllib.parse.urlsplit(self.url)
        self.host, self.port, self.path = parts.hostname, parts.port, parts.path
        return self

    def __exit__(self, *_):
        self.end()

    def end(self):
        """Returns its standard error. The server must exit by itself and at once."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            _, self.output = self.process.communicate(timeout=20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.communicate()
            raise
        return self.output.decode()

    def ask(self, path, method="GET", body=None, **headers):
        """Sends a request. path: below the address, encoded."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        try:
            connection.request(
                method,
                self.path + path,
                body=body,
                headers={name.replace("_", "-"): value for name, value in headers.items()},
            )
            response = connection.getresponse()
            return Answer(response, response.read())
        finally:
            connection.close()

    def stores(self, path="?json"):
        """Returns the cards of the page of a folder, once all of its stores are examined."""
        end = time.monotonic() + 300
        while True:
            page = json.loads(self.ask(path).body)
            notes = " ".join(page.get("notes", []))
            if ("still searched" not in notes and "by name only" not in notes) or time.monotonic() > end:
                return page.get("stores", [])
            time.sleep(0.05)

    def connect(self):
        return socket.create_connection(("127.0.0.1", self.port), timeout=60)

    def request(self, path, method="GET", **headers):
        """Returns the bytes of a request."""
        lines = [
            f"{method} {self.path}{path} HTTP/1.1",
            "Host: 127.0.0.1",
            *(f"{name.replace('_', '-')}: {value}" for name, value in headers.items()),
        ]
        return "\r\n".join(lines).encode() + b"\r\n\r\n"


def cat(store, path, *more):
    return subprocess.run([PROGRAM, "cat", *more, store, path], check=True, capture_output=True, timeout=120).stdout


def blocks(store, flags):
    """Returns the names in each folder of a store, from `plainfs ls`, which ends with an error if some folder cannot be
    read."""
    out = subprocess.run([PROGRAM, "ls", flags, store], check=False, capture_output=True, timeout=120).stdout.decode()
    return {folder[:-1]: names for folder, *names in (block.strip("\n").split("\n") for block in out.split("\n\n"))}


def listed(store):
    """Returns all files of a store, without those that are found by name."""
    found, hidden = blocks(store, "-Rp"), blocks(store, "-aRp")
    return sorted(
        name if folder == "." else f"{folder}/{name}"
        for folder, names in found.items()
        for name in names + [other for other in hidden.get(folder, []) if other.startswith(".") and other != ".ignore"]
        if not name.endswith("/")
    )
