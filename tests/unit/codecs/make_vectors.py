#!/usr/bin/python3
"""Writes vectors.json: chunks encoded by the tools themselves, and their decoded content.

    make_vectors.py FIXTURES > vectors.json

Most vectors are made here by Debian's python3-numcodecs. It lacks crc32c, fletcher32 and jenkins_lookup3: their chunks
are taken from FIXTURES/zarr/v3_numcodecs, written by zarr-python 3.3.0.
"""
import base64
import bz2
import gzip
import json
import lzma
import sys
import zlib

import numcodecs
import numpy as np
from numcodecs import (
    AsType,
    Base64,
    BitRound,
    Blosc,
    BZ2,
    Categorize,
    Delta,
    FixedScaleOffset,
    GZip,
    JSON,
    LZ4,
    LZMA,
    MsgPack,
    PackBits,
    Pickle,
    Quantize,
    Shuffle,
    VLenArray,
    VLenBytes,
    VLenUTF8,
    ZFPY,
    Zlib,
    Zstd,
)
from numcodecs.checksum32 import Adler32, CRC32

vectors = []


def b64(data):
    return base64.b64encode(bytes(data)).decode()


def add(name, config, dtype, encoded, decoded):
    config = dict(config)
    vectors.append(
        dict(
            name=name,
            id=config.pop("id"),
            configuration=config,
            dtype=dtype,
            encoded=b64(encoded),
            decoded=b64(decoded),
        )
    )


def run(name, codec, array):
    encoded = bytes(numcodecs.compat.ensure_bytes(codec.encode(array)))
    decoded = np.asarray(codec.decode(encoded))
    if decoded.dtype == bool or array.dtype.kind == "U":
        data = decoded.tobytes()
    else:
        data = decoded.reshape(-1).view("u1").tobytes()
    add(name, codec.get_config(), array.dtype.str, encoded, data)


def objects(name, codec, array, elements, dtype="|O"):
    config = codec.get_config()
    vectors.append(
        dict(
            name=name,
            id=config.pop("id"),
            configuration=config,
            dtype=dtype,
            shape=list(array.shape),
            encoded=b64(codec.encode(array)),
            elements=elements,
        )
    )


rng = np.random.RandomState(7)
numbers = (np.arange(150, dtype="<i4") * 7 % 31 - 11).astype("<i4")
reals = np.round(np.sin(np.arange(120)) * 40, 1).astype("<f8")
noise = rng.randint(0, 256, 200).astype("u1")

for cname in numcodecs.blosc.list_compressors():
    for shuffle in (0, 1, 2):
        run(f"blosc {cname} {shuffle}", Blosc(cname, 5, shuffle), numbers)
run("blosc noise", Blosc("lz4", 5, 1), noise)
run("blosc clevel 0", Blosc("zstd", 0, 1), numbers)
run("blosc odd bitshuffle", Blosc("lz4", 5, 2), np.arange(501, dtype="<i2"))
run("blosc blocks", Blosc("zstd", 5, 1, blocksize=256), np.arange(400, dtype="<f8"))
run("blosc one byte", Blosc(), np.array([7], "u1"))
for level in (-3, 1, 19):
    run(f"zstd {level}", Zstd(level), numbers)
