#!/usr/bin/env python3
"""Tests `plainfs export x.h5mu` and mudata.h5mu: the tree that mudata writes, by h5py, each modality by anndata, and
the values against the store."""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..', 'support'))
from optional import missing_modules, needs_modules

MODULES = ('anndata', 'h5py', 'numpy', 'pandas')
if not missing_modules(*MODULES):
    import anndata
    import h5py
    import numpy
    import pandas
    from anndata._io.specs import read_elem, write_elem

os.environ.setdefault('PLAINFS_INDEX', 'none')
PROGRAM = os.environ['PLAINFS']
DATA = os.environ['PLAINFS_TEST_DATA']
BLOCK = b'MuData (format-version=0.1.0;creator=plainfs;creator-version=0.1.0)'
STORES = {
    'mudata 0.1': 'anndata/mudata_012/store.h5mu',
    'mudata 0.4': 'anndata/mudata_041/store.h5mu',
    'mudata in Zarr': 'anndata/mudata_041_zarr/store.zarr.zip',
    'h5seurat': 'h5seurat/everything/store.h5seurat',
    'seurat': 'conversions/seurat_whole/store.rds',
    'experiment': 'conversions/sce_whole/store.rds',
    'tenx': 'tenx/v2_feature_types/store.h5',
}


def run(*arguments):
    return subprocess.run([PROGRAM, *arguments], capture_output=True, timeout=120)


def names_of(group):
    return read_elem(group).index.to_numpy()


def values_of(matrix):
    return matrix.toarray() if hasattr(matrix, 'toarray') else numpy.asarray(matrix)


def text_of(value):
    """Returns the text of an attribute, which is bytes if its length is fixed."""
    return value.decode() if isinstance(value, bytes) else value


