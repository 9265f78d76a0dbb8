"""A server of stores for the tests: plain HTTP with ranges, or S3 with verified signatures, and faults on demand.

As a program: store_server.py FOLDER [--s3] [--list] prints its URL and serves until its standard input ends."""
import argparse
import base64
import email.utils
import hashlib
import hmac
import http.server
import os
import re
import socket
import sys
import threading
import time
import urllib.parse
from xml.sax.saxutils import escape

KEYS = {"AKIDEXAMPLE": "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"}


class Fault:
    """A fault of the server for the next `times` requests with a path (including its query) that matches `path`."""

    def __init__(self, kind, times=1, path="", after=0, **details):
        self.kind, self.times, self.path, self.after, self.details = kind, times, re.compile(path), after, details

    def takes(self, path):
        if self.times <= 0 or not self.path.search(path):
            return False
        if self.after > 0:
            self.after -= 1
            return False
        self.times -= 1
        return True

    asked = None  # the range of the last affected request


class StoreServer:
    """Serves the files below `root` at `url` while the context lasts.

    `requests`: (path with query, Range or None, status).
    """

    def __init__(
        self,
        root,
        s3=False,
        ranges=True,
        keys=None,
        delay=0,
        region="us-east-1",
        listable=True,
        anonymous=False,
        host="127.0.0.1",
    ):
        self.root, self.s3, self.ranges, self.delay, self.region, self.listable = (
            root,
            s3,
            ranges,
            delay,
            region,
            listable,
        )
        self.keys = dict(KEYS if keys is None else keys)
        self.tokens = {}  # key id: session token
        self.anonymous = anonymous  # requests without a signature are served
        self.azure = None  # (account, key in base64, shared access signature): Blob Storage in place of S3
        self.blobs_at_once = 5000
        self.weak = False  # ETags only claim that two versions are equivalent
        self.redirects = {}  # path: URL, or a function that returns it
        self.pages = {}  # path: function(handler) that replies
        self.absent = None  # function(handler) that replies to requests for objects that do not exist
        self.requests, self.faults, self.versions = [], [], {}
        self.authorizations = []  # of each request: its Authorization, or None
        self.bytes_sent = 0  # of bodies
        self.lock = threading.Lock()

        class Handler(RequestHandler):
            server_of_stores = self

        self.server = QuietServer((host, 0), Handler)
        self.host = f"{host}:{self.server.server_address[1]}"
        self.url = f"http://{self.host}"

    def __enter__(self):
        self.thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

    def fault_for(self, path):
        with self.lock:
            return next((fault for fault in self.faults if fault.takes(path)), None)

    def change(self, path):
        """Replaces the object by another version of itself."""
        self.versions[path] = self.versions.get(path, 0) + 1

    def etag(self, path, status):
        text = f"{path} {status.st_size} {status.st_mtime_ns} {self.versions.get(path, 0)}"
        return '"%s"' % hashlib.md5(text.encode()).hexdigest()

    def gets(self):
        return [request for request in self.requests if request[2] in (200, 206)]


