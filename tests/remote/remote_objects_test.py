"""Google Cloud Storage and Azure Blob Storage: a store is the same through gs:// and az:// as on this machine."""
import base64
import json
import os
import shutil
import unittest

from remote import DATA, RemoteTest, environment, run
from store_server import StoreServer
from written_tree import tree

KEY = base64.b64encode(bytes(range(64))).decode()
TOKEN = "sv=2020-10-02&sig=a%2Bb%3D"
H5AD = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data", "samples", "pbmc.h5ad")


class ObjectsTest(RemoteTest):
    """Subclasses name the bucket's folder on the server and the prefix of its URLs."""

    def setUp(self):
        super().setUp()
        self.bucket = self.path("served", *self.FOLDERS)
        os.makedirs(self.bucket)
        shutil.copytree(self.zarr(), os.path.join(self.bucket, "a b", "x+y&é.zarr"))
        self.server = self.served(StoreServer(self.path("served"), **self.SERVER))
        self.url = self.PREFIX + "/a b/x+y&é.zarr"

    @staticmethod
    def zarr():
        folder = os.path.join(DATA, "zarr", "v2_consolidated")
        return os.path.join(folder, next(name for name in os.listdir(folder) if name.startswith("store")))

    def export(self, store, name, env, *options):
        """{path: content} of the files that an export writes."""
        done = run("export", "-o", "index=none", *options, store, self.path(name), env=env)
        self.assertEqual(done.returncode, 0, done.stderr)
        return tree(self.path(name))

    def check_store(self, env, *options):
        remote = self.export(self.url, "remote", env, *options)
        local = self.export(self.zarr(), "local", environment())
        self.assertGreater(len(local), 10)
        self.assertEqual(sorted(remote), sorted(local))
        different = [name for name in local if remote[name] != local[name] and ".plainfs" not in name]
        self.assertEqual(different, [])


class Google(ObjectsTest):
    FOLDERS, PREFIX, SERVER = ("lab",), "gs://lab", {"s3": True, "region": "auto", "keys": {"GOOGKEY": "google/secret"}}

    def env(self, **more):
        return environment(STORAGE_EMULATOR_HOST=self.server.url.removeprefix("http://"), **more)

    def test_public_bucket_needs_no_key(self):
        self.server.anonymous = True
        self.check_store(self.env())
        self.assertEqual(set(self.server.authorizations), {None})

    def test_index_is_written_beside_the_store(self):
        shutil.copy(H5AD, self.bucket)
        env = self.env(GS_ACCESS_KEY_ID="GOOGKEY", GS_SECRET_ACCESS_KEY="google/secret")
        done = run("index", "--beside", "-o", "index=" + self.path("index"), "gs://lab/pbmc.h5ad", env=env)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(os.path.exists(os.path.join(self.bucket, "pbmc.h5ad.plainfs")))

    def test_hmac_keys_sign_requests(self):
        self.check_store(self.env(GS_ACCESS_KEY_ID="GOOGKEY", GS_SECRET_ACCESS_KEY="google/secret"))

    def test_token_is_sent_with_each_request(self):
        self.server.anonymous = True
        run("ls", self.url, env=self.env(GOOGLE_OAUTH_ACCESS_TOKEN="ya29.token"))
        self.assertEqual(set(self.server.authorizations), {"Bearer ya29.token"})

    def test_keys_of_aws_are_not_sent_to_google(self):
        self.server.anonymous = True
        self.check_store(self.env(AWS_ACCESS_KEY_ID="AKIDEXAMPLE", AWS_SECRET_ACCESS_KEY="secret"))
        self.assertEqual(set(self.server.authorizations), {None})

    def test_refusal_names_the_variables(self):
        self.assertIn(b"GS_ACCESS_KEY_ID", run("ls", self.url, env=self.env()).stderr)

    def test_bucket_alone_is_refused_with_its_contents(self):
        self.server.anonymous = True
        done = run("ls", "gs://lab", env=self.env())
        self.assertIn(b"gs://lab/NAME; it has a b", done.stderr)


