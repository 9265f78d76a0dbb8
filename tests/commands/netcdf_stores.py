"""Random NetCDF files: groups four deep that define dimensions of equal names, dimensions without a limit, packed and
missing values of every pair of types, times of every calendar, characters, repeated coordinates, and variables that
are empty, unwritten, or shorter than their dimensions."""
import random

import netCDF4
import numpy

FORMATS = ["NETCDF4"] * 6 + ["NETCDF3_CLASSIC", "NETCDF3_64BIT_OFFSET", "NETCDF3_64BIT_DATA"]
CLASSIC = ["i1", "i2", "i4", "f4", "f8"]
ALL = CLASSIC + ["u1", "u2", "u4", "i8", "u8"]
CALENDARS = [
    "standard",
    "gregorian",
    "proleptic_gregorian",
    "julian",
    "noleap",
    "365_day",
    "all_leap",
    "366_day",
    "360_day",
]
UNITS = ["days", "hours", "minutes", "seconds", "milliseconds"]
REFERENCES = [
    "1970-01-01",
    "2000-02-28 06:30:15.5",
    "1582-10-04",
    "0001-01-01T00:00:00Z",
    "1900-1-1 0:0:0 +02:00",
    "19991231",
]
WORDS = ["", "ab", "a b", "x,y", 'q"t', "NA", "\u00e9t\u00e9", "0"]
NAMES = ["x", "y", "time", "z"]


class Writer:
    def __init__(self, path, seed):
        self.random = random.Random(seed)
        self.numbers = numpy.random.default_rng(seed)
        self.form = self.random.choice(FORMATS)
        self.is_netcdf4 = self.form == "NETCDF4"
        self.types = ALL if self.form in ("NETCDF4", "NETCDF3_64BIT_DATA") else CLASSIC
        with netCDF4.Dataset(path, "w", format=self.form) as file:
            file.set_auto_maskandscale(False)
            self.fill_group(file, {}, 0)

    def chance(self, probability):
        return self.random.random() < probability

    def fill_group(self, group, above, depth):
        """Writes dimensions, coordinates and variables. above: the dimensions of the groups above, by name."""
        own = {}
        has_record = False
        for name in NAMES:
            if not self.chance(0.7 if depth == 0 else 0.4):
                continue
            is_unlimited = self.chance(0.4) and (self.is_netcdf4 or not has_record)
            has_record |= is_unlimited
            group.createDimension(name, None if is_unlimited else self.random.choice([1, 2, 3, 4]))
            own[name] = None if is_unlimited else len(group.dimensions[name])
        group.createDimension("letters", 4)
        visible = {**above, **own}
        for name in own:
            if self.chance(0.6):
                self.add_coordinate(group, name)
        for number in range(self.random.choice([1, 2, 3])):
            self.add_variable(group, f"v{number}", list(visible))
        if self.chance(0.4):
            self.add_text(group, "name", list(visible))
        if self.is_netcdf4 and depth < 4:
            for name in ("g", "h"):
                if self.chance(0.5 if name == "g" else 0.25):
                    self.fill_group(group.createGroup(name), visible, depth + 1)

    def add_coordinate(self, group, name):
        if name != "time" and self.chance(0.2):
            self.add_text(group, name, [name], is_coordinate=True)
            return
        variable = group.createVariable(name, self.random.choice(self.types), (name,))
        variable.set_auto_maskandscale(False)
        if name == "time" and self.chance(0.8):
            self.make_times(variable)
        length = len(group.dimensions[name]) or self.random.choice([0, 1, 2, 3])
        values = numpy.arange(length) * self.random.choice([1, 1, 2, 3]) + self.random.choice([0, 1, 5])
        if length > 1 and self.chance(0.3):
            values[length - 1] = values[0]
        if variable.dtype.kind == "f" and self.chance(0.6):
            values = values * self.random.choice([0.1, 0.5, 1e-5, 1 / 3])
        if length and self.chance(0.85):
            variable[:length] = values.astype(variable.dtype)

    def make_times(self, variable):
        reference = self.random.choice(REFERENCES)
        variable.units = f"{self.random.choice(UNITS)} since {reference}"
        if self.chance(0.8):
            variable.calendar = self.random.choice(CALENDARS)

    def add_variable(self, group, name, visible):
        dimensions = self.random.sample(visible, self.random.randint(0, min(3, len(visible))))
        if not self.is_netcdf4:  # the record dimension comes first
            dimensions.sort(key=lambda each: not group.dimensions[each].isunlimited())
        kind = self.random.choice(self.types)
        fill = self.random.choice([None, None, self.number(kind)])
        variable = group.createVariable(name, kind, dimensions, fill_value=fill)
        variable.set_auto_maskandscale(False)
        self.add_packing(variable)
        if self.chance(0.15):
            self.make_times(variable)
        shape = tuple(n or self.random.choice([0, 1, 2, 3]) for n in variable.shape)
        if variable.dtype.kind in "iu" and "units" not in variable.ncattrs():
            values = [self.number(kind) for _ in range(int(numpy.prod(shape)))]
        else:
            values = [self.random.choice([0, 1, 2, 0.5, 0.25, 100]) for _ in range(int(numpy.prod(shape)))]
        if fill is not None:
            values = [fill if self.chance(0.2) else value for value in values]
        if self.chance(0.85) and 0 not in shape:
            data = numpy.array(values).astype(kind).reshape(shape)
            if shape:
                variable[tuple(slice(0, n) for n in shape)] = data
            else:
                variable[...] = data

    def number(self, kind):
        if kind[0] == "f":
            return self.random.choice([0.0, 1.5, -999.0, 1e20, numpy.nan, 0.1])
        info = numpy.iinfo(kind)
        # what a double holds, so that the file can have it
        least, most = max(info.min, -(2**53)), min(info.max, 2**53)
        return self.random.choice([0, 1, 2, 7, least, most, least + 1, 100])

    def add_packing(self, variable):
        kinds = ["f4", "f8"] + (["i2", "i4"] if self.chance(0.2) else [])
        if self.chance(0.4):
            variable.scale_factor = numpy.array(self.random.choice([0.1, 1, 2, 0.01]), self.random.choice(kinds))
            if variable.scale_factor == 0:
                variable.scale_factor = numpy.array(2, variable.scale_factor.dtype)
        if self.chance(0.3):
            variable.add_offset = numpy.array(self.random.choice([0, 1, 273.15]), self.random.choice(kinds))
        if self.chance(0.25):
            kind = self.random.choice([variable.dtype.str, "f8", "f4"])
            variable.missing_value = numpy.array(self.random.choice([1, 2, 100, 0.1]), kind)
        if variable.dtype.kind == "i" and self.chance(0.15):
            variable.setncattr("_Unsigned", "true")

    def add_text(self, group, name, visible, is_coordinate=False):
        dimensions = visible if is_coordinate else self.random.sample(visible, min(len(visible), 1))
        variable = group.createVariable(name, "S1", (*dimensions, "letters"))
        shape = tuple(n or self.random.choice([0, 1, 2]) for n in variable.shape)
        texts = [self.random.choice(WORDS).encode()[:4] for _ in range(int(numpy.prod(shape[:-1])))]
        texts = [text if is_whole(text) else b"cut" for text in texts]
        if self.chance(0.9) and 0 not in shape:
            variable[tuple(slice(0, n) for n in shape)] = numpy.array(texts, "S4").view("S1").reshape(shape)


def is_whole(text):
    try:
        text.decode()
        return True
    except UnicodeDecodeError:
        return False


def write_store(path, seed):
    """Writes the file of a seed. Returns its format."""
    return Writer(path, seed).form
