"""Tokens, passwords and cookies: they reach the host that they are for, and no other."""
import base64
import os
import random
import unittest
import urllib.parse

import h5py
import numpy

from remote import RemoteTest, environment, run
from store_server import StoreServer

VALUES = numpy.arange(1000, dtype="<i8")
BASIC = "Basic " + base64.b64encode(b"ann:hidden").decode()


class GuardedServer(StoreServer):
    """A server that gives a file only to requests that `allows(handler)`; all others go to `refuse(handler)`.

    `secrets`: of each request its Authorization, Cookie and X-Key fields.
    """

    def __init__(self, root, allows, refuse, **options):
        super().__init__(root, **options)
        self.allows, self.refuse, self.secrets = allows, refuse, []
        self.pages["/x.h5"] = self.guard

    def guard(self, handler):
        self.note(handler)
        if not self.allows(handler):
            return self.refuse(handler)
        return handler.give(self, "/x.h5", None)

    def note(self, handler):
        self.secrets.append(tuple(handler.headers.get(name) for name in ("Authorization", "Cookie", "X-Key")))


def go_to(handler, url, *fields):
    handler.reply(302, b"", [("Location", url), *fields])


def refuse(handler):
    handler.refuse(401, "Unauthorized")


class RemoteLogins(RemoteTest):
    def setUp(self):
        super().setUp()
        os.mkdir(self.path("served"))
        with h5py.File(self.path("served", "x.h5"), "w") as file:
            file["values"] = VALUES

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(self.path(name), 0o600)
        return self.path(name)

    def guarded(self, allows, refusal=refuse, **options):
        return self.served(GuardedServer(self.path("served"), allows, refusal, **options))

    def cat(self, url, *options, **more):
        return run("cat", *options, url, "values.npy", env=environment(HOME=self.folder, **more))

    def check_right(self, done):
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        self.assertTrue(done.stdout.endswith(VALUES.tobytes()))

    def test_a_token_of_the_header_file_opens_the_store(self):
        server = self.guarded(lambda handler: handler.headers.get("Authorization") == "Bearer let-me-in")
        refused = self.cat(server.url + "/x.h5")
        self.assertEqual(refused.returncode, 12)
        self.assertIn(b"the server returned 401: it requires a password", refused.stderr)
        self.assertIn(b"-o header_file=FILE", refused.stderr)
        fields = self.write("fields", f"{server.host} Authorization: Bearer let-me-in\n")
        self.check_right(self.cat(server.url + "/x.h5", "-o", "header_file=" + fields))

    def test_a_wrong_line_is_named_without_its_secret(self):
        fields = self.write("fields", "\n127.0.0.1 let-me-in\n")
        done = self.cat("http://127.0.0.1:9/x.h5", "-o", "header_file=" + fields)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn(b"line 2: expected HOST[:PORT] NAME: VALUE", done.stderr)
        self.assertNotIn(b"let-me-in", done.stderr)

    def test_a_login_by_redirects_and_a_cookie_as_earthdata_has_it(self):
        data = self.guarded(lambda handler: "session=ann" in handler.headers.get("Cookie", ""))
        login = self.served(StoreServer(self.path("served"), host="127.0.0.2"))
        asked = []

        def authorize(handler):
            asked.append(tuple(handler.headers.get(name) for name in ("Authorization", "Cookie")))
            if asked[-1][0] != BASIC:
                return refuse(handler)
            query = urllib.parse.parse_qs(urllib.parse.urlsplit(handler.path).query)
            return go_to(handler, f"{query['redirect_uri'][0]}?code=1&state={query['state'][0]}")

        def begin_session(handler):
            data.note(handler)
            query = urllib.parse.parse_qs(urllib.parse.urlsplit(handler.path).query)
            go_to(handler, data.url + query["state"][0], ("Set-Cookie", "session=ann; Path=/; HttpOnly"))

        login.pages["/oauth/authorize"] = authorize
        data.pages["/login"] = begin_session
        data.refuse = lambda handler: go_to(
            handler, f"{login.url}/oauth/authorize?client_id=x&redirect_uri={data.url}/login&state=/x.h5"
        )
        refused = self.cat(data.url + "/x.h5")
        self.assertEqual(refused.returncode, 12)
        self.assertIn(f"{login.host} returned 401".encode(), refused.stderr)
        self.write(".netrc", "machine 127.0.0.2 login ann password hidden\n")
        asked.clear()
        data.secrets.clear()
        self.check_right(self.cat(data.url + "/x.h5"))
        self.assertEqual(set(asked), {(BASIC, None)})
        self.assertEqual({authorization for authorization, _, _ in data.secrets}, {None})

    def test_no_redirect_takes_a_secret_to_another_host(self):
        """The host of the store has all three kinds of secrets and redirects everywhere."""
        other = self.guarded(lambda _: True, host="127.0.0.2")
        other_port = self.guarded(lambda _: True)
        own = self.guarded(lambda _: True)
        self.write(".netrc", "machine 127.0.0.3 login ann password hidden\ndefault login eve password hidden\n")
        fields = self.write("fields", f"{own.host} X-Key: let-me-in\n{own.host} Authorization: Bearer let-me-in\n")
        choice = random.Random(7)
        targets = [
            lambda port: f"http://127.0.0.2:{port}/x.h5",
            lambda port: f"http://127.0.0.2.:{port}/x.h5",
            lambda port: f"//127.0.0.2:{port}/x.h5",
            lambda port: f"http://[::ffff:127.0.0.2]:{port}/x.h5",
            lambda port: f"http://127.2:{port}/x.h5",
            lambda port: f"HTTP://127.0.0.2:{port}/x.h5?{own.host}",
            lambda port: f"http://127.0.0.2:{port}\\@{own.host}/x.h5",
            lambda port: f"http://127.0.0.2:{port}/x.h5#@{own.host}",
        ]
        for number in range(100):
            steps = [(choice.choice(targets)(other.host.split(":")[1])), other_port.url + "/x.h5"]
            target = steps[number % 2 if number % 5 else 0]
            status = choice.choice([301, 302, 303, 307, 308])
            own.pages[f"/to{number}"] = lambda handler, status=status, target=target: handler.reply(
                status, b"", [("Location", target), ("Set-Cookie", "session=own; Path=/")]
            )
            self.cat(f"{own.url}/to{number}", "-o", "header_file=" + fields)
        self.check_right(self.cat(own.url + "/x.h5", "-o", "header_file=" + fields))
        self.assertEqual({(key, auth) for auth, _, key in own.secrets}, {("let-me-in", "Bearer let-me-in")})
        self.assertGreater(len(other.secrets) + len(other_port.secrets), 50)
        self.assertEqual({(auth, key) for auth, _, key in other.secrets + other_port.secrets}, {(None, None)})
        self.assertEqual({cookie for _, cookie, _ in other.secrets}, {None})


if __name__ == "__main__":
    unittest.main()
