"""Plates and images of OME-Zarr, NWB sessions and SpatialData for tests, with the values that they hold."""
import json
import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from optional import import_or_exit

anndata, h5py, numpy, pandas, zarr = import_or_exit("anndata", "h5py", "numpy", "pandas", "zarr")

CHANNELS = (("DAPI", "0000FF"), ("GFP", "00FF00"))


def image(group, pixels, levels=2, windows=None, active=None):
    """Writes pixels (c, y, x) as an image with `levels` sizes. windows: those of omero, one for each channel."""
    datasets = []
    for level in range(levels):
        step = 2**level
        group.create_dataset(
            str(level), data=pixels[:, ::step, ::step], chunks=(1, 64, 64), dimension_separator="/", overwrite=True
        )
        scale = [1, 0.325 * step, 0.325 * step]
        datasets.append({"path": str(level), "coordinateTransformations": [{"type": "scale", "scale": scale}]})
    axes = [{"name": "c", "type": "channel"}] + [
        {"name": name, "type": "space", "unit": "micrometer"} for name in ("y", "x")
    ]
    group.attrs["multiscales"] = [{"version": "0.4", "axes": axes, "datasets": datasets}]
    channels = [
        {"label": label, "color": color, "active": active is None or i in active}
        for i, (label, color) in enumerate(CHANNELS[: len(pixels)])
    ]
    for i, channel in enumerate(channels):
        if windows:
            start, end = windows[i]
            channel["window"] = {"start": start, "end": end, "min": 0, "max": 65535}
    group.attrs["omero"] = {"channels": channels}


def plate(path, rows, columns, wells, fields=2, side=64, levels=2, windows=((150, 3000), (100, 2000))):
    """Writes a plate. wells: pairs of a row and a column by index. Returns the pixels by (row, column, field)."""
    root = zarr.open_group(zarr.DirectoryStore(path), "w")
    random = numpy.random.default_rng(len(wells))
    root.attrs["plate"] = {
        "version": "0.4",
        "name": "screen 7",
        "field_count": fields,
        "rows": [{"name": name} for name in rows],
        "columns": [{"name": name} for name in columns],
        "wells": [{"path": f"{rows[r]}/{columns[c]}", "rowIndex": r, "columnIndex": c} for r, c in wells],
    }
    built = {}
    for r, c in wells:
        well = root.require_group(rows[r]).create_group(columns[c])
        well.attrs["well"] = {"version": "0.4", "images": [{"path": str(field)} for field in range(fields)]}
        for field in range(fields):
            pixels = random.integers(100, 4200, (2, side, side), dtype="u2")
            image(well.create_group(str(field)), pixels, levels, windows)
            built[r, c, field] = pixels
    return built


def large(path, side=(20_000, 30_000)):
    """Writes an image of one level that is too large to be shown whole. It has no chunks: all of it is 0."""
    root = zarr.open_group(zarr.DirectoryStore(path), "w")
    root.create_dataset("0", shape=(1, *side), chunks=(1, 1000, 1000), dtype="u2", dimension_separator="/")
    axes = [{"name": "c", "type": "channel"}, {"name": "y", "type": "space"}, {"name": "x", "type": "space"}]
    level = {"path": "0", "coordinateTransformations": [{"type": "scale", "scale": [1, 1, 1]}]}
    root.attrs["multiscales"] = [{"version": "0.4", "axes": axes, "datasets": [level]}]


def text(group, name, value):
    group.create_dataset(name, data=value, dtype=h5py.string_dtype())


def typed(group, kind, namespace="core"):
    group.attrs["namespace"], group.attrs["neurodata_type"] = namespace, kind
    return group


def ragged(table, name, lists, dtype="f8"):
    """Writes a column of lists and its index."""
    data = typed(table.create_dataset(name, data=numpy.concatenate(lists).astype(dtype)), "VectorData", "hdmf-common")
    data.attrs["description"] = name
    index = typed(
        table.create_dataset(name + "_index", data=numpy.cumsum([len(one) for one in lists]).astype("u4")),
        "VectorIndex",
        "hdmf-common",
    )
    index.attrs["target"] = data.ref


def column(table, name, values):
    data = typed(table.create_dataset(name, data=values), "VectorData", "hdmf-common")
    data.attrs["description"] = name


def dynamic_table(group, names, rows, kind="DynamicTable"):
    table = typed(group, kind, "core" if kind == "Units" else "hdmf-common")
    table.attrs["colnames"] = numpy.array(names, dtype=h5py.string_dtype())
    table.attrs["description"] = kind
    typed(table.create_dataset("id", data=numpy.arange(rows)), "ElementIdentifiers", "hdmf-common")
    return table


def series(group, name, values, conversion, offset, rate, start, channel_conversion=None):
    one = typed(group.create_group(name), "ElectricalSeries")
    data = one.create_dataset("data", data=values)
    data.attrs["conversion"], data.attrs["offset"] = conversion, offset
    data.attrs["resolution"], data.attrs["unit"] = -1.0, "volts"
    time = one.create_dataset("starting_time", data=float(start))
    time.attrs["rate"], time.attrs["unit"] = float(rate), "seconds"
    if channel_conversion is not None:
        one.create_dataset("channel_conversion", data=channel_conversion).attrs["axis"] = 1


