#!/usr/bin/env python3
"""The description of a store with which `plainfs info` begins, and that of the stores of a folder."""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..', 'support'))
from optional import needs_modules

os.environ.setdefault('PLAINFS_INDEX', 'none')
PROGRAM = os.environ['PLAINFS']
DATA = os.environ['PLAINFS_TEST_DATA']
SAMPLES = os.path.join(HERE, '..', 'data', 'samples')

FIRST_LINES = (
    (
        'conversions/seurat_whole/store.rds',
        'Seurat 4.1 object, 28 cells × 24 genes in RNA, assays RNA, ADT, '
        '2 identities in active.ident: T cell, B cell',
    ),
    (
        'h5seurat/everything/store.h5seurat',
        'Seurat 4.1 object in h5Seurat, 40 cells × 60 genes in RNA, assays ADT, RNA, '
        '3 identities in active.ident: 0, 1, 2',
    ),
    (
        'conversions/sce_whole/store.rds',
        'SingleCellExperiment object, 28 cells × 24 genes, alternative experiments ADT, '
        '3 levels in column_data/label: 1, 2, 3',
    ),
    ('anndata/mudata_global/store.h5mu', 'MuData, 8 cells × 6 genes in rna, modalities prot, rna'),
    ('bpcells/v1_frag_packed/store', 'BPCells fragments, 1,908 fragments, 30 cells, 4 chromosomes'),
    (
        'hdmf-zarr/dims/store.zarr',
        'NWB 2.7 recording in Zarr v2: demo, "quoted"; from 2024-03-27T14:52:26.123000-07:00; 5 time series; '
        '3 units; 2 trials',
    ),
    ('vcf-zarr/ploidy/store.zarr', 'VCF Zarr 0.4, 9 variants × 5 samples'),
    (
        'xarray/era5_v2/store.zarr',
        'CF data in Zarr v2, latitude 5 × longitude 8 × time 6; '
        'time from 2020-01-01T00:00:00 to 2020-01-02T06:00:00 (gregorian)',
    ),
    ('r-objects/sparse_dgc/store.rds', 'R dgCMatrix, 9 cells × 12 genes'),
    ('hdf5/links/store.h5', 'HDF5, 5 arrays'),
)


def info(*arguments):
    done = subprocess.run([PROGRAM, 'info', *arguments], capture_output=True, text=True, timeout=120, check=True)
    return done.stdout


