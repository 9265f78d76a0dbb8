#!/usr/bin/env python3
"""Random virtual datasets of HDF5, held against h5py: blocks of sources with steps, unlimited selections, series of
files and datasets ("%b"), gaps, missing files, links to sources, virtual sources of other types, and every filter.

h5py lacks the plugins of some filters. Each store is therefore written twice, and h5py reads the one without filters.
The seeds are fixed; VIRTUAL_SEEDS=FIRST:END runs others.
"""
import collections
import os
import random
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'support'))
from effort import EFFORT
from optional import missing_modules, needs_modules

MODULES = ('h5py', 'numpy', 'numcodecs')
if not missing_modules(*MODULES):
    import h5py
    import hdf5_chunks
    import numpy as np
    from h5py import h5d, h5p, h5s, h5t, h5z

os.environ.setdefault('PLAINFS_INDEX', 'none')
PROGRAM = os.environ['PLAINFS']
FIRST, END = map(int, os.environ.get('VIRTUAL_SEEDS', f'0:{3 * EFFORT}').split(':'))
LAYOUTS = 8  # virtual datasets of a store
TYPES = ('i1', 'u1', '<i2', '>u2', '<i4', '>i4', '<u8', '<f4', '>f8')
SOURCE_FILES = ('a.h5', 'sub/b.h5')
Source = collections.namedtuple('Source', 'file name shape dtype')


def random_values(rng, shape, dtype):
    generator = np.random.default_rng(rng.randrange(1 << 30))
    return generator.integers(0, 100, shape).astype(dtype)  # in range of every type, since sources are converted


# -- sources


def own_filters(rng, creation, dtype):
    """Adds filters that h5py has. Returns their names."""
    kinds = ['none', 'gzip', 'shuffle gzip', 'lzf', 'fletcher', 'szip']
    if dtype.kind in 'iu':
        kinds += ['scaleoffset', 'nbit']
    kind = rng.choice(kinds)
    if 'shuffle' in kind:
        creation.set_shuffle()
    if 'gzip' in kind:
        creation.set_deflate(4)
    if kind == 'lzf':
        creation.set_filter(h5z.FILTER_LZF, h5z.FLAG_OPTIONAL)
    if kind == 'fletcher':
        creation.set_fletcher32()
    if kind == 'szip':
        creation.set_szip(h5z.SZIP_NN_OPTION_MASK, 8)
    if kind == 'scaleoffset':
        creation.set_scaleoffset(h5z.SO_INT, 0)
    if kind == 'nbit':
        creation.set_filter(h5z.FILTER_NBIT, h5z.FLAG_MANDATORY, ())
    return kind


def write_chunks(rng, dataset, chunk, values, encode, left_out):
    """Writes encoded chunks. left_out: numbers of chunks that are never written."""
    starts = [range(0, extent, step) for extent, step in zip(values.shape, chunk)]
    for number, index in enumerate(np.ndindex(*(len(axis) for axis in starts))):
        if number in left_out:
            continue
        origin = tuple(axis[i] for axis, i in zip(starts, index))
        block = np.zeros(chunk, values.dtype)
        part = values[tuple(slice(o, o + step) for o, step in zip(origin, chunk))]
        block[tuple(slice(0, extent) for extent in part.shape)] = part
        dataset.write_direct_chunk(origin, encode(block.tobytes()))


