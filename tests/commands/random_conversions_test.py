#!/usr/bin/env python3
"""Converts random stores of each format with every kind of part, and holds each file against its store, part by part,
with the genuine readers: anndata, h5py and zarr, R with Seurat and SingleCellExperiment. A part is kept, equal value
for value, or a line on standard error names it. Each file is then converted back and compared in the same way.

The seeds are fixed; CONVERSION_SEEDS=FIRST:END runs others. Prints how many parts were kept, named and silent.
"""
import collections
import os
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'support'))
from effort import EFFORT
from optional import missing_modules, needs_modules, needs_r

MODULES = ('anndata', 'h5py', 'numpy', 'pandas', 'scipy', 'zarr')
PACKAGES = ('Seurat', 'SingleCellExperiment', 'jsonlite')
if not missing_modules(*MODULES):
    import annotated_stores
    import h5py
    import matrix_stores
    from annotated_parts import parts_of
    from annotated_stores import anndata
    from conversion_places import FATES
    from conversion_outcomes import outcome, parts_of_file, run_r

os.environ.setdefault('PLAINFS_INDEX', 'none')
PROGRAM = os.environ['PLAINFS']
FIRST, END = map(int, os.environ.get('CONVERSION_SEEDS', f'0:{2 * EFFORT}').split(':'))
ENDINGS = {'anndata': '.h5ad', 'mudata': '.h5mu', 'loom': '.loom'}
TARGETS = {'anndata': '.h5ad', 'seurat': '.rds'}
# A matrix alone is not a Seurat object by default.
SEURAT_OF = {'bpcells': 'seurat.rds'}

# A conversion that was run: the seed, the kinds and paths of the store and the file, and the lines of standard error.
Conversion = collections.namedtuple('Conversion', 'seed source store target file lines')


