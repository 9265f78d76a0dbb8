"""S3: the keys that sign the requests, the requests after a refusal, and that keys are never shown."""
import json
import os
import time
import unittest

import h5py
import numpy

from remote import KEY_ID, SECRET, RemoteTest, environment, run, signing
from store_server import StoreServer

VALUES = numpy.arange(100_000, dtype="<i8")
SAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data", "samples")


def answer_with(value, status=200):
    """Returns a page of a server that gives `value` as JSON, or a text unchanged."""
    body = (value if isinstance(value, str) else json.dumps(value)).encode()
    return lambda handler: handler.reply(status, body)


class Keys(RemoteTest):
    def setUp(self):
        super().setUp()
        os.makedirs(self.path("served", "bucket", "a b"))
        self.store = self.path("served", "bucket", "a b", "x+y=é.h5")
        with h5py.File(self.store, "w") as file:
            file["values"] = VALUES
        self.server = self.served(StoreServer(self.path("served"), s3=True))
        self.url = "s3://bucket/a b/x+y=é.h5"

    def cat(self, env, *options, url=None):
        return run("cat", *options, url or self.url, "values.npy", env=env)

    def check_right(self, done):
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        self.assertTrue(done.stdout.endswith(VALUES.tobytes()))

    def with_role(self, **more):
        """Returns an environment without keys, in which AWS's tools would ask a service."""
        return environment(AWS_ENDPOINT_URL=self.server.url, **more)

    def role_keys(self, seconds=3600):
        self.server.keys["ROLE"], self.server.tokens["ROLE"] = "role/secret", "role+token=="
        until = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + seconds))
        return {"AccessKeyId": "ROLE", "SecretAccessKey": "role/secret", "Token": "role+token==", "Expiration": until}

    def test_keys_of_the_environment(self):
        self.check_right(self.cat(signing(self.server)))

    def test_endpoint_on_the_command_line(self):
        env = environment(AWS_ACCESS_KEY_ID=KEY_ID, AWS_SECRET_ACCESS_KEY=SECRET)
        self.check_right(self.cat(env, "-o", f"endpoint={self.server.url}"))

    def test_keys_of_a_profile(self):
        with open(self.path("keys"), "w", encoding="utf-8") as file:
            file.write(f"[lab]\naws_access_key_id = {KEY_ID}\naws_secret_access_key = {SECRET}\n")
        with open(self.path("config"), "w", encoding="utf-8") as file:
            file.write(f"[profile lab]\nregion = us-east-1\nendpoint_url = {self.server.url}\n")
        env = environment(
            AWS_PROFILE="lab", AWS_SHARED_CREDENTIALS_FILE=self.path("keys"), AWS_CONFIG_FILE=self.path("config")
        )
        self.check_right(self.cat(env))

    def test_wrong_keys_are_an_error_without_the_keys(self):
        done = self.cat(signing(self.server, AWS_SECRET_ACCESS_KEY="nobodys"))
        self.assertEqual(done.returncode, 12)
        self.assertIn(b"403 SignatureDoesNotMatch", done.stderr)
        self.assertNotIn(b"nobodys", done.stderr)

    def test_refused_keys_are_named_by_their_source(self):
        with open(self.path("keys"), "w", encoding="utf-8") as file:
            file.write("[lab]\naws_access_key_id = NOBODY\naws_secret_access_key = x\n")
        profile = environment(
            AWS_PROFILE="lab", AWS_SHARED_CREDENTIALS_FILE=self.path("keys"), AWS_ENDPOINT_URL=self.server.url
        )
        for env, source in (
            (signing(self.server, AWS_SECRET_ACCESS_KEY="x"), "the environment (AWS_ACCESS_KEY_ID)"),
            (profile, "the profile lab in ~/.aws"),
        ):
            done = run("ls", "s3://bucket/out.h5", env=env)
            self.assertEqual(done.returncode, 12)
            self.assertIn(f"the key is from {source}", done.stderr.decode())
            self.assertNotIn("listing", done.stderr.decode())

    def test_bucket_lists_its_stores(self):
        done = run("ls", "s3://bucket", env=signing(self.server))
        self.assertEqual(done.returncode, 15)
        self.assertIn(
            "s3://bucket: not supported: a bucket; name a store in it: s3://bucket/NAME; it has ", done.stderr.decode()
        )

    def test_wrong_protocol_or_name_suggests_a_remedy(self):
        host = self.server.host
        for url, more, words in (
            (f"https://{host}/x.h5", {}, "; the server speaks http://, not https://"),
            ("s3://lab/x.h5", {"AWS_ENDPOINT_URL": f"https://{host}"}, "; the server speaks http://, not https://"),
            (
                "s3://no-such-bucket-of-plainfs.test/x.h5",
                {"AWS_ENDPOINT_URL": ""},
                "; for a service other than AWS: -o endpoint=URL",
            ),
        ):
            done = run(
                "ls",
                url,
                env=environment(
                    AWS_ACCESS_KEY_ID="x",
                    AWS_SECRET_ACCESS_KEY="x",
                    AWS_REGION="xx-nowhere-1",
                    AWS_MAX_ATTEMPTS="2",
                    **more,
                ),
            )
            if b"resolve" not in done.stderr and "endpoint" in words:
                continue  # a network that resolves every name
            self.assertEqual(done.returncode, 12, done.stderr)
            self.assertIn(words, done.stderr.decode())
            self.assertEqual(done.stderr.count(b"\n"), 1)

    def test_missing_keys_suggest_a_remedy(self):
        done = self.cat(environment(AWS_ENDPOINT_URL=self.server.url))
        self.assertEqual(done.returncode, 12)
        self.assertIn(b"-o no_sign", done.stderr)

    def test_public_bucket_needs_no_keys(self):
        self.server.anonymous = True
        self.check_right(self.cat(environment(AWS_ENDPOINT_URL=self.server.url), "-o", "no_sign"))

    def test_unlistable_bucket_is_readable(self):
        self.server.listable = False
        self.check_right(self.cat(signing(self.server)))

    def test_another_region_is_learned(self):
        self.server.region = "eu-central-1"
        self.check_right(self.cat(signing(self.server)))
        self.assertIn(400, [request[2] for request in self.server.requests])

    def test_a_web_identity_gets_keys(self):
        keys = self.role_keys()
        output = []

        def give(handler):
            output.append(handler.body.decode())
            parts = {"SessionToken" if name == "Token" else name: value for name, value in keys.items()}
            handler.reply(200, "".join(f"<{name}>{value}</{name}>" for name, value in parts.items()).encode())

        self.server.pages["/"] = give
        with open(self.path("token"), "w", encoding="utf-8") as file:
            file.write("a.jwt/token\n")
        self.check_right(
            self.cat(
                self.with_role(
                    AWS_WEB_IDENTITY_TOKEN_FILE=self.path("token"),
                    AWS_ROLE_ARN="arn:aws:iam::1:role/x",
                    AWS_ENDPOINT_URL_STS=self.server.url,
                )
            )
        )
        self.assertIn("WebIdentityToken=a.jwt%2Ftoken", output[0])
        self.assertEqual(len(output), 1)

    def test_a_container_gets_keys(self):
        asked = []

        def give(handler):
            asked.append(handler.headers["Authorization"])
            answer_with(self.role_keys())(handler)

        self.server.pages["/keys"] = give
        self.check_right(
            self.cat(
                self.with_role(
                    AWS_CONTAINER_CREDENTIALS_FULL_URI=self.server.url + "/keys",
                    AWS_CONTAINER_AUTHORIZATION_TOKEN="let me",
                )
            )
        )
        self.assertEqual(asked, ["let me"])

    def machine(self, keys):
        def session(handler):
            allowed = handler.command == "PUT" and handler.headers["X-aws-ec2-metadata-token-ttl-seconds"]
            handler.reply(200 if allowed else 403, b"session")

        def guarded(page):
            return (
                lambda handler: page(handler)
                if handler.headers["X-aws-ec2-metadata-token"] == "session"
                else handler.reply(401)
            )

        roles = "/latest/meta-data/iam/security-credentials/"
        self.server.pages.update(
            {"/latest/api/token": session, roles: guarded(answer_with("lab")), roles + "lab": guarded(keys)}
        )
        return self.with_role(AWS_EC2_METADATA_DISABLED="false", AWS_EC2_METADATA_SERVICE_ENDPOINT=self.server.url)

    def test_a_machine_gets_keys(self):
        self.check_right(self.cat(self.machine(answer_with(self.role_keys()))))

    def test_expired_keys_are_requested_again(self):
        given = []

        def give(handler):
            given.append(self.role_keys(seconds=1))  # expires at once, so that each request asks
            answer_with(given[-1])(handler)

        self.check_right(self.cat(self.machine(give)))
        self.assertGreater(len(given), 1)

    def test_refused_keys_are_requested_again(self):
        refused = {"AccessKeyId": "OLD", "SecretAccessKey": "old", "Token": "old"}

        def give(handler):
            answer_with(refused if not given else self.role_keys())(handler)
            given.append(True)

        given = []
        env = self.machine(give)
        done = self.cat(env)
        self.check_right(done)
        self.assertIn(403, [request[2] for request in self.server.requests])
        self.assertEqual(len(given), 2)

    def test_keys_are_shown_nowhere(self):
        env = signing(self.server, AWS_SESSION_TOKEN="a-session-token")
        self.server.tokens[KEY_ID] = "a-session-token"
        shown = run("info", "--json", "-o", "region=us-east-1", self.url, env=env)
        self.assertEqual(shown.returncode, 0, shown.stderr)
        for secret in (KEY_ID, SECRET, "a-session-token"):
            self.assertNotIn(secret.encode(), shown.stdout + shown.stderr)
        self.assertEqual(json.loads(shown.stdout)["options"]["region"], "us-east-1")

    def test_nothing_outside_of_the_url_is_read(self):
        os.symlink("/etc/hostname", self.path("served", "bucket", "raw"))
        with h5py.File(self.path("served", "bucket", "out.h5"), "w") as file:
            file.create_dataset("host", (1,), "u1", external=[("/etc/hostname", 0, 1)])
            file.create_dataset("beside", (1,), "u1", external=[("raw", 0, 1)])
            layout = h5py.VirtualLayout((1,), "u1")
            layout[0] = h5py.VirtualSource("other.h5", "x", (1,))[0]
            file.create_virtual_dataset("virtual", layout)
            file["link"] = h5py.ExternalLink("/etc/other.h5", "/x")
        for name in ("host", "beside"):
            done = run("cat", "s3://bucket/out.h5", name + ".csv", env=signing(self.server))
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(b"outside", done.stderr)
        self.assertFalse([request for request in self.server.requests if "out.h5" not in request[0]])

    def test_folder_without_a_store_is_refused(self):
        done = run("ls", "s3://bucket/a b", env=signing(self.server))
        self.assertEqual(done.returncode, 15)
        self.assertIn(b"remote folder that is not a store", done.stderr)

    def test_absent_object_is_not_found(self):
        self.assertEqual(run("ls", "s3://bucket/none", env=signing(self.server)).returncode, 11)


