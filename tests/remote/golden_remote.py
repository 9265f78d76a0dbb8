"""Compares every golden case on a remote server with the same case on disk, except for the parts that must differ."""
import json
import os
import shutil

from remote import DATA, RemoteTest, run
from cases import GOOD, VIEWS, a_third, cases
from written_tree import tree

# Stores that refer to other stores beside them, which are unreachable there, and one with consolidated metadata that
# omit a group. The files shown in both cases must still be equal.
OTHERWISE = (
    "hdf5/links",
    "hdmf-zarr/external_links",
    "hdmf-zarr/object_codecs",
    "hdmf-zarr/own_specs",
    "hdmf-zarr/sources_0_10",
    "hdmf-zarr/v3_convention",
)

# A chunk that is a directory: keys of S3 cannot be, so there the chunk is absent.
ABSENT_IN_S3 = {"zarr/v2_bad": {"chunk_is_directory.csv", "chunk_is_directory.npy"}}
ROOTS = (".zarray", ".zattrs", ".zgroup", ".zmetadata", "OBJECT", "version", "zarr.json", "matrix.mtx", "matrix.mtx.gz")
ROOTS += ("cells_x_genes.mtx",)


def is_folder_of_parts(store):
    """Returns whether a folder has the parts of a Parquet table, and marks of its writer at most."""
    names = [name for _, _, names in os.walk(store) for name in names]
    return bool(names) and all(name.endswith(".parquet") or name.startswith("_") for name in names)


def is_folder_of_stores(store):
    if not os.path.isdir(store) or is_folder_of_parts(store):
        return False
    return not any(os.path.exists(os.path.join(store, name)) for name in ROOTS)


def stores_in(store):
    """Returns the store, or the stores in it if it is a mere folder of takane objects."""
    inner = [os.path.join(store, name) for name in sorted(os.listdir(store))] if os.path.isdir(store) else []
    objects = [place for place in inner if os.path.exists(os.path.join(place, "OBJECT"))]
    return [store] if os.path.exists(os.path.join(store, "OBJECT")) or not objects else objects


def has_documents(store):
    """Returns whether a folder describes its content itself, so that it need not be listed."""
    if os.path.exists(os.path.join(store, "zarr.json")):
        with open(os.path.join(store, "zarr.json"), encoding="utf-8") as file:
            document = json.load(file)
        return document.get("node_type") == "array" or bool(document.get("consolidated_metadata"))
    return any(os.path.exists(os.path.join(store, name)) for name in ("version", ".zmetadata", ".zarray"))


class GoldenRemote(RemoteTest):
    def exported(self, name, *arguments, **more):
        target = self.path(name)
        done = run("export", "--views", VIEWS, *arguments, target, **more)
        return done, tree(target)

    def difference(self, is_s3, case, store, expected, url, env):
        """Returns the fault of an export of `url`, or None."""
        name = os.path.relpath(case, DATA)
        existing, found = self.exported("there", url, env=env)
        shutil.rmtree(self.path("there"), ignore_errors=True)
        is_answered = b"zarr.consolidate_metadata()" in existing.stderr or b"plain HTTP" in existing.stderr
        if os.path.isdir(store) and not is_s3 and not found and is_answered and not has_documents(store):
            return None
        if is_folder_of_stores(store):
            is_refused = b"no such file" in existing.stderr or b"a remote folder that is not a store" in existing.stderr
            return None if is_refused and not found else f"{url}: {existing.stderr.decode()[:300]}"
        # These files are found by a listing, which a web server does not have.
        if (name.startswith("mex/") or is_folder_of_parts(store)) and os.path.isdir(store) and not is_s3:
            return None if existing.returncode == 11 and not found else f"{url}: {existing.stderr.decode()[:300]}"
        if name in OTHERWISE:
            shared = [path for path in expected[1] if path in found and path.endswith((".npy", ".mtx"))]
            return None if all(expected[1][path] == found[path] for path in shared) else f"{url}: {shared}"
        # The first of several errors gives the exit code.
        if (bool(expected[0].returncode), expected[1]) == (bool(existing.returncode), found):
            return None
        paths = [path for path in sorted({*expected[1], *found}) if expected[1].get(path) != found.get(path)]
        if is_s3 and set(paths) == ABSENT_IN_S3.get(name):
            return None
        return f"{url}: {existing.returncode} {paths[:3]} {existing.stderr.decode()[:300]}"

    def differences(self, places):
        """Returns the faults, one per line. places: for each place whether it is S3, the URL of DATA, and the
        environment."""
        wrong = []
        for case, store in (
            (case, inner) for case, store in a_third(cases(DATA, GOOD), 1) for inner in stores_in(store)
        ):
            expected = self.exported("local", store)
            shutil.rmtree(self.path("local"), ignore_errors=True)
            for is_s3, url, env in places:
                wrong.append(
                    self.difference(is_s3, case, store, expected, f"{url}/{os.path.relpath(store, DATA)}", env)
                )
        return [line for line in wrong if line]