class Described(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def at(self, *names):
        path = os.path.join(self.folder, *names)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        return path

    # VIEWS 1 "prints first what a store is"
    def test_first_line_describes_the_store(self):
        for store, line in FIRST_LINES:
            with self.subTest(store):
                self.assertEqual(info(os.path.join(DATA, store)).splitlines()[0], line)

    # VIEWS 1 "Then follow the formats"
    def test_answers_come_before_technical_facts(self):
        store = os.path.join(SAMPLES, 'pbmc.h5ad')
        text = info(store)
        places = [text.index(words) for words in ('AnnData, 40', '\nto write it', '\nto open it', '\nobs ', '\nstore ')]
        self.assertEqual(places, sorted(places))
        # VIEWS 1 "Sizes of files, the version"
        technical = (r'(?m)^libhdf5 ', r'(?m)^version +superblock 0$', r'(?m)^ +\d+ B  ', r'(?m)^[\d,]+ files')
        for words in technical:
            self.assertNotRegex(text, words)
            self.assertRegex(info('--long', store), words)

    # VIEWS 1 "An array of one value"
    @needs_modules('h5py', 'numpy')
    def test_array_of_one_value_shows_it(self):
        import h5py

        store = self.at('a.h5')
        with h5py.File(store, 'w') as file:
            file['text'] = 'a b'
            file['empty'] = ''
            file['line'] = 'a\nb'
            file['long'] = 'x' * 61
            file['number'] = 0.25
            file['list'] = [7]
            file['two'] = [7, 8]
            file['none'] = [0] * 0
        lines = dict(re.split(r'  +array  +', line) for line in info(store).splitlines() if '  array  ' in line)
        self.assertEqual(
            lines,
            {
                'text': '"a b" (text)',
                'empty': '"" (text)',
                'line': r'"a\nb" (text)',
                'long': 'one value (text)',
                'number': '0.25 (float64)',
                'list': '7 (int64)',
                'two': '2 (int64)',
                'none': '0 (float64)',
            },
        )

    # VIEWS 1 "for NWB the session"
    @needs_modules('h5py')
    def test_recording_names_its_session_and_subject(self):
        import h5py

        store = self.at('a.nwb')
        with h5py.File(store, 'w') as file:
            file.attrs['nwb_version'] = '2.7.0'
            file['session_description'] = 'lever press'
            file['session_start_time'] = '2024-03-27T14:52:26+00:00'
            subject = file.create_group('general/subject')
            subject['subject_id'] = 'M1'
            subject['species'] = 'Mus musculus'
            subject['age'] = 'P90D'
        self.assertEqual(
            info(store).splitlines()[0],
            'NWB 2.7 recording: lever press; from 2024-03-27T14:52:26+00:00; subject M1 (Mus musculus, P90D)',
        )

    # VIEWS 1 "the column with its clusters"
    @needs_modules('anndata', 'numpy', 'pandas')
    def test_cells_are_named_by_their_clusters(self):
        import anndata
        import numpy
        import pandas

        store = self.at('a.h5ad')
        obs = pandas.DataFrame(
            {
                'batch': pandas.Categorical(['x', 'y'] * 3),
                'leiden': pandas.Categorical(list('012012')),
                'cell_type': pandas.Categorical(['a', 'b', 'c', 'd', 'e', 'e']),
            },
            index=[f'c{i}' for i in range(6)],
        )
        built = anndata.AnnData(numpy.ones((6, 2), 'f4'), obs=obs)
        built.write_h5ad(store)
        start = 'AnnData, 6 cells × 2 genes, '
        self.assertEqual(info(store).splitlines()[0], start + '5 levels in obs/cell_type: a, b, c, d, …')
        del built.obs['cell_type']
        built.write_h5ad(store)
        self.assertEqual(info(store).splitlines()[0], start + '3 levels in obs/leiden: 0, 1, 2')

    # VIEWS 1 "Of a folder it prints"
    def test_folder_names_its_stores_by_kind(self):
        for name in ('alice/pbmc/a.h5ad', 'bob/b.h5ad'):
            shutil.copy(os.path.join(SAMPLES, 'pbmc.h5ad'), self.at(name))
        shutil.copytree(os.path.join(SAMPLES, 'frags'), self.at('bob', 'frags'))
        with open(self.at('bob', 'b.h5ad'), 'rb') as file:
            start = file.read(3000)
        with open(self.at('cut.h5ad'), 'wb') as file:
            file.write(start)
        with open(self.at('notes.txt'), 'w') as file:
            file.write('not a store\n')
        text = info(self.folder)
        self.assertEqual(
            text.splitlines()[0], 'folder with 4 stores: 2 AnnData, 1 BPCells fragments, 1 that does not open'
        )
        for line in (
            r'alice/pbmc/a\.h5ad  AnnData +40 cells × 120 genes',
            r'bob/b\.h5ad +AnnData +40 cells × 120 genes',
            r'bob/frags +BPCells fragments +\d+ fragments, .*',
            r'cut\.h5ad +does not open +.*truncated file.*',
        ):
            self.assertRegex(text, rf'(?m)^{line}$')
        for words in ('.npy', 'notes.txt', ' store '):
            self.assertNotIn(words, text)

    def test_damaged_store_has_a_description(self):
        for case in sorted(os.listdir(os.path.join(DATA, 'bad', 'anndata'))):
            folder = os.path.join(DATA, 'bad', 'anndata', case)
            for store in [os.path.join(folder, name) for name in os.listdir(folder) if name.startswith('store')]:
                done = subprocess.run([PROGRAM, 'info', store], capture_output=True, text=True, timeout=120)
                if done.returncode == 0:
                    self.assertRegex(done.stdout.splitlines()[0], r'^(AnnData|HDF5|Zarr)', store)


if __name__ == '__main__':
    unittest.main()
