"""Writes random stores of AnnData (.h5ad, .zarr), MuData (.h5mu) and loom with every kind of part, by anndata and h5py.
The same seed writes the same store."""
import json
import random
import warnings

with warnings.catch_warnings():
    warnings.simplefilter('ignore')  # of modules that anndata does not find
    import anndata
import h5py
import numpy as np
import pandas as pd
import scipy.sparse as sp
import zarr
from anndata.experimental import write_elem

warnings.filterwarnings('ignore', module='anndata|zarr')

GENES = ('CD3E', 'MS4A1', 'NKG7', 'GNLY', 'LYZ', 'FCGR3A', 'PPBP', 'MT-CO1', 'HLA-DRA', 'RP11-34P13.7', 'TP53')
WORDS = ('T cell', 'B cell', 'NK', 'naïve', 'a,b', 'x"y', '', 'α-cell', '0', 'NA', 'CD4+ T', 'two\nlines')
KEYS = ('params', 'title', 'log1p', 'hvg', 'a b', 'leiden', 'x.y', 'größe', 'dendrogram', 'de', 'qc', 'NULL', '1st')
LABELS = ('batch', 'donor', 'cell_type', 'leiden', 'n_genes', 'total counts', 'pct.mt', 'phase', 'größe', 'if')
WIDTHS = ('int8', 'uint8', 'int16', 'uint16', 'int32', 'uint32', 'int64', 'uint64', 'float32', 'float64')