class Writer:
    """Writes one store twice, with the same random choices: into `filtered` and, without filters, into `plain`."""

    def __init__(self, rng, folder):
        self.rng = rng
        self.folders = {name: os.path.join(folder, name) for name in ('filtered', 'plain')}
        self.sources = []
        self.counts = collections.Counter()
        for path in self.folders.values():
            os.makedirs(os.path.join(path, 'sub'))

    def files(self, name):
        return [h5py.File(os.path.join(path, name), 'a') for path in self.folders.values()]

    def add_source(self, file, name, shape, dtype):
        rng = self.rng
        dtype = np.dtype(dtype)
        values = random_values(rng, shape, dtype)
        chunk = tuple(rng.randint(1, max(1, extent)) for extent in shape)
        fill = np.array(rng.randrange(100), dtype)
        left_out = {rng.randrange(4)} if rng.random() < 0.3 else set()
        filtered, plain = self.files(file)
        with filtered, plain:
            dataset, encode = self.create_filtered(filtered, name, shape, dtype, chunk, fill)
            if encode:
                write_chunks(rng, dataset, chunk, values, encode, left_out)
            else:
                h5py.Dataset(dataset)[...] = values
                left_out = set()
            twin = self.create(plain, name, shape, dtype, chunk, fill, h5p.create(h5p.DATASET_CREATE))
            write_chunks(rng, twin, chunk, values, bytes, left_out)
        self.sources.append(Source(file, name, shape, dtype))

    def create(self, file, name, shape, dtype, chunk, fill, creation):
        creation.set_chunk(chunk)
        creation.set_fill_value(fill)
        links = h5p.create(h5p.LINK_CREATE)
        links.set_create_intermediate_group(True)
        return h5d.create(file.id, name.encode(), h5t.py_create(dtype), h5s.create_simple(shape), creation, links)

    def create_filtered(self, file, name, shape, dtype, chunk, fill):
        creation = h5p.create(h5p.DATASET_CREATE)
        creation.set_chunk(chunk)
        encode = None
        if self.rng.random() < 0.5:
            number, values, encode = hdf5_chunks.random_filter(self.rng, dtype.itemsize)
            creation.set_filter(number, h5z.FLAG_OPTIONAL, values)
            self.counts[f'filter {number}'] += 1
        else:
            self.counts[f'filter {own_filters(self.rng, creation, dtype)}'] += 1
        try:
            return self.create(file, name, shape, dtype, chunk, fill, creation), encode
        except ValueError:  # szip refuses some chunks
            creation.remove_filter(h5z.FILTER_SZIP)
            return self.create(file, name, shape, dtype, chunk, fill, creation), encode

    def link_to(self, source):
        """Adds links of the master that lead to a source. Returns the file and the name in a mapping."""
        rng = self.rng
        kind = rng.choice(['file', 'external', 'soft to external', 'own soft'])
        self.counts[f'by {kind}'] += 1
        if kind == 'file':
            return source.file, source.name
        number = sum(self.counts.values())
        for master in self.files('master.h5'):
            with master:
                group = master.require_group('links')
                group[f'external {number}'] = h5py.ExternalLink(source.file, source.name)
                group[f'soft {number}'] = h5py.SoftLink(f'/links/external {number}')
        if kind == 'own soft':  # the source's file has a soft link to it
            for file in self.files(source.file):
                with file:
                    file[f'soft {number}'] = h5py.SoftLink('/' + source.name)
            return source.file, f'soft {number}'
        return '.', f"/links/{'soft' if kind.startswith('soft') else 'external'} {number}"

    def add_virtual(self, name, shape, most, dtype, mappings, fill):
        """mappings: file, name, and the selected spaces of the virtual dataset and the source."""
        for master in self.files('master.h5'):
            with master:
                creation = h5p.create(h5p.DATASET_CREATE)
                if fill is not None:
                    creation.set_fill_value(np.array(fill, dtype))
                for file, source, virtual, selected in mappings:
                    creation.set_virtual(virtual, file.encode(), source.encode(), selected)
                space = h5s.create_simple(shape, most)
                h5d.create(master.id, name.encode(), h5t.py_create(dtype), space, creation)


# -- selections


def hyperslab(shape, most, start, stride, count, block):
    space = h5s.create_simple(shape, most)
    space.select_hyperslab(tuple(start), tuple(count), tuple(stride), tuple(block))
    return space