class Azure(ObjectsTest):
    FOLDERS, PREFIX, SERVER = ("labaccount", "data"), "az://labaccount/data", {}

    def setUp(self):
        super().setUp()
        self.server.azure = ("labaccount", KEY, TOKEN)
        self.endpoint = ("-o", f"endpoint={self.server.url}/labaccount")

    def check_with(self, **variables):
        self.check_store(environment(**variables), *self.endpoint)

    def test_shared_key_signs_requests(self):
        self.check_with(AZURE_STORAGE_KEY=KEY)

    def test_lists_of_several_pages_are_joined(self):
        self.server.blobs_at_once = 3
        self.check_with(AZURE_STORAGE_KEY=KEY, AZURE_STORAGE_ACCOUNT="labaccount")

    def test_shared_access_signature_is_sent_with_each_request(self):
        self.check_with(AZURE_STORAGE_SAS_TOKEN="?" + TOKEN)

    def test_signature_in_the_url_is_used_and_not_shown(self):
        url = self.url
        self.url += "?" + TOKEN
        self.check_with()
        self.assertEqual(json.loads(run("info", "--json", *self.endpoint, self.url).stdout)["store"], url)
        wrong = run("ls", *self.endpoint, url + "?sv=1&sig=hidden")
        self.assertNotEqual(wrong.returncode, 0)
        self.assertNotIn(b"hidden", wrong.stderr)

    def test_index_is_written_beside_the_store(self):
        shutil.copy(H5AD, self.bucket)
        env = environment(AZURE_STORAGE_KEY=KEY)
        index = "index=" + self.path("index")
        done = run("index", "--beside", "-o", index, *self.endpoint, self.PREFIX + "/pbmc.h5ad", env=env)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(os.path.exists(os.path.join(self.bucket, "pbmc.h5ad.plainfs")))

    def test_lines_of_info_carry_the_options_of_the_service(self):
        shutil.copy(H5AD, self.bucket)
        self.server.anonymous = True
        url = self.PREFIX + "/pbmc.h5ad"
        shown = run("info", *self.endpoint, "-o", "no_sign", url).stdout.decode()
        line = next(line for line in shown.splitlines() if "pbmc.rds" in line).partition("#")[0].split()
        self.assertEqual(line[0], "plainfs")
        done = run(*line[1:-1], self.path("pbmc.rds"))
        self.assertEqual((done.returncode, done.stderr.count(b"wrote")), (0, 1), done.stderr)

    def test_empty_object_of_a_folder_is_the_folder(self):
        """Tests an account with a hierarchical namespace, in which a directory is an object without bytes."""
        path = "/labaccount/data/a b/x+y&é.zarr"
        fields = [("ETag", '"0x1"'), ("Content-Range", "bytes */0")]
        self.server.pages[path] = lambda handler: handler.reply(416, b"", fields)
        self.check_with(AZURE_STORAGE_KEY=KEY)

    def test_public_container_needs_no_key(self):
        self.server.anonymous = True
        self.check_with(AZURE_STORAGE_KEY=KEY, AZURE_STORAGE_ACCOUNT="another")
        self.assertEqual(set(self.server.authorizations), {None})

    def test_refusal_names_the_variables_and_no_secret(self):
        done = run("ls", *self.endpoint, self.url)
        self.assertIn(b"AZURE_STORAGE_KEY and AZURE_STORAGE_SAS_TOKEN are not set", done.stderr)
        done = run("ls", *self.endpoint, self.url, env=environment(AZURE_STORAGE_SAS_TOKEN="sv=1&sig=wrong"))
        self.assertNotEqual(done.returncode, 0)
        self.assertNotIn(b"wrong", done.stderr)
        self.assertIn(b"the token is from the environment (AZURE_STORAGE_SAS_TOKEN)", done.stderr)

    def test_account_without_a_container_is_refused(self):
        done = run("ls", *self.endpoint, "az://labaccount")
        self.assertIn(b"write az://ACCOUNT/CONTAINER/PATH", done.stderr)

    def test_container_alone_is_refused_with_its_contents(self):
        self.server.anonymous = True
        done = run("ls", *self.endpoint, "az://labaccount/data")
        self.assertIn(b"az://labaccount/data/NAME; it has a b", done.stderr)


del ObjectsTest

if __name__ == "__main__":
    unittest.main()
