"""Every golden case from the S3 interface of OpenStack Swift, an independent server. By hand, as root; two minutes:

    apt-get install swift-proxy swift-account swift-container swift-object memcached python3-boto3
    PLAINFS=$PWD/build/plainfs PLAINFS_TEST_DATA=$PWD/build/tests/data python3 tests/remote/swift_golden.py

Swift runs from a folder of the test, on ports of 127.0.0.1, and ends with it.
"""
import concurrent.futures
import os
import pwd
import socket
import subprocess
import time
import unittest

import boto3
import botocore.config

from golden_remote import GoldenRemote
from remote import DATA, environment

USER, KEY = "test:tester", "testing"
PROXY = """
[pipeline:main]
pipeline = catch_errors cache s3api tempauth proxy-server
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
[filter:catch_errors]
use = egg:swift#catch_errors
[filter:cache]
use = egg:swift#memcache
memcache_servers = 127.0.0.1:{memcached}
[filter:tempauth]
use = egg:swift#tempauth
user_test_tester = testing .admin
[filter:s3api]
use = egg:swift#s3api
check_bucket_owner = false
location = us-east-1
"""
SERVER = """
[pipeline:main]
pipeline = {name}-server
[app:{name}-server]
use = egg:swift#{name}
"""


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


class Swift:
    """A Swift with one device, one copy of everything, and one user."""

    def __init__(self, folder):
        self.folder = folder
        self.programs = []
        self.ports = {name: free_port() for name in ("account", "container", "object", "proxy", "memcached")}
        self.url = f"http://127.0.0.1:{self.ports['proxy']}"

    def __enter__(self):
        if not os.path.exists("/etc/swift/swift.conf"):  # it reads its secret only there
            os.makedirs("/etc/swift", exist_ok=True)
            with open("/etc/swift/swift.conf", "w", encoding="ascii") as file:
                file.write("[swift-hash]\nswift_hash_path_suffix = tests\n")
        os.makedirs(os.path.join(self.folder, "devices", "d1"))
        self.start("memcached", "-u", "nobody", "-l", "127.0.0.1", "-p", str(self.ports["memcached"]))
        for name in ("account", "container", "object"):
            builder = os.path.join(self.folder, f"{name}.builder")
            for step in (
                ("create", "10", "1", "1"),
                ("add", f"r1z1-127.0.0.1:{self.ports[name]}/d1", "1"),
                ("rebalance",),
            ):
                subprocess.run(["swift-ring-builder", builder, *step], check=True, stdout=subprocess.DEVNULL)
            self.serve(name, SERVER.format(name=name))
        self.serve("proxy", PROXY.format(**self.ports))
        for _ in range(300):
            with socket.socket() as tried:
                if tried.connect_ex(("127.0.0.1", self.ports["proxy"])) == 0:
                    return self
            time.sleep(0.1)
        raise RuntimeError("Swift does not start")

    def __exit__(self, *unused):
        for program in self.programs:
            program.terminate()
        for program in self.programs:
            program.wait()

    def serve(self, name, configuration):
        path = os.path.join(self.folder, f"{name}-server.conf")
        with open(path, "w", encoding="ascii") as file:
            file.write(
                f"[DEFAULT]\nbind_ip = 127.0.0.1\nbind_port = {self.ports[name]}\nworkers = 0\nmount_check = false\n"
                f"user = {pwd.getpwuid(os.getuid()).pw_name}\nswift_dir = {self.folder}\n"
                f"devices = {self.folder}/devices\n{configuration}"
            )
        self.start(f"swift-{name}-server", path)

    def start(self, *command):
        self.programs.append(subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))

    def put(self, bucket, folder):
        client = boto3.client(
            "s3",
            endpoint_url=self.url,
            aws_access_key_id=USER,
            aws_secret_access_key=KEY,
            region_name="us-east-1",
            config=botocore.config.Config(s3={"addressing_style": "path"}, max_pool_connections=8),
        )
        client.create_bucket(Bucket=bucket)
        paths = [os.path.join(place, name) for place, _, names in os.walk(folder) for name in names]

        def put_one(path):
            with open(path, "rb") as file:
                client.put_object(Bucket=bucket, Key=os.path.relpath(path, folder), Body=file)

        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            list(pool.map(put_one, [path for path in paths if os.path.isfile(path) and "/expected/" not in path]))


class SwiftGolden(GoldenRemote):
    def test_every_case(self):
        os.mkdir(self.path("swift"))
        swift = self.served(Swift(self.path("swift")))
        swift.put("golden", DATA)
        keys = environment(
            AWS_ACCESS_KEY_ID=USER, AWS_SECRET_ACCESS_KEY=KEY, AWS_ENDPOINT_URL=swift.url, AWS_REGION="us-east-1"
        )
        wrong = self.differences([(True, "s3://golden", keys)])
        self.assertFalse(wrong, "\n".join(wrong))


if __name__ == "__main__":
    unittest.main()