class Source:
    """A source of random values."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.numpy = np.random.default_rng(seed)

    def one(self, *choices):
        return self.random.choice(choices)

    def maybe(self, chance=0.5):
        return self.random.random() < chance

    def some(self, names, least=0):
        names = list(names)
        return self.random.sample(names, self.random.randint(least, len(names)))

    def count(self, most):
        return self.random.randint(1, most)

    def numbers(self, shape, kind=None):
        kind = kind or self.one(*WIDTHS)
        if kind.startswith('float'):
            values = self.numpy.normal(size=shape).astype(kind)
            if values.size and self.maybe(0.3):
                values.reshape(-1)[self.random.randrange(values.size)] = self.one(np.nan, np.inf, -np.inf, -0.0)
            return values
        low = 0 if kind.startswith('u') else -100
        return self.numpy.integers(low, 100, shape).astype(kind)

    def words(self, count):
        return [self.one(*WORDS) for _ in range(count)]

    def with_missing(self, values, missing):
        values = list(values)
        if values and self.maybe(0.6):
            values[self.random.randrange(len(values))] = missing
        return values


# -- columns


def categorical(source, count):
    kind = source.one('text', 'text', 'whole', 'real', 'truth')
    levels = {
        'text': source.some(WORDS, 1),
        'whole': [3, 1, 2, 10],
        'real': [0.5, 1.5, 0.8],
        'truth': [False, True],
    }[kind]
    used = levels[: source.count(len(levels))]  # the others are unused levels
    values = source.with_missing([source.one(*used) for _ in range(count)], np.nan)
    return pd.Categorical(values, categories=levels, ordered=source.maybe(0.3))


def masked(source, count):
    if source.maybe(0.4):
        return pd.array(source.with_missing([source.maybe() for _ in range(count)], None), dtype='boolean')
    kind = source.one('Int8', 'Int32', 'Int64', 'UInt16')
    return pd.array(source.with_missing(range(1, count + 1), None), dtype=kind)


def column(source, count):
    makers = (
        lambda: source.numbers(count),
        lambda: source.numpy.integers(0, 2, count).astype(bool),
        lambda: pd.array(source.words(count), dtype=object),
        lambda: categorical(source, count),
        lambda: masked(source, count),
    )
    return source.one(*makers)()


def frame(source, names, most=4, labels=LABELS):
    name = source.one(None, None, 'cell_id', 'barcode', 'index')
    built = pd.DataFrame(index=pd.Index(list(names), dtype=object, name=name))
    for label in source.some(labels)[:most]:
        values = column(source, len(built))
        built[label] = pd.Series(values, index=built.index) if len(built) else values
    return built


# -- matrices


def sparse(source, shape, kind='float32', maker=None):
    values = sp.random(*shape, 0.3, 'csr', random_state=source.random.randrange(1 << 30))
    values.data = np.ceil(values.data * 9)
    return (maker or source.one(sp.csr_matrix, sp.csc_matrix))(values.astype(kind))


def matrix(source, shape, meaning):
    counts = sparse(source, shape, source.one('float32', 'float64', 'int32', 'int64'))
    if meaning == 'counts':
        return counts if source.maybe(0.8) else counts.toarray()
    if meaning == 'scaled':
        return source.numpy.normal(size=shape).astype(source.one('float32', 'float64'))
    normalised = counts.astype(source.one('float32', 'float64'))
    normalised.data = np.log1p(normalised.data)
    return normalised if source.maybe(0.8) else normalised.toarray()


# -- unstructured


def records(source, count):
    kinds = [('0', 'O'), ('1', 'f4'), ('B cell', 'f8'), ('3', 'i8')][: 1 + source.count(3)]
    built = np.zeros(count, dtype=kinds)
    for name, kind in kinds:
        genes = [source.one(*GENES) for _ in range(count)]
        built[name] = genes if kind == 'O' else source.numpy.integers(0, 9, count) / 4
    return built


def leaf(source):
    size = source.count(5)
    makers = (
        lambda: source.one(*WORDS),
        lambda: source.random.randrange(-1000, 1000),
        lambda: source.random.random(),
        lambda: source.maybe(),
        lambda: np.float32(source.random.random()),
        lambda: source.numbers(size),
        lambda: source.numbers(0, 'float64'),
        lambda: source.numbers((size, source.count(4))),
        lambda: source.numbers((2, 3, size)),
        lambda: source.numpy.integers(0, 2, size).astype(bool),
        lambda: np.array(source.words(size), dtype=object),
        lambda: np.array(source.words(2 * size), dtype=object).reshape(2, size),
        lambda: records(source, size),
        lambda: frame(source, [f'r{i}' for i in range(size)]),
        lambda: frame(source, map(str, range(size))),
        lambda: categorical(source, size),
        lambda: masked(source, size),
        lambda: sparse(source, (size, source.count(4)), source.one('float64', 'float32', 'int64')),
    )
    return source.one(*makers)()


def tree(source, depth=0):
    built = {}
    for key in source.some(KEYS)[: 6 if depth == 0 else 3]:
        deep = depth < 3 and source.maybe(0.25)
        built[key] = tree(source, depth + 1) if deep else leaf(source)
    return built


def scanpy_members(source, built):
    """Adds what scanpy's own calls leave in uns."""
    uns = built.uns
    if 'X_pca' in built.obsm and source.maybe(0.8):
        variance = np.sort(source.numpy.random(built.obsm['X_pca'].shape[1]))[::-1].copy()
        uns['pca'] = {'params': {'zero_center': True, 'use_highly_variable': False}, 'variance': variance}
        if source.maybe():
            uns['pca']['variance_ratio'] = variance / 10
    if 'connectivities' in built.obsp:
        uns['neighbors'] = {
            'connectivities_key': 'connectivities',
            'distances_key': 'distances',
            'params': {'n_neighbors': 15, 'method': 'umap', 'metric': 'euclidean', 'random_state': 0},
        }
    for name in built.obs:
        if built.obs[name].dtype.name == 'category' and source.maybe():
            colours = [f'#{source.random.randrange(1 << 24):06x}' for _ in built.obs[name].cat.categories]
            uns[name + '_colors'] = np.array(colours, dtype=object)
    if source.maybe(0.3):
        members = {name: records(source, 5) for name in ('names', 'scores', 'pvals_adj')}
        uns['rank_genes_groups'] = {'params': {'groupby': 'leiden', 'method': 't-test', 'reference': 'rest'}, **members}


# -- AnnData


def gene_names(source, count):
    return [GENES[i] if i < len(GENES) else f'GENE{i}{source.one("", "-AS1")}' for i in range(count)]


def cell_names(source, count):
    return [f'{"".join(source.random.choices("ACGT", k=6))}{i}-1' for i in range(count)]


