"""Golden cases again, over HTTP and from S3: the same bytes as from disk."""
import os
import unittest

from golden_remote import GoldenRemote
from remote import DATA, environment, signing
from store_server import StoreServer


class Golden(GoldenRemote):
    def test_cases_over_http_and_from_s3(self):
        http = self.served(StoreServer(DATA))
        s3 = self.served(StoreServer(os.path.dirname(DATA), s3=True))
        wrong = self.differences(
            [(False, http.url, environment()), (True, f"s3://{os.path.basename(DATA)}", signing(s3))]
        )
        self.assertFalse(wrong, "\n".join(wrong))


if __name__ == "__main__":
    unittest.main()
