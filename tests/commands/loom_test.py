#!/usr/bin/env python3
"""Tests `plainfs export x.loom` and anndata.loom: valid for loompy, and with the values of the store."""
import os
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..', 'support'))
from optional import missing_modules, needs_modules

MODULES = ('anndata', 'h5py', 'numpy', 'pandas', 'scipy')
if not missing_modules(*MODULES):
    import anndata
    import h5py
    import numpy
    import pandas
    import scipy.sparse

os.environ.setdefault('PLAINFS_INDEX', 'none')
PROGRAM = os.environ['PLAINFS']
DATA = os.environ['PLAINFS_TEST_DATA']
PBMC = os.path.join(HERE, '..', 'data', 'samples', 'pbmc.h5ad')
STORES = (
    PBMC,
    os.path.join(DATA, 'anndata/everything_h5ad/store.h5ad'),
    os.path.join(DATA, 'loom/v3_layers_graphs/store.loom'),
    os.path.join(DATA, 'h5seurat/everything/store.h5seurat'),
    os.path.join(DATA, 'conversions/seurat_whole/store.rds'),
    os.path.join(DATA, 'conversions/sce_whole/store.rds'),
    os.path.join(DATA, 'tenx/v2_feature_types/store.h5'),
)


def run(*arguments):
    return subprocess.run([PROGRAM, *arguments], capture_output=True, timeout=120)


def dense(matrix):
    return matrix.toarray() if hasattr(matrix, 'toarray') else numpy.asarray(matrix)


def texts(dataset):
    return [text.decode() for text in dataset[:]]


UNS_ROWS = {'name': ['a', 'b&lt'], 'number': [1.5, 2], 'kind': ['x', 'x']}


def hostile_store():
    """Returns an AnnData with names that loom cannot have, and values that it has in another form."""
    uns_table = pandas.DataFrame(UNS_ROWS, index=['r1', 'r2']).astype({'kind': 'category'})
    store = anndata.AnnData(
        scipy.sparse.csr_matrix(numpy.array([[0, 1.5], [0, 0], [2, 0]], 'f4')),
        obs=pandas.DataFrame(
            {
                'CellID': ['x', 'y', 'z'],
                'a b&lt c': pandas.Categorical(['\u017c', 'd & e', None]),
                'truth': [True, False, True],
                'some': pandas.array([1, None, 3], dtype='Int64'),
            },
            index=['c\u00e9', 'c', 'c'],
        ),
        var=pandas.DataFrame({'gene_ids': ['E1', 'E2'], 'Gene': ['g1', 'g2']}, index=['g1', 'g2']),
        obsm={
            'X_pca': numpy.arange(6, dtype='f4').reshape(3, 2),
            'few': scipy.sparse.csc_matrix([[0, 1.5], [0, 0], [-2, 0]], dtype='f8'),
            'cube': numpy.zeros((3, 2, 2)),
        },
        varm={'wide': scipy.sparse.csr_matrix((2, 4), dtype='f4')},
        obsp={'links': scipy.sparse.csr_matrix(numpy.array([[0, 3, 0], [0, 0, 4], [5, 0, 0]], 'i4'))},
        layers={'counts': numpy.array([[0, 1], [0, 0], [2, 0]], 'i8')},
        uns={'title': 'd\u00e9j\u00e0', 'table': uns_table, 'nested': {'n': 3, 'deep': {'list': numpy.arange(3)}}},
        dtype='f4',
    )
    store.raw = store[:, :1]
    return store