class Zarr(RemoteTest):
    def test_consolidated_metadata_define_the_zarr_store(self):
        store = self.path("served", "x.zarr")
        os.makedirs(os.path.join(store, "group", "kept"))
        os.makedirs(os.path.join(store, "stray"))
        array = {
            "zarr_format": 2,
            "shape": [3],
            "chunks": [3],
            "dtype": "<i4",
            "compressor": None,
            "fill_value": 0,
            "order": "C",
            "filters": None,
        }
        documents = {
            ".zgroup": {"zarr_format": 2},
            "group/.zgroup": {"zarr_format": 2},
            "group/.zattrs": {"about": "this"},
            "group/kept/.zarray": array,
        }
        for key, document in {
            **documents,
            "stray/.zarray": array,
            ".zmetadata": {"zarr_consolidated_format": 1, "metadata": documents},
        }.items():
            with open(os.path.join(store, key), "w", encoding="utf-8") as file:
                json.dump(document, file)
        with open(os.path.join(store, "group", "kept", "0"), "wb") as file:
            file.write(numpy.array([1, 2, 3], "<i4").tobytes())
        server = self.served(StoreServer(self.path("served")))
        listed = run("ls", "-R", server.url + "/x.zarr")
        self.assertIn(b"kept.npy", listed.stdout)
        self.assertNotIn(b"stray", listed.stdout)
        self.assertFalse([request for request in server.requests if request[0].startswith("/x.zarr/group")])
        self.assertEqual(run("cat", server.url + "/x.zarr", "group/kept.csv").stdout, b"1\n2\n3\n")
        os.remove(os.path.join(store, ".zmetadata"))
        done = run("ls", server.url + "/x.zarr")
        self.assertEqual(done.returncode, 15)
        self.assertIn(b"zarr.consolidate_metadata()", done.stderr)


if __name__ == "__main__":
    unittest.main()