run("zlib", Zlib(6), numbers)
run("zlib stored", Zlib(0), noise)
run("gzip", GZip(5), numbers)
raw = numbers.tobytes()
add(
    "gzip two members",
    {"id": "gzip"},
    "<i4",
    gzip.compress(raw[:200], mtime=0) + gzip.compress(raw[200:], mtime=0),
    raw,
)
add("gzip zeros after", {"id": "gzip"}, "<i4", gzip.compress(raw, mtime=0) + bytes(5), raw)
add("gzip by old z5", {"id": "gzip"}, "<i4", zlib.compress(raw), raw)
run("lz4", LZ4(), numbers)
run("lz4 noise", LZ4(), noise)
run("bz2", BZ2(9), numbers)
add("bz2 two streams", {"id": "bz2"}, "<i4", bz2.compress(raw[:200]) + bz2.compress(raw[200:]), raw)
run("lzma xz", LZMA(), numbers)
run("lzma xz sha256", LZMA(check=lzma.CHECK_SHA256, preset=1), numbers)
run("lzma alone", LZMA(format=lzma.FORMAT_ALONE), numbers)
run(
    "lzma raw",
    LZMA(
        format=lzma.FORMAT_RAW, filters=[{"id": lzma.FILTER_DELTA, "dist": 4}, {"id": lzma.FILTER_LZMA2, "preset": 1}]
    ),
    numbers,
)
run(
    "lzma raw lzma1",
    LZMA(format=lzma.FORMAT_RAW, filters=[{"id": lzma.FILTER_LZMA1, "dict_size": 65536, "lc": 2, "lp": 1, "pb": 0}]),
    numbers,
)
run(
    "lzma raw bcj",
    LZMA(format=lzma.FORMAT_RAW, filters=[{"id": lzma.FILTER_X86}, {"id": lzma.FILTER_LZMA2, "preset": 6}]),
    numbers,
)
add("lzma two streams", {"id": "lzma"}, "<i4", lzma.compress(raw[:200]) + lzma.compress(raw[200:]), raw)
add("lzma v3 default", {"id": "lzma"}, "<i4", lzma.compress(raw), raw)
for array in (reals, reals.astype("<f4"), numbers, np.arange(64, dtype="<i8")):
    run(
        f"zfpy reversible-ish {array.dtype}",
        ZFPY(mode=4, tolerance=0.001) if array.dtype.kind == "f" else ZFPY(mode=4, tolerance=0),
        array,
    )
run("zfpy rate 2d", ZFPY(mode=2, rate=16), np.outer(reals[:9], reals[:7]))
run("zfpy precision 3d", ZFPY(mode=3, precision=20), np.arange(60, dtype="<f4").reshape(3, 4, 5))

run("shuffle 4", Shuffle(4), numbers)
run("shuffle 8", Shuffle(8), reals)
run("shuffle 2", Shuffle(2), np.arange(33, dtype="<u2"))
run("shuffle 3", Shuffle(3), noise[:99])
run("shuffle 1", Shuffle(1), noise)
run("base64", Base64(), noise[:31])
for dtype in ("<i4", ">i4", "|u1", "<i2", "<u8", "<f4", "<f8", "<f2"):
    run(f"delta {dtype}", Delta(dtype), numbers.astype(dtype))
run("delta i4 as i1", Delta("<i4", "|i1"), numbers)
run("delta f8 as f4", Delta("<f8", "<f4"), reals)
run("delta wraps", Delta("|u1"), noise)
run("delta minus zero", Delta("<f8"), np.array([-0.0, -0.0, 1.5]))
for scale, offset, dtype, astype in (
    (10, 1000, "<f8", "|u1"),
    (7, 0.5, "<f4", "<i2"),
    (2.5, 3, "<f8", "<f4"),
    (1000, 0, ">f8", ">i8"),
    (3, 0.1, "<f4", "<f4"),
    (3, 0.1, "<f2", "<f2"),
    (0.1, -10, "<i4", "<i2"),
    (3, 1, "<f4", "<f8"),
):
    run(
        f"fixedscaleoffset {scale} {offset} {dtype} {astype}",
        FixedScaleOffset(offset, scale, dtype, astype),
        (reals[:80] + (offset if astype == "|u1" else 0)).astype(dtype),
    )
run("quantize", Quantize(2, "<f8"), reals)
run("quantize f8 f4", Quantize(2, "<f8", "<f4"), reals)
run("bitround", BitRound(8), reals.astype("<f4"))
for encode, decode in (
    ("<i2", "<i4"),
    ("<f4", "<f8"),
    (">i4", ">f8"),
    ("<f8", "<i4"),
    ("<f8", "<f2"),
    ("<i8", "<f4"),
    ("<f4", "|b1"),
    ("|b1", "<f8"),
    ("<f2", "<i8"),
    ("<i4", "<u2"),
    ("<f8", "<u1"),
    ("<u8", "<f8"),
):
    values = (reals * 1.3).astype(decode)
    run(f"astype {encode} {decode}", AsType(encode, decode), values)
