"""Every golden case once more, over HTTP and from S3: the same bytes as from the disk."""
import json
import os
import shutil
import unittest

from remote import DATA, RemoteTest, environment, run, signing, tree
from cases import GOOD, VIEWS, cases
from store_server import StoreServer

# Stores that refer to others beside them, which are out of reach there, and one whose consolidated metadata leave a group out. What
# both show is the same all the same.
OTHERWISE = ("hdf5/links", "hdmf-zarr/external_links", "hdmf-zarr/object_codecs", "hdmf-zarr/own_specs", "hdmf-zarr/sources_0_10",
             "hdmf-zarr/v3_convention")

# A chunk that is a directory: keys of S3 have none, so there it is an absent one.
ABSENT_IN_S3 = {"zarr/v2_bad": {"chunk_is_directory.csv", "chunk_is_directory.npy"}}
ROOTS = (".zarray", ".zattrs", ".zgroup", ".zmetadata", "OBJECT", "version", "zarr.json")


def is_folder_of_stores(store):
    return os.path.isdir(store) and not any(os.path.exists(os.path.join(store, name)) for name in ROOTS)


def stores_in(store):
    """The store, or those in it where it is a mere folder of takane objects."""
    inner = [os.path.join(store, name) for name in sorted(os.listdir(store))] if os.path.isdir(store) else []
    objects = [place for place in inner if os.path.exists(os.path.join(place, "OBJECT"))]
    return [store] if os.path.exists(os.path.join(store, "OBJECT")) or not objects else objects


def has_documents(store):
    """Whether a folder tells by itself what is in it, so that nobody need list it."""
    if os.path.exists(os.path.join(store, "zarr.json")):
        with open(os.path.join(store, "zarr.json"), encoding="utf-8") as file:
            document = json.load(file)
        return document.get("node_type") == "array" or bool(document.get("consolidated_metadata"))
    return any(os.path.exists(os.path.join(store, name)) for name in ("version", ".zmetadata", ".zarray"))


class Golden(RemoteTest):
    def exported(self, name, *arguments, **more):
        target = self.path(name)
        done = run("export", "--views", VIEWS, *arguments, target, **more)
        return done, tree(target)

    def difference(self, server, case, store, expected, url, env):
        """What is wrong with the export of url; None where nothing is."""
        name = os.path.relpath(case, DATA)
        there, found = self.exported("there", url, env=env)
        shutil.rmtree(self.path("there"), ignore_errors=True)
        is_told = b"zarr.consolidate_metadata()" in there.stderr or b"plain HTTP" in there.stderr
        if os.path.isdir(store) and not server.s3 and not found and is_told and not has_documents(store):
            return None
        if is_folder_of_stores(store):
            is_refused = b"no such file" in there.stderr or b"a folder elsewhere that is no store" in there.stderr
            return None if is_refused and not found else f"{url}: {there.stderr.decode()[:300]}"
        if name in OTHERWISE:
            shared = [path for path in expected[1] if path in found and path.endswith((".npy", ".mtx"))]
            return None if all(expected[1][path] == found[path] for path in shared) else f"{url}: {shared}"
        # Of several errors it is the first that gives the exit code.
        if (bool(expected[0].returncode), expected[1]) == (bool(there.returncode), found):
            return None
        paths = [path for path in sorted({*expected[1], *found}) if expected[1].get(path) != found.get(path)]
        if server.s3 and set(paths) == ABSENT_IN_S3.get(name):
            return None
        return f"{url}: {there.returncode} {paths[:3]} {there.stderr.decode()[:300]}"

    def test_every_case_over_http_and_from_s3(self):
        http = self.served(StoreServer(DATA))
        s3 = self.served(StoreServer(os.path.dirname(DATA), s3=True))
        wrong = []
        for case, store in ((case, inner) for case, store in cases(DATA, GOOD) for inner in stores_in(store)):
            expected = self.exported("local", store)
            shutil.rmtree(self.path("local"), ignore_errors=True)
            path = os.path.relpath(store, DATA)
            wrong.append(self.difference(http, case, store, expected, f"{http.url}/{path}", environment()))
            wrong.append(self.difference(s3, case, store, expected, f"s3://{os.path.basename(DATA)}/{path}", signing(s3)))
        wrong = [line for line in wrong if line]
        self.assertFalse(wrong, "\n".join(wrong))


if __name__ == "__main__":
    unittest.main()
