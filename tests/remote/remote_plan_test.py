"""Results for a remote store that last: plans of exports, and sizes."""
import json
import os
import shutil

import remote
from remote import RemoteTest, run, signing
from remote_requests_test import write_h5ad
from store_server import KEYS, StoreServer
from written_tree import tree

SAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data", "samples")
TASKS = 3


class Plan(RemoteTest):
    def setUp(self):
        super().setUp()
        shutil.copy(os.path.join(SAMPLES, "pbmc.h5ad"), self.path("x.h5ad"))
        shutil.copytree(os.path.join(SAMPLES, "matrix"), self.path("matrix"))
        shutil.copytree(os.path.join(SAMPLES, "image.zarr"), self.path("image.zarr"))

    def exported_by_tasks(self, url, *options, **more):
        plan, target = self.path("plan"), self.path("planned")
        planned = run("export", "--plan", "--tasks", str(TASKS), *options, url, plan, **more)
        self.assertEqual((planned.returncode, planned.stdout), (0, b"%d\n" % TASKS), planned.stderr)
        for task in range(1, TASKS + 1):
            result = run("export", "--task", str(task), plan, target, **more)
            self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(run("export", "--finish", plan, target, **more).returncode, 0)
        return tree(target)

    def exported(self, store):
        target = self.path("exported")
        self.assertEqual(run("export", store, target).returncode, 0)
        return tree(target)

    def test_tasks_write_the_same_as_an_export(self):
        server = self.served(StoreServer(self.folder))
        for store in ("x.h5ad", "matrix"):
            with self.subTest(store):
                self.assertEqual(self.exported_by_tasks(f"{server.url}/{store}"), self.exported(self.path(store)))
            for built in ("planned", "exported", "plan.sizes"):
                shutil.rmtree(self.path(built))

    def test_plan_of_s3_holds_the_endpoint_and_no_key(self):
        os.makedirs(self.path("bucket"))
        os.rename(self.path("x.h5ad"), self.path("bucket", "x.h5ad"))
        server = self.served(StoreServer(self.folder, s3=True, keys=KEYS, region="lab"))
        keys = signing(server)
        del keys["AWS_ENDPOINT_URL"]
        options = ("-o", f"endpoint={server.url},region=lab")
        self.assertEqual(
            self.exported_by_tasks("s3://bucket/x.h5ad", *options, env=keys),
            self.exported(self.path("bucket", "x.h5ad")),
        )
        with open(self.path("plan"), encoding="utf-8") as file:
            plan = file.read()
        self.assertEqual(json.loads(plan)["options"]["region"], "lab")
        self.assertNotIn(remote.SECRET, plan)

    def test_tasks_of_a_machine_share_their_reads(self):
        server = self.served(StoreServer(self.folder))
        self.assertEqual(
            run("export", "--plan", "--tasks", str(TASKS), server.url + "/x.h5ad", self.path("plan")).returncode, 0
        )
        cache = ("-o", f"remote_cache={self.path('cache')}")
        for task in range(1, TASKS + 1):
            server.requests.clear()
            result = run("export", *cache, "--task", str(task), self.path("plan"), self.path("planned"))
            self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual([status for path, _, status in server.requests if not path.endswith(".plainfs")], [304])
        self.assertEqual(run("export", "--finish", self.path("plan"), self.path("planned")).returncode, 0)
        self.assertEqual(tree(self.path("planned")), self.exported(self.path("x.h5ad")))

    def test_store_changed_since_the_plan_is_refused(self):
        server = self.served(StoreServer(self.folder))
        self.assertEqual(
            run("export", "--plan", "--tasks", "1", server.url + "/x.h5ad", self.path("plan")).returncode, 0
        )
        with open(self.path("x.h5ad"), "ab") as file:
            file.write(b"\0")
        result = run("export", "--task", "1", self.path("plan"), self.path("planned"))
        self.assertEqual(result.returncode, 12, result.stderr)
        self.assertIn(b"has changed since it was planned", result.stderr)

    def test_unrepeatable_options_are_not_planned(self):
        server = self.served(StoreServer(self.folder))
        for store, is_weak, words in (
            ("x.h5ad?key=secret", False, b"signed URL"),
            ("image.zarr", True, b"no strong ETags"),
        ):
            server.weak = is_weak
            result = run("export", "--plan", f"{server.url}/{store}", self.path("plan"))
            self.assertEqual(result.returncode, 15, result.stderr)
            self.assertIn(words, result.stderr)
            self.assertNotIn(b"secret", result.stderr)

    def test_sizes_last(self):
        write_h5ad(self.path("x.h5ad"))
        server = self.served(StoreServer(self.folder))
        everything = ("-o", "views=csv+npy+mtx+tsv+json+gz+rds+h5ad")  # a remote store lists these only if named
        options = ("-o", "index=" + self.path("index"), *everything)
        self.assertEqual(run("index", *options, server.url + "/x.h5ad").returncode, 0)
        del server.requests[:]
        listed = run("ls", "-lR", *options, server.url + "/x.h5ad")
        known = len(server.requests)
        self.assertEqual(listed.returncode, 0, listed.stderr)
        del server.requests[:]
        again = run("ls", "-lR", "-o", "index=none", *everything, server.url + "/x.h5ad")
        self.assertEqual(listed.stdout, again.stdout)
        self.assertLess(2 * known, len(server.requests))
        # Another version has its own sizes.
        shutil.copy(os.path.join(SAMPLES, "pbmc.h5seurat"), self.path("x.h5ad"))
        self.assertEqual(
            run("ls", "-lR", *options, server.url + "/x.h5ad").stdout,
            run("ls", "-lR", "-o", "index=none", *everything, server.url + "/x.h5ad").stdout,
        )


if __name__ == "__main__":
    remote.unittest.main()