# Values beyond the target, except integers: a cast without a result is an error.
odd = np.array([1e300, -1e300, np.nan, np.inf, -np.inf, 3e9, -3e9, 1e19, 300.7, -1.5, 65519.99, 65520, 6e-8, 2.98e-8])
with np.errstate(all="ignore"):
    for target in ("<f2", "<f4"):
        add(
            f"astype beyond {target}",
            {"id": "astype", "encode_dtype": "<f8", "decode_dtype": target},
            target,
            odd.tobytes(),
            odd.astype(target).tobytes(),
        )
for n in (1, 7, 8, 203):
    run(f"packbits {n}", PackBits(), noise[np.arange(n) % 200] > 100)
names = np.array(["female", "male", "other", "m\u00e4nnlich", ""] * 4, dtype="<U9")
run("categorize U", Categorize(["female", "male", "m\u00e4nnlich"], "<U9"), names)
run("categorize U i2", Categorize(["female", "male"], ">U3", astype=">i2"), names.astype(">U3"))
run("crc32", CRC32(), numbers)
run("adler32", Adler32(), numbers)

fixtures = sys.argv[1] + "/zarr/v3_numcodecs/"
for name in ("crc32c", "crc32_end", "fletcher32", "jenkins_lookup3"):
    meta = json.load(open(f"{fixtures}store.zarr/{name}/zarr.json"))
    config = meta["codecs"][1]
    chunk = open(f"{fixtures}store.zarr/{name}/c/0", "rb").read()
    add(
        name,
        {"id": config["name"].split(".")[1], **config["configuration"]},
        "<i4",
        chunk,
        np.load(f"{fixtures}expected/{name}.npy")[:150].astype("<i4").tobytes(),
    )

texts = np.array(["plain", "", "NA", "\u017c\u00f3\u0142w", "\U0001f600"], dtype=object)
text_elements = list(texts)
objects("vlen-utf8", VLenUTF8(), texts, text_elements)
objects("vlen-utf8 2d", VLenUTF8(), np.append(texts, "x").reshape(2, 3), text_elements + ["x"])
objects("vlen-bytes", VLenBytes(), np.array([b"abc", b"", b"\x00\xff"], dtype=object), ["616263", "", "00ff"])
ragged = np.empty(3, dtype=object)
ragged[:] = [np.array([1, 2, 3], "<i4"), np.array([], "<i4"), np.array([-7], "<i4")]
objects("vlen-array", VLenArray("<i4"), ragged, ["[1,2,3]", "[]", "[-7]"])
ragged[:] = [np.array([1, -2], ">i2"), np.array([], ">i2"), np.array([300], ">i2")]
objects("vlen-array big-endian", VLenArray(">i2"), ragged, ["[1,-2]", "[]", "[300]"])
objects("categorize O", Categorize(["female", "male"], "|O"), names.astype(object), ["female", "male", "", "", ""] * 4)

mixed = np.empty(16, dtype=object)
mixed[:] = [
    "text",
    1,
    -5,
    2**40,
    1.5,
    -0.0,
    1e300,
    1e-7,
    True,
    False,
    None,
    [1, [2, "a"], None],
    {"k": [1, "a,b"], "\u017c": None},
    "NA",
    float("inf"),
    float("nan"),
]
mixed_json = [
    '"text"',
    "1",
    "-5",
    "1099511627776",
    "1.5",
    "-0",
    "1e+300",
    "1e-07",
    "true",
    "false",
    None,
    '[1,[2,"a"],null]',
    '{"k":[1,"a,b"],"\u017c":null}',
    '"NA"',
    "Infinity",
    '"NaN"',
]
objects("json2", JSON(), mixed, mixed_json)
objects("msgpack2", MsgPack(), mixed, mixed_json)
square = np.array(["a", "b", "c", "d"], dtype=object).reshape(2, 2)
objects("json2 2d", JSON(), square, ['"a"', '"b"', '"c"', '"d"'])
objects("msgpack2 2d", MsgPack(), square, ['"a"', '"b"', '"c"', '"d"'])
vectors.append(
    dict(
        name="json, the old form",
        id="json",
        configuration={},
        dtype="|O",
        shape=[3],
        encoded=b64(b'["a",null,3,"|O"]'),
        elements=['"a"', None, "3"],
    )
)

