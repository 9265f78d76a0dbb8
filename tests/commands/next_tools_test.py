#!/usr/bin/env python3
"""Goes on with the analysis of a converted object: Seurat's next steps, and the members that scanpy reads."""
import os
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..', 'support'))
from optional import missing_r, needs_modules, needs_r

os.environ.setdefault('PLAINFS_INDEX', 'none')
PROGRAM = os.environ['PLAINFS']
MODULES = ('anndata', 'numpy', 'scipy')
SCRIPT = os.path.join(HERE, 'analysed_seurat.R')


class NextTools(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = folder.name
        if not missing_r('Seurat'):
            cls.run_r('make', cls.at('made.rds'))
            cls.export('made.rds', 'made.h5ad')

    @classmethod
    def at(cls, name):
        return os.path.join(cls.folder, name)

    @classmethod
    def run_r(cls, *arguments):
        done = subprocess.run(
            ['Rscript', SCRIPT, *arguments], capture_output=True, text=True, timeout=300, cwd=cls.folder
        )
        if done.returncode != 0:
            raise RuntimeError(done.stderr)
        return done.stdout

    @classmethod
    def export(cls, store, file):
        version = ['--zarr-format', '2'] if file.endswith('.zarr') else []  # for zarr-python 2
        subprocess.run([PROGRAM, 'export', '--quiet', *version, cls.at(store), cls.at(file)], timeout=300, check=True)

    @needs_r('Seurat')
    def test_seurat_goes_on_with_its_converted_object(self):
        self.export('made.rds', 'again.rds')
        self.assertEqual(self.run_r('use', self.at('again.rds'), self.at('made.rds')), 'used\n')

    @needs_r('Seurat')
    def test_seurat_goes_on_with_an_object_made_of_an_anndata(self):
        self.export('made.h5ad', 'back.rds')
        self.assertEqual(self.run_r('use', self.at('back.rds'), self.at('made.rds')), 'used\n')

    @needs_r('Seurat')
    @needs_modules(*MODULES)
    def test_scanpy_finds_the_analysis_of_a_seurat_object(self):
        import anndata
        import numpy as np

        built = anndata.read_h5ad(self.at('made.h5ad'))
        neighbors = built.uns['neighbors']
        self.assertEqual(built.obsp[neighbors['connectivities_key']].shape, (60, 60))  # scanpy's leiden and umap
        self.assertEqual(neighbors['params']['n_neighbors'], 8)
        ratio = built.uns['pca']['variance_ratio']  # pl.pca_variance_ratio
        np.testing.assert_allclose(ratio, built.uns['pca']['variance'] / built.uns['pca']['total.variance'])
        self.assertEqual(built.varm['PCs'].shape, (50, built.obsm['X_pca'].shape[1]))  # pl.pca_loadings
        self.assertEqual(built.var['highly_variable'].sum(), 25)
        self.assertEqual(list(built.obs['ident'].cat.categories), ['T cell', '1'])

    @needs_modules(*MODULES)
    def test_scanpy_finds_its_own_members_after_two_conversions(self):
        import anndata
        import numpy as np
        import scipy.sparse as sp

        store = anndata.AnnData(
            sp.random(20, 6, 0.5, 'csr', dtype='f4', random_state=0),
            dtype='f4',
            obs={'leiden': np.array(['0', '1'] * 10, dtype=object)},
        )
        store.strings_to_categoricals()
        store.uns['leiden_colors'] = np.array(['#1f77b4', '#ff7f0e'], dtype=object)
        names = np.rec.fromarrays([np.array(['2', '0'], 'O'), np.array(['5', '1'], 'O')], names=['0', '1'])
        store.uns['rank_genes_groups'] = {
            'params': {'groupby': 'leiden', 'reference': 'rest', 'method': 't-test', 'use_raw': False},
            'names': names,
            'scores': np.rec.fromarrays([np.array([3.5, 1], 'f4'), np.array([2.5, 1], 'f4')], names=['0', '1']),
        }
        store.uns['log1p'] = {'base': 2.0}
        store.write_h5ad(self.at('scanpy.h5ad'))
        self.export('scanpy.h5ad', 'scanpy.zarr')
        self.export('scanpy.zarr', 'again.h5ad')
        for read in (anndata.read_zarr(self.at('scanpy.zarr')), anndata.read_h5ad(self.at('again.h5ad'))):
            ranked = read.uns['rank_genes_groups']
            self.assertEqual(ranked['names'].dtype.names, ('0', '1'))  # the groups, in their order
            self.assertEqual(ranked['names']['1'].tolist(), ['5', '1'])
            self.assertEqual(ranked['scores']['0'].tolist(), [3.5, 1])
            self.assertEqual(ranked['params']['reference'], 'rest')
            self.assertEqual(read.uns['leiden_colors'].tolist(), ['#1f77b4', '#ff7f0e'])
            self.assertEqual(read.uns['log1p']['base'], 2.0)


if __name__ == '__main__':
    unittest.main(verbosity=2)  # so that skipped tests are counted
