"""Writes OME-Zarr images of every version: v2 with zarr-python, v3 by hand, also with shards."""
import itertools
import json
import os

import numpy
import zarr

V3_TYPES = {
    "b1": "bool",
    "u1": "uint8",
    "i1": "int8",
    "u2": "uint16",
    "i2": "int16",
    "u4": "uint32",
    "i4": "int32",
    "u8": "uint64",
    "i8": "int64",
    "f2": "float16",
    "f4": "float32",
    "f8": "float64",
}


def put_json(path, value):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        json.dump(value, file)


def halves(values, levels, z_too=False):
    """Returns the values, every second pixel of them, and so on."""
    pyramid = [values]
    for _ in range(levels - 1):
        last = pyramid[-1]
        step = [slice(None)] * (last.ndim - 2) + [slice(None, None, 2)] * 2
        if z_too:
            step[-3] = slice(None, None, 2)
        pyramid.append(last[tuple(step)])
    return pyramid


def write_v2(path, values, chunks, compressor):
    zarr.array(
        values,
        store=zarr.NestedDirectoryStore(path),
        chunks=chunks,
        compressor=compressor,
        overwrite=True,
        dimension_separator="/",
        dtype=values.dtype,
    )


def grid(shape, chunks):
    return itertools.product(*(range(-(-length // chunk)) for length, chunk in zip(shape, chunks)))


def block(values, at, chunks):
    """Returns one chunk, padded with values that must never be shown."""
    filled = numpy.full(chunks, 77, values.dtype)
    part = values[tuple(slice(i * chunk, (i + 1) * chunk) for i, chunk in zip(at, chunks))]
    filled[tuple(slice(0, length) for length in part.shape)] = part
    return filled


def write_v3(path, values, chunks, shards=None):
    """shards: chunks per shard along each axis. Absent chunks of a shard are those of zeros."""
    endian = "big" if values.dtype.byteorder == ">" else "little"
    inner = [{"name": "bytes", "configuration": {"endian": endian}}]
    outer = [chunk * count for chunk, count in zip(chunks, shards)] if shards else list(chunks)
    codecs = inner
    if shards:
        codecs = [
            {
                "name": "sharding_indexed",
                "configuration": {
                    "chunk_shape": list(chunks),
                    "codecs": inner,
                    "index_location": "end",
                    "index_codecs": [{"name": "bytes", "configuration": {"endian": "little"}}],
                },
            }
        ]
    kind = V3_TYPES[values.dtype.str[1:]]
    put_json(
        os.path.join(path, "zarr.json"),
        {
            "zarr_format": 3,
            "node_type": "array",
            "shape": list(values.shape),
            "data_type": kind,
            "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": outer}},
            "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
            "fill_value": False if kind == "bool" else 0,
            "codecs": codecs,
        },
    )
    for at in grid(values.shape, outer):
        whole = block(values, at, outer)
        data = whole.tobytes()
        if shards:
            data, index = b"", b""
            for inside in itertools.product(*map(range, shards)):
                part = block(whole, inside, chunks).tobytes()
                if not any(part):
                    index += b"\xff" * 16
                    continue
                index += len(data).to_bytes(8, "little") + len(part).to_bytes(8, "little")
                data += part
            data += index
        target = os.path.join(path, "c", *map(str, at))
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with open(target, "wb") as file:
            file.write(data)


def group(path, words, version="0.4"):
    """Writes a group with these attributes, in the place of its version."""
    if version == "0.5":
        put_json(
            os.path.join(path, "zarr.json"),
            {"zarr_format": 3, "node_type": "group", "attributes": {"ome": {"version": version, **words}}},
        )
    else:
        put_json(os.path.join(path, ".zgroup"), {"zarr_format": 2})
        put_json(os.path.join(path, ".zattrs"), words)


def multiscale(axes, count, version="0.4", name="image", steps=None):
    datasets = [{"path": str(level)} for level in range(count)]
    output = {"name": name, "datasets": datasets}
    if version != "0.5":
        output["version"] = version
    if version == "0.3":
        output["axes"] = list(axes)
    elif version >= "0.4":
        units = {"t": ("time", "second"), "c": ("channel", None)}
        output["axes"] = []
        for axis in axes:
            kind, unit = units.get(axis, ("space", "micrometer"))
            output["axes"].append({"name": axis, "type": kind, **({"unit": unit} if unit else {})})
        for level, dataset in enumerate(datasets):
            scale = [float((steps or {}).get(axis, 1)) * (2.0**level if axis in "yx" else 1) for axis in axes]
            dataset["coordinateTransformations"] = [{"type": "scale", "scale": scale}]
    return [output]


def write_image(path, values, axes, chunks, levels=1, version="0.4", compressor=None, shards=None, words=None, **more):
    """Writes a pyramid of values. Returns the content of its levels."""
    pyramid = halves(values, levels)
    group(path, {"multiscales": multiscale(axes, levels, version, **more), **(words or {})}, version)
    for level, pixels in enumerate(pyramid):
        target = os.path.join(path, str(level))
        if version == "0.5":
            write_v3(target, pixels, chunks, shards)
        else:
            write_v2(target, pixels, tuple(min(c, s) for c, s in zip(chunks, pixels.shape)), compressor)
    return pyramid
