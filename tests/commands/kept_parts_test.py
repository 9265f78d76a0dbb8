#!/usr/bin/env python3
"""Holds conversions against the table of fs/VIEWS.md, section 16, which docs/convert.md has too: each row by parts of
stores with every kind of part, at the place that the row names, or with a line on standard error."""
import collections
import functools
import os
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..', 'support'))
from optional import SOURCE, missing_modules, missing_r, needs_modules, needs_r

MODULES = ('anndata', 'h5py', 'numpy', 'pandas', 'scipy', 'zarr')
PACKAGES = ('Seurat', 'SingleCellExperiment', 'jsonlite')
if not missing_modules(*MODULES):
    import annotated_stores
    import matrix_stores
    from conversion_outcomes import is_named, is_of_other_kind, parts_of_file, run_r
    from conversion_places import FATES

os.environ.setdefault('PLAINFS_INDEX', 'none')
PROGRAM = os.environ['PLAINFS']
DATA = os.environ['PLAINFS_TEST_DATA']
LINE = '(a line on standard error)'
SAME = '(the same path)'

# The stores: their kind, and the file among the test data; '' for one that is made.
Store = collections.namedtuple('Store', 'kind file')
STORES = {
    'whole': Store('anndata', 'conversions/anndata_whole/store.h5ad'),
    'scaled': Store('anndata', 'conversions/anndata_scanpy/store.h5ad'),
    'back': Store('seurat', ''),  # the Seurat object of the first one
    'seurat': Store('seurat', 'conversions/seurat_whole/store.rds'),
    'seurat5': Store('seurat', ''),
    'experiment': Store('experiment', 'conversions/sce_whole/store.rds'),
    'loom': Store('loom', ''),
    'tenx': Store('tenx', ''),
    'mudata': Store('mudata', ''),
}