def session(path, channels=4, samples=3000, units=5, seed=1):
    """Writes an NWB session. Returns the volts, the spikes of each unit, and the trials."""
    random = numpy.random.default_rng(seed)
    raw = random.normal(0, 300, (samples, channels)).astype("i2")
    conversion, offset, rate, start = 1.95e-7, 1e-5, 100.0, 12.5
    end = start + samples / rate
    spikes = [numpy.sort(random.uniform(start, end, random.integers(1, 90))) for _ in range(units)]
    trials = [(start + 1 + 4 * i, start + 2.5 + 4 * i) for i in range(5)]
    with h5py.File(path, "w") as file:
        typed(file, "NWBFile").attrs["nwb_version"] = "2.6.0"
        for name, value in {
            "session_description": "Rat 7 runs on a linear track",
            "identifier": "rat7-2026-03-04",
            "session_start_time": "2026-03-04T10:15:00.000000+01:00",
            "timestamps_reference_time": "2026-03-04T10:15:00.000000+01:00",
        }.items():
            text(file, name, value)
        file.create_dataset("file_create_date", data=["2026-03-05T09:00:00+01:00"], dtype=h5py.string_dtype())
        general = file.create_group("general")
        text(general, "institution", "University of Basel")
        text(general, "lab", "Lab of Rats")
        general.create_dataset("experimenter", data=["Muster, Eva", "Doe, John"], dtype=h5py.string_dtype())
        subject = typed(general.create_group("subject"), "Subject")
        for name, value in {"subject_id": "rat7", "species": "Rattus norvegicus", "sex": "M", "age": "P90D"}.items():
            text(subject, name, value)
        device = typed(general.create_group("devices").create_group("probe A"), "Device")
        device.attrs["description"], device.attrs["manufacturer"] = "a silicon probe", "Cambridge NeuroTech"
        series(file.create_group("acquisition"), "ElectricalSeries", raw, conversion, offset, rate, start)
        table = dynamic_table(file.create_group("units"), ["spike_times", "depth"], units, "Units")
        ragged(table, "spike_times", spikes)
        column(table, "depth", random.uniform(0, 800, units))
        table = dynamic_table(
            file.create_group("intervals").create_group("trials"), ["start_time", "stop_time", "side"], 5
        )
        table.attrs["neurodata_type"], table.attrs["namespace"] = "TimeIntervals", "core"
        column(table, "start_time", numpy.array([begin for begin, _ in trials]))
        column(table, "stop_time", numpy.array([stop for _, stop in trials]))
        column(table, "side", numpy.array(["left", "right", "left", "left", "right"], dtype=h5py.string_dtype()))
        for name in ("processing", "analysis", "stimulus"):
            file.create_group(name)
    return raw * conversion + offset, spikes, trials, start, rate


def spatial(path, cells=40, side=128, seed=1):
    """Writes SpatialData: a slide, labels, and a table of cells that it annotates. Returns the pixels and places."""
    random = numpy.random.default_rng(seed)
    root = zarr.open_group(zarr.DirectoryStore(path), "w")
    root.attrs["spatialdata_attrs"] = {"version": "0.2", "spatialdata_software_version": "0.2.5"}
    pixels = random.integers(0, 256, (3, side, side), dtype="u1")
    images = root.create_group("images")
    slide = images.create_group("tissue")
    image(slide, pixels[:2], 2)
    places = random.uniform(4, side - 4, (cells, 2))
    labels = numpy.zeros((side, side), "i4")
    for i, (x, y) in enumerate(places.astype(int)):
        labels[max(0, y - 2) : y + 3, max(0, x - 2) : x + 3] = i + 1
    group = root.create_group("labels").create_group("cells")
    group.create_dataset("0", data=labels, chunks=(64, 64), dimension_separator="/")
    group.attrs["image-label"] = {"version": "0.4"}
    group.attrs["multiscales"] = [
        {
            "version": "0.4",
            "axes": [{"name": name, "type": "space"} for name in ("y", "x")],
            "datasets": [{"path": "0", "coordinateTransformations": [{"type": "scale", "scale": [1, 1]}]}],
        }
    ]
    system = [{"name": name, "type": "space", "unit": "unit"} for name in ("y", "x")]
    for one in (slide, group):
        scales = one.attrs["multiscales"]
        axes = scales[0]["axes"]
        scales[0]["coordinateTransformations"] = [
            {
                "type": "identity",
                "input": {"name": "".join(axis["name"] for axis in axes), "axes": axes},
                "output": {"name": "global", "axes": axes[:-2] + system},
            }
        ]
        one.attrs["multiscales"] = scales
        one.attrs["spatialdata_attrs"] = {"version": "0.2"}
    obs = pandas.DataFrame(
        {
            "region": pandas.Categorical(["cells"] * cells),
            "instance_id": numpy.arange(1, cells + 1),
            "kind": pandas.Categorical(random.choice(["T", "B"], cells)),
        },
        index=[f"cell{i}" for i in range(cells)],
    )
    data = anndata.AnnData(
        random.poisson(1, (cells, 3)).astype("f4"),
        obs=obs,
        var=pandas.DataFrame(index=["g1", "g2", "g3"]),
        obsm={"spatial": places},
        dtype="float32",
    )
    data.uns["spatialdata_attrs"] = {"region": "cells", "region_key": "region", "instance_key": "instance_id"}
    tables = root.create_group("tables")
    data.write_zarr(os.path.join(path, "tables", "table"))
    tables["table"].attrs["spatialdata-encoding-type"] = "ngff:regions_table"
    tables["table"].attrs.update({"region": "cells", "region_key": "region", "instance_key": "instance_id"})
    return pixels, places, data