@needs_modules(*MODULES)
class MuData(unittest.TestCase):
    def setUp(self):
        self.folder = self.enterContext(tempfile.TemporaryDirectory(prefix='plainfs-test-'))

    def at(self, name):
        return os.path.join(self.folder, name)

    def exported(self, store, *options):
        """Returns the open file, and the lines on standard error."""
        path = self.at('out.h5mu')
        done = run('export', '--force', *options, os.path.join(DATA, store), path)
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        return self.enterContext(h5py.File(path)), done.stderr.decode()

    def read(self, group):
        """Returns the AnnData of a modality, as anndata reads its elements."""
        elements = {name: read_elem(group[name]) for name in group if name != 'raw'}
        return anndata.AnnData(**elements, dtype=elements['X'].dtype if 'X' in elements else None)

    def check_maps(self, file, modality):
        """Compares the names that the maps lead to, and the masks."""
        own = file['mod'][modality]
        for maps, masks, frame in (('obsmap', 'obsm', 'obs'), ('varmap', 'varm', 'var')):
            rows = file[maps][modality][:]
            self.assertEqual(rows.dtype, numpy.uint32)
            names, all_names = names_of(own[frame]), names_of(file[frame])
            self.assertEqual(len(rows), len(all_names))
            self.assertEqual(sorted(rows[rows > 0]), list(range(1, len(names) + 1)))
            numpy.testing.assert_array_equal(all_names[rows > 0], names[rows[rows > 0] - 1])
            mask = file[masks][modality]
            self.assertEqual((mask.dtype, mask.shape), (numpy.dtype(bool), rows.shape))
            numpy.testing.assert_array_equal(mask[:], rows > 0)

    def test_whole_has_mudatas_layout(self):
        for name, store in STORES.items():
            for level in ('0', '4'):
                with self.subTest(store=name, level=level):
                    file, _ = self.exported(store, '--level', level)
                    with open(file.filename, 'rb') as stored:
                        self.assertEqual(stored.read(512), BLOCK.ljust(512, b'\0'))
                    attributes = {key: text_of(value) for key, value in file.attrs.items()}
                    self.assertEqual(attributes['encoding-type'], 'MuData')
                    self.assertEqual((attributes['encoding-version'], attributes['axis']), ('0.1.0', 0))
                    rooms = ['obs', 'var', 'obsm', 'varm', 'obsp', 'varp', 'uns', 'obsmap', 'varmap', 'mod']
                    self.assertEqual(set(file), set(rooms))
                    order = list(file['mod'].attrs['mod-order'])
                    self.assertEqual(set(order), set(file['mod']))
                    self.assertGreater(len(order), 1)
                    for modality in order:
                        self.assertEqual(text_of(file['mod'][modality].attrs['encoding-type']), 'anndata')
                        self.read(file['mod'][modality])
                        self.check_maps(file, modality)

    def test_every_store_of_several_matrices_has_one(self):
        for name, store in STORES.items():
            with self.subTest(store=name):
                self.assertEqual(run('ls', '-a', os.path.join(DATA, store), 'mudata.h5mu').returncode, 0)
                listed = run('ls', os.path.join(DATA, store)).stdout.decode().split()
                self.assertEqual('mudata.h5mu' in listed, name != 'tenx')
        for store in ('anndata/everything_h5ad/store.h5ad', 'loom/v3_layers_graphs/store.loom'):
            self.assertNotEqual(run('ls', '-a', os.path.join(DATA, store), 'mudata.h5mu').returncode, 0)

    def test_mudata_is_as_stored(self):
        for store in ('anndata/mudata_012/store.h5mu', 'anndata/mudata_global/store.h5mu'):
            file, said = self.exported(store)
            self.assertNotIn('not in the .h5mu', said)
            with h5py.File(os.path.join(DATA, store)) as stored:
                self.assertEqual(list(file['mod'].attrs['mod-order']), list(stored['mod'].attrs['mod-order']))
                for frame in ('obs', 'var'):
                    pandas.testing.assert_frame_equal(read_elem(file[frame]), read_elem(stored[frame]))
                for modality in file['mod']:
                    ours, theirs = self.read(file['mod'][modality]), self.read(stored['mod'][modality])
                    numpy.testing.assert_array_equal(values_of(ours.X), values_of(theirs.X))
                    pandas.testing.assert_frame_equal(ours.obs, theirs.obs)
                    pandas.testing.assert_frame_equal(ours.var, theirs.var)
                    for maps in ('obsmap', 'varmap'):
                        numpy.testing.assert_array_equal(
                            file[maps][modality][:], stored[maps][modality][:].ravel(), maps
                        )

    def test_assays_are_modalities(self):
        for store in ('conversions/seurat_whole/store.rds', 'h5seurat/everything/store.h5seurat'):
            file, _ = self.exported(store)
            self.assertEqual(list(file['mod'].attrs['mod-order']), ['rna', 'prot'])
            for assay, modality in (('RNA', 'rna'), ('ADT', 'prot')):
                path = self.at('assay.h5ad')
                self.assertEqual(
                    run('export', '--force', '--assay', assay, os.path.join(DATA, store), path).returncode, 0
                )
                theirs, ours = anndata.read_h5ad(path), self.read(file['mod'][modality])
                numpy.testing.assert_array_equal(values_of(ours.X), values_of(theirs.X))
                pandas.testing.assert_frame_equal(ours.var, theirs.var)
                self.assertEqual(set(ours.layers), set(theirs.layers))
                self.assertEqual(list(ours.obs), [])
                pandas.testing.assert_frame_equal(read_elem(file['obs']), theirs.obs)
            # A reduction is in one place: its assay, or the whole if it is global.
            self.assertIn('X_pca', file['mod/rna/obsm'])
            self.assertIn('PCs', file['mod/rna/varm'])
            self.assertNotIn('X_pca', file['obsm'])
            self.assertIn('X_umap', file['obsm'])
            self.assertNotIn('X_umap', file['mod/rna/obsm'])
            self.assertIn('commands', file['uns'])

    def test_assays_that_share_a_name_keep_their_own(self):
        store = self.at('two.h5seurat')
        shutil.copy(os.path.join(DATA, STORES['h5seurat']), store)
        with h5py.File(store, 'a') as file:
            file.copy('assays/ADT', 'assays/rna')
            file.copy('assays/ADT', 'assays/SCT')
        file, _ = self.exported(store)
        self.assertEqual(list(file['mod'].attrs['mod-order']), ['RNA', 'prot', 'SCT', 'rna'])

    def test_alternative_experiments_are_modalities(self):
        file, _ = self.exported('conversions/sce_whole/store.rds')
        self.assertEqual(list(file['mod'].attrs['mod-order']), ['gene', 'prot'])
        self.assertEqual(list(read_elem(file['obs'])), [])
        self.assertIn('sizeFactor', read_elem(file['mod/gene/obs']))
        self.assertIn('clone', read_elem(file['mod/prot/var']))

    def test_types_of_features_are_modalities(self):
        store = 'tenx/v2_feature_types/store.h5'
        file, _ = self.exported(store)
        order = list(file['mod'].attrs['mod-order'])
        self.assertEqual(order[:2], ['rna', 'prot'])
        self.assertIn('CRISPR Guide Capture', order)
        self.assertEqual(run('export', os.path.join(DATA, store), self.at('all.h5ad')).returncode, 0)
        whole = anndata.read_h5ad(self.at('all.h5ad'))
        types = {'rna': 'Gene Expression', 'prot': 'Antibody Capture'}
        for modality in order:
            some = whole[:, whole.var['feature_types'] == types.get(modality, modality)]
            ours = self.read(file['mod'][modality])
            numpy.testing.assert_array_equal(values_of(ours.X), values_of(some.X))
            self.assertEqual(list(ours.var_names), list(some.var_names))
            self.assertEqual(list(ours.var['gene_ids']), list(some.var['gene_ids']))

    def test_features_of_one_type_are_unsupported(self):
        store = os.path.join(DATA, 'tenx/v2_u32/store.h5')
        done = run('export', store, self.at('one.h5mu'))
        self.assertIn('its features are of one type: it is an AnnData', done.stderr.decode())
        self.assertNotIn('.h5mu', run('info', store).stdout.decode())

    def test_anndata_of_one_assay_names_the_mudata(self):
        done = run('export', os.path.join(DATA, STORES['seurat']), self.at('one.h5ad'))
        self.assertIn('; a .h5mu has all of them', done.stderr.decode())

    def without_maps(self, path):
        """Writes a MuData as scConvert does, with repeated names and a modality without genes."""
        frames = {'rna': (['b', 'a', 'a'], ['g1', 'g2']), 'prot': (['a', 'b', 'a'], []), 'x': (['b'], ['g1'])}
        with h5py.File(path, 'w') as file:
            file.attrs['encoding-type'] = 'MuData'
            file.create_group('mod').attrs['mod-order'] = list(frames)
            write_elem(file, 'obs', pandas.DataFrame(index=['b', 'a', 'a']))
            for name, (cells, genes) in frames.items():
                write_elem(
                    file['mod'],
                    name,
                    anndata.AnnData(
                        numpy.arange(len(cells) * len(genes), dtype='f4').reshape(len(cells), len(genes)),
                        obs=pandas.DataFrame(index=cells),
                        var=pandas.DataFrame(index=pandas.Index(genes, dtype=object)),
                        dtype='f4',
                    ),
                )

    def test_rows_without_maps_are_matched_by_name(self):
        self.without_maps(self.at('plain.h5mu'))
        file, _ = self.exported(self.at('plain.h5mu'))
        found = {name: file['obsmap'][name][:].tolist() for name in file['obsmap']}
        self.assertEqual(found, {'rna': [1, 2, 3], 'prot': [2, 1, 3], 'x': [1, 0, 0]})
        self.assertEqual(list(names_of(file['var'])), ['g1', 'g2', 'g1'])
        found = {name: file['varmap'][name][:].tolist() for name in file['varmap']}
        self.assertEqual(found, {'rna': [1, 2, 0], 'prot': [0, 0, 0], 'x': [0, 0, 1]})
        self.assertEqual(self.read(file['mod/prot']).shape, (3, 0))

    def test_map_beyond_the_modality_is_damaged(self):
        self.without_maps(self.at('bad.h5mu'))
        with h5py.File(self.at('bad.h5mu'), 'a') as file:
            write_elem(file, 'obsmap', {'rna': numpy.array([1, 2, 4], 'u4')})
        done = run('export', self.at('bad.h5mu'), self.at('out.h5mu'))
        self.assertEqual(done.returncode, 14, done.stderr)
        self.assertIn('/obsmap/rna: row 4, expected 0 to 3', done.stderr.decode())
        self.assertFalse(os.path.exists(self.at('out.h5mu')))

    def test_parts_are_chosen_where_they_are(self):
        file, _ = self.exported(STORES['seurat'], '--layer', 'counts', '--without', 'uns')
        self.assertEqual(run('export', os.path.join(DATA, STORES['seurat']), self.at('plain.h5mu')).returncode, 0)
        with h5py.File(self.at('plain.h5mu')) as usual:
            for modality in ('rna', 'prot'):
                numpy.testing.assert_array_equal(
                    values_of(read_elem(file['mod'][modality]['X'])),
                    values_of(read_elem(usual['mod'][modality]['layers/counts'])),
                )
        self.assertEqual(list(file['uns']), [])


if __name__ == '__main__':
    unittest.main()
