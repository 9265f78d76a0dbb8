#!/usr/bin/python3
"""Writes the seeds of corpus/ from the vectors of the codec tests, one of each kind.

    make_seeds.py ../unit/codecs/vectors.json corpus
"""
import base64
import json
import os
import re
import struct
import sys

vectors = json.load(open(sys.argv[1]))
corpus = sys.argv[2]
here = os.path.dirname(os.path.abspath(__file__))
settings = re.findall(r'\{"([a-z0-9_]+)", (?:"(\{\})"|R"\((.*?)\)")', open(here + "/fuzz_codecs.cc").read())
object_ids = ["vlen-utf8", "vlen-bytes", "vlen-array", "json2", "msgpack2", "categorize", "json", "msgpack"]


def write(folder, name, data):
    os.makedirs(f"{corpus}/{folder}", exist_ok=True)
    with open(f"{corpus}/{folder}/{re.sub('[^a-z0-9]+', '_', name.lower()).strip('_')}", "wb") as file:
        file.write(data)


seen = set()
for vector in vectors:
    encoded = base64.b64decode(vector["encoded"])
    if "elements" in vector:
        count = len(vector["elements"])
        if vector["id"] == "pickle":
            write("pickle", vector["name"], bytes([count]) + encoded)
        elif vector["id"] not in seen:
            seen.add(vector["id"])
            write("objects", vector["name"], bytes([object_ids.index(vector["id"]), count]) + encoded)
        continue
    size = len(base64.b64decode(vector["decoded"]))
    lzma_format = vector["configuration"].get("format") or 1
    key = (vector["id"], lzma_format, vector["name"].split()[-1] if vector["id"] == "blosc" else "")
    if key in seen:
        continue
    seen.add(key)
    for which, (name, _, configuration) in enumerate(settings):
        if name == vector["id"] and (
            name != "lzma" or lzma_format == (json.loads(configuration or "{}").get("format") or 1)
        ):
            write("codecs", vector["name"], struct.pack("<BBH", which, 1, size) + encoded)
    configuration = json.dumps(vector["configuration"]).encode()
    write(
        "codec_configuration",
        vector["name"],
        vector["id"].encode() + b"\n" + vector["dtype"].encode() + b"\n" + configuration + b"\0" + encoded,
    )