def compact(*fields):
    """Returns a struct of Thrift's compact protocol. fields: pairs of a number and a value: an integer (64 bits), a
    negative one as ~n for 32 bits, bytes, a struct as a tuple of fields, or a list of one of these."""

    def varint(number):
        text = b""
        while number > 127:
            text, number = text + bytes([number & 127 | 128]), number >> 7
        return text + bytes([number])

    def kind(value):
        return {bytes: 8, list: 9, tuple: 12}.get(type(value)) or (5 if value < 0 else 6)

    def encoded(value):
        if isinstance(value, bytes):
            return varint(len(value)) + value
        if isinstance(value, tuple):
            return compact(*value)
        if isinstance(value, list):
            head = bytes([len(value) << 4 | kind(value[0])]) if len(value) < 15 else b"\xf0" + varint(len(value))
            return head + b"".join(map(encoded, value))
        return varint(2 * (~value if value < 0 else value))

    text, last = b"", 0
    for number, value in fields:
        text += bytes([number - last << 4 | kind(value)]) + encoded(value)
        last = number
    return text + b"\0"


def parquet(path, columns, geo=None):
    """Writes a Parquet file of one row group without compression. columns: lists of floats or bytes by their names.
    geo: the names of the columns with geometries in WKB."""
    rows = len(next(iter(columns.values())))
    schema, chunks, text = [((4, b"schema"), (5, ~len(columns)))], [], b"PAR1"
    for name, values in columns.items():
        is_bytes = isinstance(values[0], bytes)
        data = b"".join(
            struct.pack("<I", len(value)) + value if is_bytes else struct.pack("<d", value) for value in values
        )
        page = ((1, ~rows), (2, ~0), (3, ~3), (4, ~3))
        head = compact((1, ~0), (2, ~len(data)), (3, ~len(data)), (5, page))
        kind, size = ~6 if is_bytes else ~5, len(head) + len(data)
        schema.append(((1, kind), (3, ~0), (4, name.encode())))
        facts = ((1, kind), (2, [~0]), (3, [name.encode()]), (4, ~0), (5, rows), (6, size), (7, size), (9, len(text)))
        chunks.append(((2, len(text)), (3, facts)))
        text += head + data
    footer = [(1, ~1), (2, schema), (3, rows), (4, [((1, chunks), (2, len(text)), (3, rows))])]
    if geo:
        stated = {"version": "1.0.0", "primary_column": geo[0], "columns": {name: {"encoding": "WKB"} for name in geo}}
        footer.append((5, [((1, b"geo"), (2, json.dumps(stated).encode()))]))
    footer = compact(*footer)
    with open(path, "wb") as file:
        file.write(text + footer + struct.pack("<I", len(footer)) + b"PAR1")


def polygon(*rings):
    """Returns a polygon in WKB."""
    text = struct.pack("<BII", 1, 3, len(rings))
    for ring in rings:
        text += struct.pack("<I", len(ring)) + b"".join(struct.pack("<dd", x, y) for x, y in ring)
    return text


def point(x, y):
    return struct.pack("<BIdd", 1, 1, x, y)


def shapes(path, kind, name, columns, transformation, geo=None):
    """Adds shapes or points to SpatialData, with a map to the system `global`."""
    axes = [{"name": axis, "type": "space", "unit": "unit"} for axis in "xy"]
    group = zarr.open_group(zarr.DirectoryStore(path), "r+").require_group(kind).create_group(name)
    group.attrs["encoding-type"] = "ngff:" + kind
    group.attrs["axes"] = ["x", "y"]
    group.attrs["coordinateTransformations"] = [
        {"input": {"name": "xy", "axes": axes}, "output": {"name": "global", "axes": axes}, **transformation}
    ]
    if kind == "points":
        os.mkdir(os.path.join(path, kind, name, "points.parquet"))
        parquet(os.path.join(path, kind, name, "points.parquet", "part.0.parquet"), columns, geo)
    else:
        parquet(os.path.join(path, kind, name, "shapes.parquet"), columns, geo)


if __name__ == "__main__":
    import sys

    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    every = [(r, c) for r in range(3) for c in range(4) if (r, c) not in ((1, 2), (2, 3))]
    plate(os.path.join(folder, "plate.ome.zarr"), list("ABC"), ["1", "2", "3", "4"], every)
    session(os.path.join(folder, "session.nwb"))
    spatial(os.path.join(folder, "cells.zarr"))
    print(json.dumps(sorted(os.listdir(folder))))