many = np.empty(len(mixed) + 8, dtype=object)
many[: len(mixed)] = mixed
many[len(mixed) :] = [(1, "two"), 2**63, -(2**70), 255, 65535, 2**31, b"\x00\xff", "x" * 300]
many_json = mixed_json + [
    '[1,"two"]',
    "9223372036854775808",
    str(-(2**70)),
    "255",
    "65535",
    "2147483648",
    '"00ff"',
    '"' + "x" * 300 + '"',
]
for protocol in range(6):
    objects(f"pickle {protocol}", Pickle(protocol), many, many_json)
    objects(f"pickle 2d {protocol}", Pickle(protocol), np.asfortranarray(square), ['"a"', '"b"', '"c"', '"d"'])
    scalars = np.empty(8, dtype=object)
    scalars[:] = [
        np.int64(5),
        np.uint8(200),
        np.float32(0.1),
        np.float64(0.1),
        np.bool_(True),
        np.str_("s,t"),
        np.bytes_(b"by"),
        np.complex128(1 - 2j),
    ]
    objects(
        f"pickle numpy scalars {protocol}",
        Pickle(protocol),
        scalars,
        ["5", "200", "0.1", "0.1", "true", '"s,t"', '"by"', '"1-2i"'],
    )
    arrays = np.empty(5, dtype=object)
    arrays[:] = [
        np.arange(3),
        np.asfortranarray(np.arange(6, dtype=">i2").reshape(2, 3)),
        np.array(["a", "b"]),
        np.array(2.5),
        np.array([(1, b"x")], dtype=[("i", "<i4"), ("s", "S2")]),
    ]
    objects(
        f"pickle arrays {protocol}",
        Pickle(protocol),
        arrays,
        ["[0,1,2]", "[[0,1,2],[3,4,5]]", '["a","b"]', "2.5", '[[1,"x"]]'],
    )
    times = np.empty(6, dtype=object)
    times[:] = [
        np.datetime64("2020-01-02T03:04:05.678", "ms"),
        np.datetime64("1969-12-31", "D"),
        np.datetime64("NaT"),
        np.timedelta64(-5, "h"),
        np.timedelta64("NaT", "s"),
        np.array(["1970-01-01T00:00:10", "NaT"], dtype=">M8[10s]"),
    ]
    objects(
        f"pickle times {protocol}",
        Pickle(protocol),
        times,
        ['"2020-01-02T03:04:05.678"', '"1969-12-31"', None, "-5", None, '["1970-01-01T00:00:10",null]'],
    )
    voids = np.empty(2, dtype=object)
    voids[:] = list(np.array([(1, "x", 0.1), (2, None, 3)], dtype=[("i", "<i4"), ("s", "O"), ("f", "<f4")]))
    objects(f"pickle void {protocol}", Pickle(protocol), voids, ['[1,"x",0.1]', "[2,null,3]"])
    records = np.array(
        [(1, "x", 0.5, b"ab", True), (-2, None, -0.0, b"", False)],
        dtype=[("i", ">i4"), ("s", "O"), ("f", "<f4"), ("b", "S3"), ("t", "?")],
    )
    objects(
        f"pickle records {protocol}",
        Pickle(protocol),
        records,
        [["1", '"x"', "0.5", "616200", "true"], ["-2", None, "-0", "000000", "false"]],
        [["i", ">i4"], ["s", "|O"], ["f", "<f4"], ["b", "|S3"], ["t", "|b1"]],
    )
shared = np.empty(4, dtype=object)
inner = ["in", "both"]
shared[:] = [inner, inner, "same", "same"]
objects("pickle shared", Pickle(5), shared, ['["in","both"]', '["in","both"]', '"same"', '"same"'])

json.dump(vectors, sys.stdout, indent=0, ensure_ascii=True)