@needs_modules(*MODULES)
class Loom(unittest.TestCase):
    def setUp(self):
        self.folder = self.enterContext(tempfile.TemporaryDirectory(prefix='plainfs-test-'))

    def at(self, name):
        return os.path.join(self.folder, name)

    def exported(self, store, *options):
        done = run('export', '--force', *options, store, self.at('out.loom'))
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        return self.enterContext(h5py.File(self.at('out.loom'))), done.stderr.decode()

    @needs_modules('loompy')
    def test_loompy_validates_and_opens_every_file(self):
        import loompy

        hostile_store().write_h5ad(self.at('odd.h5ad'))
        for store in (*STORES, self.at('odd.h5ad')):
            for level in ('0', '2'):
                with self.subTest(store=store, level=level):
                    self.exported(store, '--level', level)
                    validator = loompy.LoomValidator()
                    self.assertTrue(validator.validate(self.at('out.loom')), validator.errors)
                    with loompy.connect(self.at('out.loom'), mode='r') as file:
                        self.assertEqual(file[:, :].shape, file.shape)
                        self.assertEqual(len(file.ca['CellID']), file.shape[1])
                        self.assertEqual(len(file.ra['Gene']), file.shape[0])

    def test_values_are_those_of_the_store(self):
        for store in STORES:
            for level in ('0', '2'):
                with self.subTest(store=store, level=level):
                    file, _ = self.exported(store, '--level', level)
                    self.assertEqual(run('export', '--force', store, self.at('same.h5ad')).returncode, 0)
                    same = anndata.read_h5ad(self.at('same.h5ad'))
                    numpy.testing.assert_array_equal(file['matrix'][:], dense(same.X).T)
                    for name, layer in same.layers.items():
                        numpy.testing.assert_array_equal(file['layers'][name][:], dense(layer).T)
                    for name, embedding in same.obsm.items():
                        if isinstance(embedding, numpy.ndarray) and embedding.ndim == 2:
                            numpy.testing.assert_array_equal(file['col_attrs'][name][:], embedding)
                    self.assertEqual(file['attrs/LOOM_SPEC_VERSION'][()], b'3.0.0')
                    twice = [name for name in file['col_attrs'] if name.startswith('PCA.') and 'PCA' in same.obsm]
                    self.assertEqual(twice, [])

    def test_only_chunks_with_values_are_stored(self):
        matrix = scipy.sparse.lil_matrix((130, 200), dtype='f4')
        matrix[0, 0] = 1
        anndata.AnnData(matrix.tocsr(), dtype='f4').write_h5ad(self.at('few.h5ad'))
        file, _ = self.exported(self.at('few.h5ad'))
        dataset = file['matrix']
        self.assertEqual((dataset.chunks, dataset.maxshape), ((64, 64), (200, None)))
        self.assertEqual((dataset.compression, dataset.compression_opts), ('gzip', 2))
        self.assertEqual(dataset.id.get_num_chunks(), 1)
        numpy.testing.assert_array_equal(dataset[:], matrix.toarray().T)

    def test_names_and_types_are_those_of_loom(self):
        hostile_store().write_h5ad(self.at('odd.h5ad'))
        for level in ('0', '2'):
            file, said = self.exported(self.at('odd.h5ad'), '--level', level)
            cells = file['col_attrs']
            self.assertEqual(texts(cells['CellID']), ['c&#233;', 'c', 'c'])
            self.assertEqual(texts(cells['CellID_1']), ['x', 'y', 'z'])
            self.assertEqual(texts(cells['a b&lt c']), ['&#380;', 'd & e', ''])
            self.assertEqual((cells['truth'].dtype, cells['truth'][:].tolist()), (numpy.uint8, [1, 0, 1]))
            numpy.testing.assert_array_equal(cells['some'][:], [1, numpy.nan, 3])
            self.assertEqual(sorted(file['row_attrs']), ['Accession', 'Gene'])
            self.assertEqual(texts(file['row_attrs/Accession']), ['E1', 'E2'])
            self.assertIn('4 texts have character references in the .loom', said)
            self.assertIn('/obs/CellID: CellID_1 in the .loom', said)

    def test_graphs_and_attributes_of_the_file_are_kept(self):
        hostile_store().write_h5ad(self.at('odd.h5ad'))
        file, said = self.exported(self.at('odd.h5ad'))
        graph = file['col_graphs/links']
        self.assertEqual([graph[name][:].tolist() for name in 'abw'], [[0, 1, 2], [1, 2, 0], [3, 4, 5]])
        self.assertEqual([graph[name].dtype for name in 'abw'], [numpy.int32, numpy.int32, numpy.float64])
        self.assertEqual(file['attrs/title'][()], b'd&#233;j&#224;')
        self.assertEqual(file['attrs/nested.n'][()], 3)
        self.assertEqual(file['attrs/nested.deep.list'][:].tolist(), [0, 1, 2])
        self.assertEqual(texts(file['attrs/table.index']), ['r1', 'r2'])
        self.assertEqual(texts(file['attrs/table.name']), ['a', 'b&amp;lt'])
        self.assertEqual(texts(file['attrs/table.kind']), ['x', 'x'])
        self.assertEqual(file['attrs/table.number'][:].tolist(), [1.5, 2])
        self.assertNotIn('/uns', said)
        self.assertIn('/obsm/cube: not in the .loom: an attribute of a loom file is', said)
        self.assertIn('/raw: not in the .loom: a loom file has one set of genes', said)

    def test_sparse_embeddings_have_their_zeros(self):
        hostile_store().write_h5ad(self.at('odd.h5ad'))
        for level in ('0', '2'):
            file, said = self.exported(self.at('odd.h5ad'), '--level', level)
            few = file['col_attrs/few']
            self.assertEqual((few.dtype, few[:].tolist()), (numpy.float64, [[0, 1.5], [0, 0], [-2, 0]]))
            self.assertNotIn('/obsm/few', said)
            self.assertNotIn('wide', file['row_attrs'])
            self.assertIn('/varm/wide: not in the .loom: a sparse matrix of 4 columns, wider than', said)

    def test_store_without_cells_is_refused(self):
        empty = anndata.AnnData(numpy.zeros((0, 2), 'f4'), dtype='f4')
        empty.write_h5ad(self.at('empty.h5ad'))
        done = run('export', self.at('empty.h5ad'), self.at('out.loom'))
        self.assertNotEqual(done.returncode, 0)
        self.assertIn('a loom file of 2 genes and 0 cells, which loompy does not open', done.stderr.decode())

    def test_size_is_printed_before_it_is_written(self):
        done = run('export', '--dry-run', PBMC, self.at('out.loom'))
        self.assertRegex(done.stderr.decode(), r'out\.loom, [0-9.]+ kB of data')
        self.assertFalse(os.path.exists(self.at('out.loom')))


if __name__ == '__main__':
    unittest.main()