# A part of a store, and where it is in the AnnData and in the Seurat object; None if that is not compared.
Kept = collections.namedtuple('Kept', 'store part anndata seurat')
OF_ONE_SIDE = ('obsm/protein/CD3', 'obsm/hits', 'obsm/cube', 'varm/fac', 'varp/coexp', 'varp/cor', 'obsp/dense')
ROWS = {
    'X of an AnnData, `data` of a Seurat object': [
        Kept('whole', 'X', 'X', 'assays/RNA/data'),
        Kept('seurat', 'assays/RNA/data', 'X', SAME),
    ],
    'layers, further layers of Seurat 5': [
        Kept('whole', 'layers/counts', SAME, 'assays/RNA/counts'),
        Kept('whole', 'layers/spliced', SAME, 'assays/spliced/data'),
        Kept('seurat5', 'assays/RNA/layers/spliced', 'layers/spliced', 'assays/spliced/data'),
    ],
    "assays with one matrix of the active assay's genes, and nothing else": [
        Kept('back', 'assays/spliced/data', 'layers/spliced', SAME),
        Kept('back', 'assays/unspliced/counts', 'layers/unspliced', SAME),
    ],
    '`raw`, the assay `raw`': [
        Kept('whole', 'raw/X', SAME, 'assays/raw/data'),
        Kept('back', 'assays/raw/data', 'raw/X', SAME),
        Kept('back', 'assays/raw/meta.features/raw_only', 'raw/var/raw_only', SAME),
        Kept('scaled', 'raw/X', SAME, 'assays/RNA/data'),
    ],
    'obs, `meta.data`, `colData`': [
        Kept('whole', 'obs/batch', SAME, 'meta.data/batch'),
        Kept('whole', 'obs/maybe', SAME, 'meta.data/maybe'),
        Kept('seurat', 'meta.data/donor', 'obs/donor', SAME),
        Kept('experiment', 'colData/Sample', 'obs/Sample', 'meta.data/Sample'),
    ],
    'var, `meta.features`, `rowData`': [
        Kept('whole', 'var/feature_types', SAME, 'assays/RNA/meta.features/feature_types'),
        Kept('seurat', 'assays/RNA/meta.features/chr', 'var/chr', SAME),
        Kept('experiment', 'rowData/ID', 'var/ID', 'assays/gene/meta.features/ID'),
    ],
    'ranges of genes': [
        Kept('experiment', f'rowRanges/{name}', f'var/{name}', f'assays/gene/meta.features/{name}')
        for name in ('seqnames', 'start', 'end', 'width', 'strand')
    ],
    'identities of the cells': [Kept('seurat', 'active.ident', 'obs/ident', SAME)],
    'variable features': [Kept('seurat', 'assays/RNA/#variable', 'var/#variable', SAME)],
    'embeddings': [
        Kept('seurat', 'reductions/pca/cell.embeddings', 'obsm/X_pca', SAME),
        Kept('whole', 'obsm/X_pca', SAME, 'reductions/pca/cell.embeddings'),
        Kept('experiment', 'reducedDims/UMAP', 'obsm/X_umap', 'reductions/umap/cell.embeddings'),
    ],
    'loadings': [
        Kept('seurat', 'reductions/pca/feature.loadings', 'varm/PCs', SAME),
        Kept('seurat', 'reductions/pca/feature.loadings.projected', 'varm/pca_projected', SAME),
        Kept('whole', 'varm/PCs', SAME, 'reductions/pca/feature.loadings'),
    ],
    'standard deviations': [Kept('seurat', 'reductions/pca/stdev', 'uns/pca/stdev', SAME)],
    'other `obsm`, `varm`, `varp`, dense `obsp`; lists of these names in `misc`': [
        *(Kept('whole', part, SAME, f'misc/{part}') for part in OF_ONE_SIDE),
        *(Kept('back', f'misc/{part}', part, SAME) for part in OF_ONE_SIDE),
        Kept('back', 'misc/raw/varm/rawPCs', 'raw/varm/rawPCs', SAME),
    ],
    'graphs, pairs of cells': [
        Kept('seurat', 'graphs/RNA_snn', 'obsp/connectivities', SAME),
        Kept('whole', 'obsp/distances', SAME, 'graphs/distances'),
        Kept('experiment', 'colPairs/knn', 'obsp/knn', 'graphs/knn'),
        Kept('loom', 'col_graphs/KNN', 'obsp/KNN', 'graphs/KNN'),
    ],
    "pairs of genes, graphs of a loom file's rows": [
        Kept('experiment', 'rowPairs/coexp', 'varp/coexp', 'misc/varp/coexp'),
        Kept('loom', 'row_graphs/KNN', 'varp/KNN', 'misc/varp/KNN'),
    ],
    '`uns`, `misc`, `metadata()`, attributes of a loom file': [
        Kept('whole', 'uns/deep/deeper/deepest/value', SAME, 'misc/deep/deeper/deepest/value'),
        Kept('seurat', 'misc/title', 'uns/title', SAME),
        Kept('seurat', 'misc/params/nested/on', 'uns/params/nested/on', SAME),
        Kept('experiment', 'metadata/Samples', 'uns/Samples', 'misc/Samples'),
        Kept('loom', 'attrs/title', 'uns/title', 'misc/title'),
    ],
    '`tools`, `commands`, `neighbors`': [
        Kept('seurat', 'tools/Mine/version', 'uns/tools/Mine/version', SAME),
        Kept('seurat', 'commands/RunPCA.RNA/params/npcs', 'uns/commands/RunPCA.RNA/params/npcs', SAME),
        Kept('seurat', 'commands/RunPCA.RNA/time.stamp', 'uns/commands/RunPCA.RNA/time.stamp', SAME),
        Kept('seurat', 'neighbors/RNA.nn/nn.dist', 'uns/neighbors_RNA.nn/nn.dist', SAME),
    ],
    'attributes of reduced dimensions': [
        Kept('experiment', 'reducedDims/PCA/@percentVar', 'uns/pca/percentVar', 'misc/pca/percentVar'),
    ],
    'further assays, alternative experiments': [
        Kept('seurat', 'assays/ADT/counts', LINE, SAME),
        Kept('experiment', 'altExps/ADT/assays/counts', LINE, 'assays/ADT/counts'),
    ],
    'types of features of a 10x matrix': [
        Kept('tenx', 'matrix/feature_type', 'var/feature_types', None),
        Kept('tenx', 'types/Gene Expression/values', None, 'assays/RNA/counts'),
        Kept('tenx', 'types/Antibody Capture/values', None, 'assays/ADT/counts'),
    ],
    'modalities of a MuData': [
        Kept('mudata', 'mod/rna/X', LINE, 'assays/rna/data'),
        Kept('mudata', 'mod/rna/uns/pca/params/zero_center', LINE, 'misc/rna/pca/params/zero_center'),
    ],
    'images': [
        Kept('seurat', 'images/slice1/coordinates/row', 'obs/array_row', SAME),
        Kept('seurat', 'images/slice1/coordinates/tissue', 'obs/in_tissue', SAME),
        Kept(
            'seurat', 'images/slice1/scale.factors/hires', 'uns/spatial/slice1/scalefactors/tissue_hires_scalef', SAME
        ),
    ],
    'scaled data of some of the genes': [Kept('seurat', 'assays/RNA/scale.data', LINE, SAME)],
    'Date, POSIXct': [Kept('seurat', 'misc/when', 'uns/when', SAME)],
    'NA in a column of reals': [Kept('seurat', 'meta.data/age', 'obs/age', SAME)],
    'functions, environments': [Kept('seurat', 'misc/fun', LINE, LINE)],
    'names of the elements of a vector': [
        Kept('seurat', 'reductions/pca/jackstraw/overall.p.values', 'uns/pca/jackstraw/overall.p.values', SAME)
    ],
}
TARGETS = {'anndata': '.h5ad', 'seurat': '.rds'}
# The rows of parts that have another form in the AnnData, and the line about it.
CHANGED = {'Date, POSIXct': 'a time, which is text', 'names of the elements of a vector': 'the names of its elements'}