class RandomConversions(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.silent = []

    def export(self, store, file, of=''):
        part = ['--of', of] if of else []
        part += ['--zarr-format', '2'] if file.endswith('.zarr') else []  # for zarr-python 2
        done = subprocess.run([PROGRAM, 'export', *part, store, file], capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, 0, f'{os.path.basename(store)}: {done.stderr}')
        return done.stderr.splitlines()

    def converted(self, seed, source, store, target, file):
        of = SEURAT_OF.get(source, '') if target == 'seurat' else ''
        return Conversion(seed, source, store, target, file, self.export(store, file, of))

    def round_trip(self, seed, kind, store):
        """Converts a store to each target, and each file to the other target."""
        built = []
        for target, ending in TARGETS.items():
            file = f'{store}.to{ending}'
            built.append(self.converted(seed, kind, store, target, file))
            other = 'seurat' if target == 'anndata' else 'anndata'
            built.append(self.converted(seed, target, file, other, f'{file}.back{TARGETS[other]}'))
        return built

    def main_part(self, source, store, parts):
        if source == 'seurat':
            return parts['active.assay'].text.strip('"')
        if source == 'mudata':
            with h5py.File(store, 'r') as root:
                return root['mod'].attrs['mod-order'][0]
        if source == 'tenx':
            return any(path.startswith('types/') for path in parts)
        return 'RNA' if source == 'h5seurat' else None

    def compare(self, conversion, counts):
        parts, found = parts_of_file(conversion.store), parts_of_file(conversion.file)
        main = self.main_part(conversion.source, conversion.store, parts)
        is_r = conversion.source in ('seurat', 'experiment')
        for path, part in parts.items():
            if is_r and part.text == 'null':  # NULL is no data
                continue
            fate = FATES[conversion.source, conversion.target](path, main)
            result = outcome(path, part, fate, parts, found, conversion.lines)
            counts[conversion.source, conversion.target][result] += 1
            if result == 'silent':
                places = {place: found[place].text[:60] for place in fate.places if place in found}
                name = os.path.basename(conversion.store)
                self.silent.append(f'{name} to {conversion.target}: {path}: {part.text[:60]!r}, found {places}')

    def report(self, counts):
        for (source, target), results in sorted(counts.items()):
            print(f'{source} to {target}:', ', '.join(f'{results[name]} {name}' for name in sorted(results)))
        self.assertEqual(self.silent, [], '\n'.join(self.silent))

    def hold(self, stores, kind):
        """Converts stores there and back, and compares their parts."""
        self.silent = []
        built = [one for seed, store in stores for one in self.round_trip(seed, kind, store)]
        objects = [one.file for one in built if one.file.endswith('.rds')]
        run_r('annotated_parts.R', [(file, file + '.json') for file in objects])
        counts = collections.defaultdict(collections.Counter)
        for conversion in built:
            self.compare(conversion, counts)
        print(f'{len(stores)} stores of {kind}')
        self.report(counts)

    def written(self, kind):
        stores = []
        for seed in range(FIRST, END):
            ending = '.zarr' if kind == 'anndata' and seed % 2 else ENDINGS[kind]
            store = os.path.join(self.folder, f'{kind}{seed}{ending}')
            annotated_stores.WRITERS[kind](seed, store)
            stores.append((seed, store))
        return stores

    def written_by_specification(self, kind):
        stores = []
        for seed in range(FIRST, END):
            store = os.path.join(self.folder, f'{kind}{seed}{matrix_stores.ENDINGS[kind]}')
            matrix_stores.WRITERS[kind](seed, store)
            stores.append((seed, store))
        return stores

    def written_by_r(self, *kinds):
        lines = [(kind, seed) for seed in range(FIRST, END) for kind in kinds]
        files = [os.path.join(self.folder, f'{kind}-{seed}.rds') for kind, seed in lines]
        run_r('annotated_stores.R', [(*line, file, file + '.json') for line, file in zip(lines, files)])
        return [(seed, file) for (_, seed), file in zip(lines, files)]

    @needs_modules(*MODULES)
    def test_anndata_in_the_other_container_is_equal(self):
        kept = 0
        for seed in range(FIRST, END):
            first, second = ('.h5ad', '.zarr') if seed % 2 else ('.zarr', '.h5ad')
            store = os.path.join(self.folder, f'{seed}{first}')
            is_readable = annotated_stores.write_anndata(seed, store)
            parts = parts_of(store)
            files = [os.path.join(self.folder, f'{seed}-{name}') for name in ('other' + second, 'back' + first)]
            for source, file in zip((store, files[0]), files):
                self.assertNotIn('not in the', '\n'.join(self.export(source, file)))
                self.assertEqual(parts_of(file), parts, f'seed {seed}: {file}')
                if is_readable:
                    read = anndata.read_zarr(file) if file.endswith('.zarr') else anndata.read_h5ad(file)
                    self.assertEqual(sorted(read.uns), sorted({p.split('/')[1] for p in parts if p.startswith('uns/')}))
                kept += len(parts)
        print(f'{END - FIRST} stores of anndata to the other container and back: {kept} parts kept')

    @needs_modules(*MODULES)
    @needs_r(*PACKAGES)
    def test_parts_of_anndata_are_kept_or_named(self):
        self.hold(self.written('anndata'), 'anndata')

    @needs_modules(*MODULES)
    @needs_r(*PACKAGES)
    def test_parts_of_mudata_are_kept_or_named(self):
        self.hold(self.written('mudata'), 'mudata')

    @needs_modules(*MODULES)
    @needs_r(*PACKAGES)
    def test_parts_of_loom_are_kept_or_named(self):
        self.hold(self.written('loom'), 'loom')

    @needs_modules(*MODULES)
    @needs_r(*PACKAGES)
    def test_parts_of_takane_are_kept_or_named(self):
        self.hold(self.written_by_specification('takane'), 'takane')

    @needs_modules(*MODULES)
    @needs_r(*PACKAGES)
    def test_parts_of_h5seurat_are_kept_or_named(self):
        self.hold(self.written_by_specification('h5seurat'), 'h5seurat')

    @needs_modules(*MODULES)
    @needs_r(*PACKAGES)
    def test_parts_of_tenx_are_kept_or_named(self):
        self.hold(self.written_by_specification('tenx'), 'tenx')

    @needs_modules(*MODULES)
    @needs_r(*PACKAGES)
    def test_parts_of_bpcells_are_kept_or_named(self):
        self.hold(self.written_by_specification('bpcells'), 'bpcells')

    @needs_modules(*MODULES)
    @needs_r(*PACKAGES)
    def test_parts_of_seurat_are_kept_or_named(self):
        self.hold(self.written_by_r('seurat3', 'seurat4', 'seurat5'), 'seurat')

    @needs_modules(*MODULES)
    @needs_r(*PACKAGES)
    def test_parts_of_experiments_are_kept_or_named(self):
        self.hold(self.written_by_r('experiment'), 'experiment')


if __name__ == '__main__':
    unittest.main(verbosity=2)  # so that skipped tests are counted