def add_sides(source, built):
    cells, genes = built.shape
    for name in source.some(('X_pca', 'X_umap', 'X_tsne', 'X_pca_harmony', 'X_scVI')):
        width = 2 if name in ('X_umap', 'X_tsne') else 4
        built.obsm[name] = source.numpy.normal(size=(cells, width)).astype(source.one('float32', 'float64'))
    proteins = ('CD3', 'CD4', 'CD8 a')
    others = {
        'protein': lambda: frame(source, built.obs_names, labels=proteins).rename_axis(built.obs_names.name),
        'hits': lambda: sparse(source, (cells, 5), maker=sp.csr_matrix),
        'cube': lambda: source.numbers((cells, 2, 3)),
        'aucell': lambda: source.numbers((cells, 1), 'float64'),
    }
    for name in source.some(others):
        built.obsm[name] = others[name]()
    if 'X_pca' in built.obsm and source.maybe(0.7):
        loadings = source.numpy.normal(size=(genes, 4))
        loadings[source.numpy.random(genes) < 0.3] = 0
        built.varm['PCs'] = loadings
    sides = {
        'fac': lambda: source.numbers((genes, 3), 'float32'),
        'markers': lambda: frame(source, built.var_names, labels=('logfc', 'best')).rename_axis(built.var_names.name),
        'de': lambda: sparse(source, (genes, 4), maker=sp.csr_matrix),
    }
    for name in source.some(sides):
        built.varm[name] = sides[name]()
    if source.maybe():
        built.obsp['connectivities'] = sparse(source, (cells, cells), maker=sp.csr_matrix)
        built.obsp['distances'] = sparse(source, (cells, cells), 'float64', maker=sp.csr_matrix)
    if source.maybe(0.3):
        built.obsp['dense'] = source.numbers((cells, cells), 'float64')
    if source.maybe(0.3):
        built.obsp['wnn'] = sparse(source, (cells, cells))
    if source.maybe(0.3):
        built.varp['coexp'] = sparse(source, (genes, genes), maker=sp.csr_matrix)
    if source.maybe(0.3):
        built.varp['cor'] = source.numbers((genes, genes), 'float32')


def add_raw(source, built, meaning):
    cells, genes = built.shape
    count = genes + (source.count(8) if source.maybe() else 0)
    names = list(built.var_names) + [f'RAW{i}' for i in range(count - genes)]
    values = matrix(source, (cells, count), 'log' if meaning == 'scaled' else source.one('counts', 'log'))
    raw = anndata.AnnData(
        values,
        dtype=values.dtype,
        obs=pd.DataFrame(index=built.obs_names),
        var=frame(source, names, labels=('gene_ids', 'raw_only', 'n_cells')),
    )
    if source.maybe(0.3):
        raw.varm['rawPCs'] = source.numpy.normal(size=(count, 2))
    built.raw = raw


def random_anndata(source, cells=None, prefix='', max_layers=3):
    cells = cells or cell_names(source, 6 + source.count(14))
    genes = [prefix + name for name in gene_names(source, 5 + source.count(15))]
    meaning = source.one('counts', 'log', 'log', 'scaled')
    values = matrix(source, (len(cells), len(genes)), meaning)
    built = anndata.AnnData(
        values,
        dtype=values.dtype,
        obs=frame(source, cells, 6),
        var=frame(source, genes, 4, ('gene_ids', 'highly_variable', 'means', 'feature_types', 'chr', 'n cells')),
    )
    if 'highly_variable' in built.var or source.maybe(0.3):
        built.var['highly_variable'] = source.numpy.random(len(genes)) < 0.5
        if source.maybe(0.4):
            rank = np.full(len(genes), np.nan)
            chosen = np.flatnonzero(built.var['highly_variable'])
            rank[chosen] = source.numpy.permutation(len(chosen))
            built.var['highly_variable_rank'] = rank
    for name in source.some(('counts', 'logcounts', 'spliced', 'unspliced', 'scaled', 'denoised'))[:max_layers]:
        kind = {'logcounts': 'log', 'scaled': 'scaled', 'denoised': 'log'}.get(name, 'counts')
        built.layers[name] = matrix(source, built.shape, kind)
    if source.maybe(0.5 if meaning != 'scaled' else 0.8):
        add_raw(source, built, meaning)
    add_sides(source, built)
    built.uns.update(tree(source))
    scanpy_members(source, built)
    return built


def add_newer(source, root):
    """Adds elements of encodings that anndata 0.8 does not write. Returns how many."""

    def encode(group, kind):
        group.attrs['encoding-type'] = kind
        group.attrs['encoding-version'] = '0.1.0'
        return group

    uns = root['uns']
    makers = []
    if isinstance(root, h5py.File):
        makers.append(lambda: encode(uns.create_dataset('nothing', data=h5py.Empty('f4')), 'null'))

    def texts():
        group = encode(uns.create_group('texts_or_none'), 'nullable-string-array')
        write_elem(group, 'values', np.array(['a', '', 'ü'], dtype=object))
        write_elem(group, 'mask', np.array([False, True, False]))

    def ragged():
        group = encode(uns.create_group('ragged'), 'awkward-array')
        inner = {
            'class': 'NumpyArray',
            'primitive': 'float64',
            'inner_shape': [],
            'parameters': {},
            'form_key': 'node1',
        }
        form = {'class': 'ListOffsetArray', 'offsets': 'i64', 'content': inner, 'parameters': {}, 'form_key': 'node0'}
        group.attrs['form'] = json.dumps(form)
        group.attrs['length'] = 3
        write_elem(group, 'node0-offsets', np.array([0, 2, 2, 5]))
        write_elem(group, 'node1-data', source.numpy.normal(size=5))

    chosen = source.some([*makers, texts, ragged], 1)
    for make in chosen:
        make()
    return len(chosen)


