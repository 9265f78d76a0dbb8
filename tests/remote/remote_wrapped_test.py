"""Stores inside compressed files and archives on a server."""
import gzip
import io
import os
import tarfile
import unittest

from remote import RemoteTest, run
from remote_requests_test import write_h5ad
from store_server import StoreServer

MATRIX = b"%%MatrixMarket matrix coordinate integer general\n2 1 1\n2 1 7\n"


class Wrapped(RemoteTest):
    def setUp(self):
        super().setUp()
        os.makedirs(self.path("served"))
        self.server = self.served(StoreServer(self.path("served")))

    def test_compressed_store_shows_the_files_of_its_content(self):
        plain = self.path("served", "x.h5ad")
        write_h5ad(plain)
        with open(plain, "rb") as file, open(plain + ".gz", "wb") as packed:
            packed.write(gzip.compress(file.read()))
        expected = run("cat", plain, "obs.csv")
        self.assertEqual(expected.returncode, 0)
        self.assertEqual(run("cat", self.server.url + "/x.h5ad.gz", "obs.csv").stdout, expected.stdout)

    def test_sample_is_read_from_an_archive(self):
        with tarfile.open(self.path("served", "GSE1_RAW.tar"), "w") as archive:
            for name, content in (
                ("GSM1_S1_matrix.mtx.gz", MATRIX),
                ("GSM1_S1_features.tsv.gz", b"E1\tA\tGene Expression\nE2\tB\tGene Expression\n"),
                ("GSM1_S1_barcodes.tsv.gz", b"ACGT-1\n"),
            ):
                member = tarfile.TarInfo(name)
                packed = gzip.compress(content)
                member.size = len(packed)
                archive.addfile(member, io.BytesIO(packed))
        url = self.server.url + "/GSE1_RAW.tar"
        self.assertEqual(run("cat", url, "GSM1_S1/matrix.mtx").stdout, MATRIX)
        self.assertEqual(run("cat", url, "GSM1_S1/barcodes.tsv").stdout, b"ACGT-1\n")


if __name__ == "__main__":
    unittest.main(verbosity=2)