class QuietServer(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def handle_error(self, request, client_address):
        """Ignores clients that hang up, and reports errors of the server itself."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)


class RequestHandler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = 1 << 16

    def log_message(self, *_):
        pass

    def do_GET(self):
        store = self.server_of_stores
        if store.delay:
            time.sleep(store.delay)
        self.answer(store)
        self.wfile.flush()

    do_HEAD = do_PUT = do_POST = do_GET

    def reply(self, status, body=b"", fields=()):
        store = self.server_of_stores
        with store.lock:
            store.requests.append((self.path, self.headers.get("Range"), status))
            store.authorizations.append(self.headers.get("Authorization"))
            store.bytes_sent += 0 if self.command == "HEAD" else len(body)
        self.send_response(status)
        for name, value in fields:
            self.send_header(name, value)
        if "Content-Length" not in dict(fields):
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def refuse(self, status, code, fields=()):
        body = f"<?xml version=\"1.0\"?><Error><Code>{code}</Code><Message>{code}</Message></Error>".encode()
        self.reply(status, body, [("Content-Type", "application/xml"), *fields])

    def answer(self, store):
        length = int(self.headers.get("Content-Length") or 0)
        self.body = self.rfile.read(length) if length else b""
        parts = urllib.parse.urlsplit(self.path)
        path = urllib.parse.unquote(parts.path)
        if path in store.pages:
            return store.pages[path](self)
        if path in store.redirects:
            target = store.redirects[path]
            return self.reply(302, b"", [("Location", target() if callable(target) else target)])
        fault = store.fault_for(self.path)
        if fault:
            fault.asked = self.headers.get("Range")
        if fault and self.break_down(fault):
            return None
        if store.s3:
            wrong = self.wrong_signature(store)
            if wrong:
                return self.refuse(*wrong)
        query = dict(urllib.parse.parse_qsl(parts.query, keep_blank_values=True))
        if store.azure:
            if not self.is_authorized_by_azure(store, query):
                return self.refuse(403, "AuthenticationFailed")
            if self.command == "PUT":
                with open(os.path.join(store.root, path.lstrip("/")), "wb") as file:
                    file.write(self.body)
                return self.reply(201)
            if query.get("comp") == "list":
                return self.list_blobs(store, path.strip("/"), query)
        if store.s3 and self.command == "PUT":
            with open(os.path.join(store.root, path.lstrip("/")), "wb") as file:
                file.write(self.body)
            return self.reply(200)
        if store.s3 and "list-type" in query:
            return self.list_objects(store, path.strip("/"), query)
        return self.give(store, path, fault)

    def break_down(self, fault):
        """Applies a fault. Returns whether that answers the request."""
        kind, details = fault.kind, fault.details
        if kind == "status":
            fields = [("Retry-After", str(details["retry_after"]))] if "retry_after" in details else []
            self.refuse(details["status"], details.get("code", "InternalError"), fields)
            return True
        if kind == "hang up":
            with self.server_of_stores.lock:
                self.server_of_stores.requests.append((self.path, self.headers.get("Range"), 0))
            self.close_connection = True
            self.connection.shutdown(socket.SHUT_RDWR)
            return True
        if kind == "slow":
            time.sleep(details["seconds"])
        return False

    def give(self, store, path, fault):
        place = os.path.join(store.root, path.lstrip("/"))
        if not os.path.isfile(place) or "/../" in path:
            return store.absent(self) if store.absent else self.refuse(404, "NoSuchKey")
        status = os.stat(place)
        etag = ("W/" if store.weak else "") + store.etag(path, status)
        if fault and fault.kind == "other version":
            etag = '"another"'
        wanted = self.headers.get("If-Match")
        if wanted and wanted != etag:
            if not (fault and fault.kind == "other version"):  # that fault replies normally
                return self.refuse(412, "PreconditionFailed")
        if not wanted and self.headers.get("If-None-Match") == etag:
            return self.reply(304, b"", [("ETag", etag)])
        size, first, last = status.st_size, 0, status.st_size - 1
        fields = [
            ("ETag", etag),
            ("Accept-Ranges", "bytes"),
            ("Last-Modified", email.utils.formatdate(int(status.st_mtime), usegmt=True)),
        ]
        if fault and fault.kind == "no version":
            fields = []
        asked = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range") or "")
        is_range = asked and store.ranges and not (fault and fault.kind == "no ranges")
        if is_range:
            first = int(asked[1])
            last = min(size - 1, int(asked[2]) if asked[2] else size - 1)
            if first >= size:
                return self.reply(416, b"", [("Content-Range", f"bytes */{size}"), *fields[:1]])
            shown = first + fault.details.get("shift", 1) if fault and fault.kind == "wrong range" else first
            fields.append(("Content-Range", f"bytes {shown}-{last}/{size}"))
        with open(place, "rb") as file:
            file.seek(first)
            body = file.read(last - first + 1)
        if fault and fault.kind == "encoded":
            fields.append(("Content-Encoding", "gzip"))
        announced = len(body)
        if fault and fault.kind == "wrong length":
            announced = max(0, announced + fault.details["more"])
            self.close_connection = True
        fields.append(("Content-Length", str(announced)))
        if fault and fault.kind == "cut":
            body = body[: fault.details.get("bytes", len(body) // 2)]
            self.close_connection = True
        if fault and fault.kind == "stall":
            return self.stall(206 if is_range else 200, body, fields, fault)
        return self.reply(206 if is_range else 200, body, fields)

    def stall(self, status, body, fields, fault):
        half = len(body) // 2
        self.reply(status, body[:half], fields)
        self.wfile.flush()
        time.sleep(fault.details["seconds"])
        try:
            self.wfile.write(body[half:])
        except OSError:
            pass

    def list_objects(self, store, bucket, query):
        """Replies to ListObjectsV2 of the Amazon S3 API Reference."""
        if not store.listable:
            return self.refuse(403, "AccessDenied")
        base, prefix, delimiter = os.path.join(store.root, bucket), query.get("prefix", ""), query.get("delimiter", "")
        keys = sorted(key for key in keys_below(base) if key.startswith(prefix))
        start, most = decoded_token(query.get("continuation-token", "")), int(query.get("max-keys", 1000))
        entries = []  # (name, whether it is a prefix)
        for key in keys:
            end = key.find(delimiter, len(prefix)) if delimiter else -1
            entry = (key, False) if end < 0 else (key[: end + 1], True)
            if not entries or entries[-1] != entry:
                entries.append(entry)
        entries = [entry for entry in entries if entry[0] > start]
        page, is_cut = entries[:most], len(entries) > most
        code = urllib.parse.quote if query.get("encoding-type") == "url" else escape
        lines = [
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>"
            "<ListBucketResult xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">",
            f"<Name>{bucket}</Name><Prefix>{code(prefix)}</Prefix>"
            f"<KeyCount>{len(page)}</KeyCount><MaxKeys>{most}</MaxKeys>",
            f"<IsTruncated>{str(is_cut).lower()}</IsTruncated>",
        ]
        if code is urllib.parse.quote:
            lines.append("<EncodingType>url</EncodingType>")
        if is_cut:
            lines.append(
                f"<NextContinuationToken>{base64.b64encode(page[-1][0].encode()).decode()}</NextContinuationToken>"
            )
        for name, is_prefix in page:
            if is_prefix:
                lines.append(f"<CommonPrefixes><Prefix>{code(name)}</Prefix></CommonPrefixes>")
                continue
            status = os.stat(os.path.join(base, name))
            etag = escape(store.etag(f"/{bucket}/{name}", status), {'"': "&quot;"})
            stamp = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(status.st_mtime))
            lines.append(
                f"<Contents><Key>{code(name)}</Key><LastModified>{stamp}</LastModified><ETag>{etag}</ETag>"
                f"<Size>{status.st_size}</Size><StorageClass>STANDARD</StorageClass></Contents>"
            )
        lines.append("</ListBucketResult>")
        return self.reply(200, "".join(lines).encode(), [("Content-Type", "application/xml")])

    def list_blobs(self, store, container, query):
        """List Blobs of Microsoft's Blob service REST API, with a directory of a hierarchical namespace."""
        base, prefix, delimiter = (
            os.path.join(store.root, container),
            query.get("prefix", ""),
            query.get("delimiter", ""),
        )
        names = sorted(key for key in keys_below(base) if key.startswith(prefix))
        entries = {}  # name: whether it is a prefix
        for name in names:
            end = name.find(delimiter, len(prefix)) if delimiter else -1
            entries[name if end < 0 else name[: end + 1]] = end >= 0
        start, most = decoded_token(query.get("marker", "")), min(int(query["maxresults"]), store.blobs_at_once)
        later = [name for name in sorted(entries) if name > start]
        lines = []
        for name in later[:most]:
            if entries[name]:
                lines.append(f"<BlobPrefix><Name>{escape(name)}</Name></BlobPrefix>")
                continue
            status = os.stat(os.path.join(base, name))
            tag = store.etag(f"/{container}/{name}", status).strip('"')
            lines.append(
                f"<Blob><Name>{escape(name)}</Name><Properties><Etag>{tag}</Etag>"
                f"<Content-Length>{status.st_size}</Content-Length>"
                "<BlobType>BlockBlob</BlobType></Properties></Blob>"
            )
        if prefix and not delimiter:
            lines.append(
                f"<Blob><Name>{escape(prefix)}folder</Name><Properties><ResourceType>directory</ResourceType>"
                "<Content-Length>0</Content-Length></Properties></Blob>"
            )
        marker = base64.b64encode(later[most - 1].encode()).decode() if len(later) > most else ""
        body = (
            f"<EnumerationResults><Blobs>{''.join(lines)}</Blobs><NextMarker>{marker}</NextMarker></EnumerationResults>"
        )
        return self.reply(200, body.encode(), [("Content-Type", "application/xml")])

    def is_authorized_by_azure(self, store, query):
        account, key, token = store.azure
        given = self.headers.get("Authorization")
        if given:
            return (
                given
                == f"SharedKey {account}:{shared_key_signature(self.command, self.path, self.headers, account, key)}"
            )
        if token and all(query.get(name) == value for name, value in urllib.parse.parse_qsl(token)):
            return True
        return store.anonymous

    def wrong_signature(self, store):
        """Returns (status, code) if the request is not signed by AWS's Signature Version 4."""
        given = self.headers.get("Authorization")
        if given is None:
            return None if store.anonymous else (403, "AccessDenied")
        found = re.fullmatch(
            r"AWS4-HMAC-SHA256 Credential=([^/]+)/(\d{8})/([^/]+)/s3/aws4_request, "
            r"SignedHeaders=([^,]+), Signature=([0-9a-f]{64})",
            given,
        )
        if not found:
            return 400, "AuthorizationHeaderMalformed"
        key_id, day, region, names, signature = found.groups()
        if key_id not in store.keys:
            return 403, "InvalidAccessKeyId"
        if store.tokens.get(key_id) != self.headers.get("X-Amz-Security-Token"):
            return 403, "InvalidToken"
        if region != store.region:
            return 400, "AuthorizationHeaderMalformed", [("x-amz-bucket-region", store.region)]
        expected = signature_of(
            self.command, self.path, self.headers, names.split(";"), day, region, store.keys[key_id]
        )
        by_botocore = botocore_signature(
            self.command,
            f"http://{self.headers['Host']}{self.path}",
            self.headers,
            names.split(";"),
            region,
            key_id,
            store.keys[key_id],
            self.headers.get("X-Amz-Security-Token"),
        )
        assert by_botocore in (None, expected), f"botocore signs {self.path} otherwise"
        return None if signature == expected else (403, "SignatureDoesNotMatch")


def keys_below(base):
    for folder, _, names in os.walk(base, followlinks=True):
        for name in names:
            yield os.path.relpath(os.path.join(folder, name), base)


def shared_key_signature(method, path, headers, account, key):
    """Returns the signature of Microsoft's "Authorize with Shared Key". path: as it was sent."""
    parts = urllib.parse.urlsplit(path)
    length = headers.get("Content-Length", "")
    standard = [
        headers.get("Content-Encoding", ""),
        headers.get("Content-Language", ""),
        "" if length == "0" else length,
        *(
            headers.get(name, "")
            for name in (
                "Content-MD5",
                "Content-Type",
                "Date",
                "If-Modified-Since",
                "If-Match",
                "If-None-Match",
                "If-Unmodified-Since",
                "Range",
            )
        ),
    ]
    own = sorted((name.lower(), value) for name, value in headers.items() if name.lower().startswith("x-ms-"))
    query = sorted(urllib.parse.parse_qsl(parts.query, keep_blank_values=True))
    text = "\n".join(
        [
            method,
            *standard,
            *(f"{name}:{value}" for name, value in own),
            f"/{account}{parts.path}" + "".join(f"\n{name}:{value}" for name, value in query),
        ]
    )
    return base64.b64encode(hmac.new(base64.b64decode(key), text.encode(), hashlib.sha256).digest()).decode()


def decoded_token(token):
    return base64.b64decode(token).decode() if token else ""


def signature_of(method, path, headers, names, day, region, secret):
    """Returns the signature by the AWS General Reference, "Create a signed AWS API request". path: as sent."""
    parts = urllib.parse.urlsplit(path)
    pairs = sorted(
        (urllib.parse.quote(name, safe="-_.~"), urllib.parse.quote(value, safe="-_.~"))
        for name, value in urllib.parse.parse_qsl(parts.query, keep_blank_values=True)
    )
    canonical = "\n".join(
        [
            method,
            urllib.parse.quote(urllib.parse.unquote(parts.path), safe="/-_.~"),
            "&".join("=".join(pair) for pair in pairs),
            *(f"{name}:{' '.join(headers[name].split())}" for name in names),
            "",
            ";".join(names),
            headers["x-amz-content-sha256"],
        ]
    )
    scope = f"{day}/{region}/s3/aws4_request"
    text = "\n".join(["AWS4-HMAC-SHA256", headers["x-amz-date"], scope, hashlib.sha256(canonical.encode()).hexdigest()])
    key = ("AWS4" + secret).encode()
    for part in scope.split("/"):
        key = hmac.new(key, part.encode(), hashlib.sha256).digest()
    return hmac.new(key, text.encode(), hashlib.sha256).hexdigest()


def botocore_signature(method, url, headers, names, region, key_id, secret, token):
    """Returns botocore's signature of the same request, or None if it is not installed."""
    try:
        from botocore.auth import S3SigV4Auth
        from botocore.awsrequest import AWSRequest
        from botocore.credentials import Credentials
    except ImportError:
        return None
    request = AWSRequest(
        method=method,
        url=url.partition("?")[0],
        params=dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(url).query, keep_blank_values=True)),
    )
    for name in names:
        request.headers[name] = headers[name]
    request.context["timestamp"] = headers["x-amz-date"]
    signer = S3SigV4Auth(Credentials(key_id, secret, token), "s3", region)
    text = signer.string_to_sign(request, signer.canonical_request(request))
    return signer.signature(text, request)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder")
    parser.add_argument("--s3", action="store_true")
    parser.add_argument("--delay", type=float, default=0)
    arguments = parser.parse_args()
    with StoreServer(arguments.folder, s3=arguments.s3, delay=arguments.delay) as server:
        print(server.url, flush=True)
        sys.stdin.read()
        print(len(server.requests), file=sys.stderr)


if __name__ == "__main__":
    main()