def write_anndata(seed, path):
    """Writes a random AnnData. Returns whether anndata 0.8 can read it."""
    source = Source(seed)
    built = random_anndata(source)
    if path.endswith('.zarr'):
        built.write_zarr(path)
    else:
        built.write_h5ad(path, compression=source.one(None, 'gzip', 'lzf'))
    if source.maybe(0.7):
        return True
    if path.endswith('.zarr'):
        add_newer(source, zarr.open(path))
        zarr.consolidate_metadata(path)
    else:
        with h5py.File(path, 'r+') as root:
            add_newer(source, root)
    return False


# -- MuData


def write_mudata(seed, path):
    source = Source(seed)
    cells = cell_names(source, 6 + source.count(10))
    order = source.some(('rna', 'prot', 'atac'), 2)
    with h5py.File(path, 'w', userblock_size=512) as root:
        parts = {name: random_anndata(source, cells, f'{name}-', 1) for name in order}
        root.attrs['encoding-type'] = 'MuData'
        root.attrs['encoding-version'] = '0.1.0'
        root.attrs['axis'] = 0
        root.create_group('mod').attrs['mod-order'] = order
        for name, built in parts.items():
            write_elem(root['mod'], name, built)
        write_elem(root, 'obs', frame(source, cells))
        genes = [gene for built in parts.values() for gene in built.var_names]
        write_elem(root, 'var', pd.DataFrame(index=genes))
        write_elem(root, 'obsm', {'X_wnn': source.numpy.normal(size=(len(cells), 2))} if source.maybe() else {})
        write_elem(root, 'uns', tree(source))
        for side, kind in (('obs', cells), ('var', genes)):
            maps, masks, first = {}, {}, 0
            for name, built in parts.items():
                own = len(cells) if side == 'obs' else built.shape[1]
                numbers = np.zeros(len(kind), 'u4')
                numbers[first : first + own] = np.arange(own) + 1
                maps[name], masks[name] = numbers, numbers > 0
                first += 0 if side == 'obs' else own
            write_elem(root, side + 'map', maps)
            for name, mask in masks.items():
                if side + 'm' not in root:
                    write_elem(root, side + 'm', {})
                write_elem(root[side + 'm'], name, mask)
    with open(path, 'r+b') as file:
        file.write(b'MuData (format-version=0.1.0;creator=test;creator-version=0)')


# -- loom


def write_loom(seed, path):
    source = Source(seed)
    cells, genes = 6 + source.count(12), 5 + source.count(12)
    text = h5py.string_dtype()
    with h5py.File(path, 'w') as root:
        values = matrix(source, (cells, genes), source.one('counts', 'log'))
        root['matrix'] = (values if isinstance(values, np.ndarray) else values.toarray()).T
        layers = root.create_group('layers')
        for name in source.some(('spliced', 'unspliced', 'ambiguous')):
            layers[name] = sparse(source, (genes, cells), 'uint16').toarray()
        about = root.create_group('attrs')
        about.create_dataset('LOOM_SPEC_VERSION', data='3.0.0', dtype=text)
        for name in source.some(('title', 'Species', 'version', 'scale', 'tags')):
            values = {'version': 3, 'scale': 0.25, 'tags': ['a', 'ü']}.get(name, source.one('x', 'a b', 'α'))
            about.create_dataset(name, data=values, dtype=None if name in ('version', 'scale') else text)
        names = {'row': ('Gene', gene_names(source, genes)), 'col': ('CellID', cell_names(source, cells))}
        for side, (index, values) in names.items():
            group = root.create_group(side + '_attrs')
            group.create_dataset(index, data=values, dtype=text)
            for name in source.some(('Accession', 'Clusters', 'Score', 'Valid', 'n counts')):
                if name in ('Accession', 'Clusters'):
                    group.create_dataset(name, data=source.words(len(values)), dtype=text)
                else:
                    group[name] = source.numbers(len(values), source.one('int64', 'float64', 'uint8', 'float32'))
            for name in source.some(('PCA', 'Embedding')):
                group[name] = source.numpy.normal(size=(len(values), source.one(2, 3)))
            graphs = root.create_group(side + '_graphs')
            for name in source.some(('KNN', 'mknn')):
                graph = sp.coo_matrix(sparse(source, (len(values), len(values)), 'float64'))
                for key, part in zip('abw', (graph.row, graph.col, graph.data)):
                    graphs[f'{name}/{key}'] = part


WRITERS = {'anndata': write_anndata, 'mudata': write_mudata, 'loom': write_loom}