def random_slab(rng, extents, shape):
    """Returns a selection of `shape` elements, in one block or with steps, in a space of `extents`."""
    start, stride, count, block = [], [], [], []
    for extent, size in zip(extents, shape):
        step = rng.randint(1, max(1, (extent - 1) // max(1, size - 1))) if size > 1 else 1
        has_steps = rng.random() < 0.5
        reach = (size - 1) * step + 1 if has_steps else size
        start.append(rng.randint(0, extent - reach))
        stride.append(step if has_steps else max(size, 1))
        count.append(size if has_steps else 1)
        block.append(1 if has_steps else size)
    return hyperslab(extents, None, start, stride, count, block)


def add_blocks(writer, name):
    """Several blocks of sources, which may overlap, with gaps. One source may be in a missing file."""
    rng = writer.rng
    rank = rng.randint(1, 3)
    sources = [source for source in writer.sources if len(source.shape) == rank]
    if not sources:
        return add_series(writer, name)
    extents = tuple(rng.randint(1, 12) for _ in range(rank))
    mappings = []
    for _ in range(rng.randint(1, 5)):
        source = rng.choice(sources)
        shape = tuple(rng.randint(1, min(pair)) for pair in zip(extents, source.shape))
        file, dataset = writer.link_to(source) if rng.random() < 0.9 else ('missing.h5', source.name)
        mappings.append((file, dataset, random_slab(rng, extents, shape), random_slab(rng, source.shape, shape)))
    fill = None if rng.random() < 0.3 else rng.randrange(100)
    writer.add_virtual(name, extents, None, np.dtype(rng.choice(TYPES)), mappings, fill)
    writer.counts['blocks'] += 1
    return None


def add_unlimited(writer, name):
    """The first axis of a source without limit, with steps in the virtual dataset."""
    rng = writer.rng
    rows, width = rng.randint(1, 9), rng.randint(1, 5)
    source = f'unlimited {name}'
    file = rng.choice(SOURCE_FILES)
    values = random_values(rng, (rows, width), '<i4')
    for each in writer.files(file):
        with each:
            each.create_dataset(source, data=values, maxshape=(None, width), chunks=(2, width), compression='lzf')
    step = rng.randint(1, 3)
    endless = (h5s.UNLIMITED, width)
    virtual = hyperslab((1, width), endless, (rng.randint(0, 2), 0), (step, 1), (h5s.UNLIMITED, 1), (1, width))
    selected = hyperslab((rows, width), endless, (0, 0), (1, 1), (h5s.UNLIMITED, 1), (1, width))
    mapping = (*writer.link_to(Source(file, source, (rows, width), values.dtype)), virtual, selected)
    writer.add_virtual(name, (1, width), endless, np.dtype('<i4'), [mapping], rng.randrange(100))
    writer.counts['unlimited'] += 1


def add_series(writer, name):
    """Files or datasets with numbers in their names, up to the first missing one."""
    rng = writer.rng
    count, rows, width = rng.randint(0, 4), rng.randint(1, 3), rng.randint(1, 4)
    by_file = rng.random() < 0.5
    for number in range(count):
        file, dataset = (f'part {name} {number}.h5', 'x') if by_file else (SOURCE_FILES[0], f'{name} {number}')
        writer.add_source(file, dataset, (rows, width), '<i2')
    names = (f'part {name} %b.h5', 'x') if by_file else (SOURCE_FILES[0], f'{name} %b')
    endless = (h5s.UNLIMITED, width)
    virtual = hyperslab((rows, width), endless, (0, 0), (rows, 1), (h5s.UNLIMITED, 1), (rows, width))
    selected = hyperslab((rows, width), None, (0, 0), (1, 1), (1, 1), (rows, width))
    writer.add_virtual(name, (rows, width), endless, np.dtype('<i2'), [(*names, virtual, selected)], 7)
    writer.counts['series'] += 1


def add_nested(writer, name):
    """A virtual dataset of a virtual dataset of the same file."""
    rng = writer.rng
    with writer.files('master.h5')[0] as master:
        inner = [(key, item.shape) for key, item in master.items() if key != 'links' and 0 not in item.shape]
    if not inner:
        return add_blocks(writer, name)
    source, shape = rng.choice(inner)
    part = tuple(rng.randint(1, extent) for extent in shape)
    mapping = ('.', source, random_slab(rng, part, part), random_slab(rng, shape, part))
    writer.add_virtual(name, part, None, np.dtype(rng.choice(TYPES)), [mapping], 3)
    writer.counts['nested'] += 1
    return None


def write_store(seed, folder):
    rng = random.Random(seed)
    writer = Writer(rng, folder)
    for number in range(rng.randint(3, 6)):
        shape = tuple(rng.randint(1, 12) for _ in range(rng.randint(1, 3)))
        writer.add_source(rng.choice(SOURCE_FILES), f'group/source {number}', shape, rng.choice(TYPES))
    for number in range(LAYOUTS):
        add = rng.choice([add_blocks, add_blocks, add_unlimited, add_series, add_nested])
        add(writer, f'v{number}')
    return writer


def values_of(dataset):
    """Returns the values that h5py reads. The library leaves gaps unfilled if the sources have as many elements."""
    values = np.full(dataset.shape, dataset.fillvalue, dataset.dtype)
    if dataset.size:
        dataset.read_direct(values)
    return values


@needs_modules(*MODULES)
class Virtual(unittest.TestCase):
    counts = collections.Counter()

    @classmethod
    def tearDownClass(cls):
        print(', '.join(f'{count} {name}' for name, count in sorted(cls.counts.items())), file=sys.stderr)

    def check(self, seed):
        with tempfile.TemporaryDirectory(prefix='plainfs-test-') as folder:
            writer = write_store(seed, folder)
            out = os.path.join(folder, 'out')
            done = subprocess.run(
                [PROGRAM, 'export', '--views', 'npy', os.path.join(folder, 'filtered', 'master.h5'), out],
                capture_output=True,
                timeout=120,
            )
            self.assertEqual(done.returncode, 0, done.stderr)
            with h5py.File(os.path.join(folder, 'plain', 'master.h5')) as plain:
                # Open all the time: the library knows the whole shape of a virtual source only if it is.
                datasets = [plain[f'v{number}'] for number in range(LAYOUTS)]
                shapes = [dataset.shape for dataset in datasets]
                for dataset, shape in zip(datasets, shapes):
                    name = dataset.name[1:]
                    shown = np.load(os.path.join(out, name + '.npy'))
                    expected = values_of(dataset)
                    self.assertEqual(shown.shape, shape, name)
                    np.testing.assert_array_equal(shown, expected, name)
            Virtual.counts.update(writer.counts)


for number in range(FIRST, END):
    setattr(Virtual, f'test_seed_{number}', lambda self, seed=number: self.check(seed))

if __name__ == '__main__':
    unittest.main(verbosity=2)