def rows_of(heading, *path):
    """Returns the rows of the table below a heading."""
    with open(os.path.join(SOURCE, *path), encoding='utf-8') as file:
        lines = file.read().partition(heading)[2].partition('\n## ')[0].splitlines()
    return [line for line in lines if line.startswith('| ')][2:]


SEEDS = {'seurat5': 6, 'loom': 1, 'mudata': 4, 'tenx': 2}  # of stores that have the parts above


class Converted:
    """The stores, converted to each target, with their parts and the lines about them."""

    def __init__(self, folder):
        self.folder = folder
        self.paths = {name: self.built(name, store) for name, store in STORES.items()}
        self.lines = {}
        for name, path in self.paths.items():
            for target in TARGETS:
                done = subprocess.run(
                    [PROGRAM, 'export', path, self.file(name, target)], capture_output=True, text=True, timeout=300
                )
                if done.returncode != 0:
                    raise RuntimeError(done.stderr)
                self.lines[name, target] = done.stderr.splitlines()
        objects = [self.file(name, 'seurat') for name in STORES]
        objects += [self.paths[name] for name in ('seurat', 'experiment', 'back')]
        run_r('annotated_parts.R', [(path, path + '.json') for path in objects])

    def file(self, name, target):
        return os.path.join(self.folder, name + '-made' + TARGETS[target])

    def built(self, name, store):
        ending = {'anndata': '.h5ad', 'loom': '.loom', 'mudata': '.h5mu', 'tenx': '.h5'}.get(store.kind, '.rds')
        path = os.path.join(self.folder, name + ending)
        if store.file:
            os.symlink(os.path.join(DATA, store.file), path)
        elif name == 'back':
            whole = os.path.join(DATA, STORES['whole'].file)
            subprocess.run([PROGRAM, 'export', '--quiet', whole, path], check=True, timeout=300)
        elif store.kind in annotated_stores.WRITERS:
            annotated_stores.WRITERS[store.kind](SEEDS[name], path)
        elif store.kind in matrix_stores.WRITERS:
            matrix_stores.WRITERS[store.kind](SEEDS[name], path)
        else:
            run_r('annotated_stores.R', [(name, SEEDS[name], path, path + '.json')])
        return path

    @functools.cache
    def parts(self, name, target=None):
        return parts_of_file(self.file(name, target) if target else self.paths[name])


class KeptParts(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if missing_modules(*MODULES) or missing_r(*PACKAGES):
            return
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.converted = Converted(folder.name)

    def test_table_is_the_same_in_the_docs(self):
        table = rows_of('## 16. What a conversion keeps', 'fs', 'VIEWS.md')
        self.assertEqual(rows_of('## What is kept', 'docs', 'convert.md'), table)
        self.assertEqual([row.split(' | ')[0].removeprefix('| ') for row in table], list(ROWS))

    def assert_kept(self, row, kept, target, place):
        parts = self.converted.parts(kept.store)
        part = parts[kept.part]
        found = self.converted.parts(kept.store, target)
        lines = self.converted.lines[kept.store, target]
        stored = FATES[STORES[kept.store].kind, target](kept.part, 'RNA').stored
        if place == LINE:
            self.assertTrue(is_named(stored, lines), lines)
            return
        place = kept.part if place == SAME else place
        self.assertIn(place, found)
        rows, kept_rows = parts.get(kept.part + '/#loadings'), found.get(place + '/#loadings')
        if not (rows and kept_rows and rows.text == kept_rows.text or is_of_other_kind(part.text, found[place].text)):
            self.assertEqual(found[place].text, part.text)
        if row in CHANGED and target == 'anndata':
            self.assertTrue(any(f'/{stored}: {CHANGED[row]}' in line for line in lines), lines)

    @needs_modules(*MODULES)
    @needs_r(*PACKAGES)
    def test_parts_are_at_the_places_of_the_table(self):
        for row, parts in ROWS.items():
            for kept in parts:
                for target in TARGETS:
                    if getattr(kept, target) is None:
                        continue
                    with self.subTest(row, part=kept.part, target=target):
                        self.assert_kept(row, kept, target, getattr(kept, target))


if __name__ == '__main__':
    unittest.main(verbosity=2)  # so that skipped tests are counted
