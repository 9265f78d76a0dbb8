"""Writes random stores of takane, h5Seurat, 10x and BPCells after the specifications of these formats, and lists their
parts as annotated_parts.py does. The same seed writes the same store."""
import json
import os

import h5py
import numpy as np

from annotated_parts import Part, array_text, element, quoted
from annotated_stores import Source, cell_names, gene_names, sparse

TEXT = h5py.string_dtype()


def texts(values):
    return '\n'.join(map(element, values))


def factor(levels, codes):
    return '\n'.join(['factor', *(f'level {quoted(level)}' for level in levels), *(quoted(levels[c]) for c in codes)])


def put_text(group, name, value):
    group.attrs.create(name, value, dtype=TEXT)


class Parts(dict):
    """The parts of a store that is being written."""

    def put(self, path, text):
        self[path] = Part(text, '')

    def save(self, store):
        with open(store + '.json', 'w', encoding='utf-8') as file:
            json.dump({path: part.text for path, part in self.items()}, file)


def random_columns(source, count):
    """Yields (name, kind, values) of columns: whole numbers, reals, texts, truth values, and (levels, codes)."""
    for name in source.some(('batch', 'n_genes', 'score', 'is doublet', 'note')):
        if name == 'batch':
            levels = ['b', 'a', 'never']
            yield name, 'factor', (levels, [source.one(0, 1) for _ in range(count)])
        elif name == 'n_genes':
            yield name, 'integer', source.numpy.integers(0, 100, count).astype('int32')
        elif name == 'score':
            yield name, 'number', source.numpy.normal(size=count)
        elif name == 'is doublet':
            yield name, 'boolean', source.numpy.integers(0, 2, count).astype(bool)
        else:
            yield name, 'string', [source.one('x', 'a b', 'ü') for _ in range(count)]


def text_of_column(kind, values):
    if kind == 'factor':
        return factor(*values)
    return texts(values) if kind == 'string' else array_text(values)


# -- takane


def write_object(folder, *types, **more):
    os.makedirs(folder)
    about = {name: {'version': '1.0', **(more if name == 'summarized_experiment' else {})} for name in types}
    with open(os.path.join(folder, 'OBJECT'), 'w', encoding='ascii') as file:
        json.dump({'type': types[-1], **about}, file)


def write_takane_frame(folder, names, columns):
    write_object(folder, 'data_frame')
    with h5py.File(os.path.join(folder, 'basic_columns.h5'), 'w') as file:
        frame = file.create_group('data_frame')
        frame.attrs['row-count'] = np.uint64(len(names))
        frame.create_dataset('column_names', data=[name for name, _, _ in columns], dtype=TEXT)
        frame.create_dataset('row_names', data=names, dtype=TEXT)
        data = frame.create_group('data')
        for number, (_, kind, values) in enumerate(columns):
            if kind == 'factor':
                column = data.create_group(str(number))
                column.create_dataset('codes', data=np.array(values[1], 'u4'))
                column.create_dataset('levels', data=values[0], dtype=TEXT)
            elif kind == 'string':
                column = data.create_dataset(str(number), data=values, dtype=TEXT)
            else:
                column = data.create_dataset(str(number), data=np.array(values, 'i1' if kind == 'boolean' else None))
            put_text(column, 'type', kind)


def write_takane_matrix(folder, values):
    """values: genes by cells, by column."""
    write_object(folder, 'compressed_sparse_matrix')
    with h5py.File(os.path.join(folder, 'matrix.h5'), 'w') as file:
        group = file.create_group('compressed_sparse_matrix')
        put_text(group, 'layout', 'CSC')
        put_text(group, 'type', 'integer' if values.dtype.kind == 'i' else 'number')
        group['data'], group['indices'] = values.data, values.indices.astype('u4')
        group['indptr'], group['shape'] = values.indptr.astype('u8'), np.array(values.shape, 'u4')


def write_takane_array(folder, values):
    write_object(folder, 'dense_array')
    with h5py.File(os.path.join(folder, 'array.h5'), 'w') as file:
        group = file.create_group('dense_array')
        put_text(group, 'type', 'number')
        group['data'] = values


def write_list(folder, names):
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, 'names.json'), 'w', encoding='utf-8') as file:
        json.dump(names, file)


def write_takane_experiment(source, folder, cells, parts, place=''):
    """Returns nothing; adds the parts of an experiment with these cells."""
    genes = [f'{name}{"-" + place[:3] if place else ""}' for name in gene_names(source, 4 + source.count(9))]
    types = ('summarized_experiment', 'ranged_summarized_experiment', 'single_cell_experiment')
    write_object(folder, *types, dimensions=[len(genes), len(cells)])
    for side, names in (('column_data', cells), ('row_data', genes)):
        columns = list(random_columns(source, len(names)))
        write_takane_frame(os.path.join(folder, side), names, columns)
        parts.put(f'{place}{side}/#names', texts(names))
        for name, kind, values in columns:
            parts.put(f'{place}{side}/{name}', text_of_column(kind, values))
    assays = ['counts', *source.some(('logcounts', 'corrected'))]
    for number, name in enumerate(assays):
        kind = 'int32' if name == 'counts' else 'float64'
        values = sparse(source, (len(genes), len(cells)), kind).tocsc()
        if name != 'counts':
            values.data = values.data / 4
        write_takane_matrix(os.path.join(folder, 'assays', str(number)), values)
        parts.put(f'{place}assays/{name}', array_text(values.toarray().T))
    write_list(os.path.join(folder, 'assays'), assays)


def write_takane(seed, path):
    source, parts = Source(seed), Parts()
    cells = cell_names(source, 6 + source.count(12))
    write_takane_experiment(source, path, cells, parts)
    reduced = source.some(('PCA', 'UMAP', 'mine'))
    for number, name in enumerate(reduced):
        values = source.numpy.normal(size=(len(cells), source.one(2, 3)))
        write_takane_array(os.path.join(path, 'reduced_dimensions', str(number)), values)
        parts.put(f'reduced_dimensions/{name}', array_text(values))
    if reduced:
        write_list(os.path.join(path, 'reduced_dimensions'), reduced)
    if source.maybe():
        place = 'alternative_experiments/ADT/'
        write_takane_experiment(source, os.path.join(path, 'alternative_experiments', '0'), cells, parts, place)
        write_list(os.path.join(path, 'alternative_experiments'), ['ADT'])
    parts.save(path)


# -- 10x


def write_tenx(seed, path):
    """Features may be of two types, which are mixed."""
    source, parts = Source(seed), Parts()
    genes, cells = gene_names(source, 5 + source.count(12)), cell_names(source, 6 + source.count(12))
    other = source.one('Gene Expression', 'Antibody Capture', 'Custom')
    columns = {
        'id': [f'ENSG{number:05}' for number in range(len(genes))],
        'name': genes,
        'feature_type': ['Gene Expression' if number % 3 else other for number in range(len(genes))],
        'genome': ['GRCh38'] * len(genes),
    }
    values = sparse(source, (len(genes), len(cells)), 'int32').tocsc()
    with h5py.File(path, 'w') as file:
        group = file.create_group('matrix')
        group.create_dataset('barcodes', data=np.array(cells, 'S'))
        for name in ('data', 'indices', 'indptr'):
            group[name] = getattr(values, name)
        group['shape'] = np.array(values.shape, 'int32')
        features = group.create_group('features')
        for name, texts_of_column in columns.items():
            features.create_dataset(name, data=np.array(texts_of_column, 'S'))
        features.create_dataset('_all_tag_keys', data=np.array(['genome'], 'S'))
    types = dict.fromkeys(columns['feature_type'])
    parts.put('barcodes', texts(cells))
    add_features('matrix', values, columns, range(len(genes)), parts)
    for kind in types if len(types) > 1 else ():
        rows = [row for row, own in enumerate(columns['feature_type']) if own == kind]
        add_features(f'types/{kind}', values, columns, rows, parts)
    parts.save(path)


def add_features(place, values, columns, rows, parts):
    """Adds a matrix of some of the features, and their columns."""
    parts.put(f'{place}/values', array_text(values.toarray()[list(rows)].T))
    for name, column in columns.items():
        parts.put(f'{place}/{name}', texts([column[row] for row in rows]))


# -- BPCells


def write_bpcells(seed, path):
    source, parts = Source(seed), Parts()
    genes, cells = gene_names(source, 5 + source.count(12)), cell_names(source, 6 + source.count(12))
    by_row = source.maybe()
    values = sparse(source, (len(genes), len(cells)), 'uint32')
    values = values.tocsr() if by_row else values.tocsc()
    os.makedirs(path)

    def write(name, content):
        with open(os.path.join(path, name), 'wb') as file:
            file.write(content)

    write('version', b'unpacked-uint-matrix-v2\n')
    write('storage_order', b'row\n' if by_row else b'col\n')
    for name, lines in (('row_names', genes), ('col_names', cells)):
        write(name, ''.join(line + '\n' for line in lines).encode())
    write('val', b'UINT32v1' + values.data.astype('<u4').tobytes())
    write('index', b'UINT32v1' + values.indices.astype('<u4').tobytes())
    write('idxptr', b'UINT64v1' + values.indptr.astype('<u8').tobytes())
    write('shape', b'UINT32v1' + np.array(values.shape, '<u4').tobytes())
    parts.put('matrix', array_text(values.toarray().T))
    parts.put('row_names', texts(genes))
    parts.put('col_names', texts(cells))
    parts.save(path)


# -- h5Seurat


def write_h5seurat_matrix(group, name, values):
    stored = group.create_group(name)
    stored['data'], stored['indices'], stored['indptr'] = values.data.astype('f8'), values.indices, values.indptr
    stored.attrs['dims'] = np.array(values.shape, 'int32')


def write_h5seurat_frame(group, columns):
    for name, kind, values in columns:
        if kind == 'factor':
            column = group.create_group(name)
            column.create_dataset('levels', data=values[0], dtype=TEXT)
            column['values'] = np.array(values[1], 'int32') + 1
        elif kind == 'string':
            group.create_dataset(name, data=values, dtype=TEXT)
        else:
            group[name] = np.array(values, 'int32' if kind == 'boolean' else None)
            if kind == 'boolean':
                group[name].attrs['s3class'] = 'logical'
    group.attrs.create('colnames', [name for name, _, _ in columns], dtype=TEXT)


def write_h5seurat_assay(source, file, name, cells, parts):
    genes = [f'{gene}-{name}' for gene in gene_names(source, 4 + source.count(9))]
    genes = [gene.replace('_', '-') for gene in genes]
    assay = file.create_group('assays/' + name)
    put_text(assay, 'key', name.lower() + '_')
    assay.create_dataset('features', data=genes, dtype=TEXT)
    parts.put(f'assays/{name}/#genes', texts(genes))
    counts = sparse(source, (len(genes), len(cells)), 'float64').tocsc()
    normalised = counts.copy()
    normalised.data = normalised.data / 4
    for slot, values in (('counts', counts), ('data', normalised)):
        write_h5seurat_matrix(assay, slot, values)
        parts.put(f'assays/{name}/{slot}', array_text(values.toarray().T))
    columns = list(random_columns(source, len(genes)))
    if columns:
        write_h5seurat_frame(assay.create_group('meta.features'), columns)
    for column, kind, values in columns:
        parts.put(f'assays/{name}/meta.features/{column}', text_of_column(kind, values))
    variable = source.some(genes, 1)
    assay.create_dataset('variable.features', data=variable, dtype=TEXT)
    parts.put(f'assays/{name}/#variable', texts(variable))
    return genes


def write_h5seurat(seed, path):
    source, parts = Source(seed), Parts()
    cells = cell_names(source, 6 + source.count(12))
    with h5py.File(path, 'w') as file:
        for name, value in (('project', 'test'), ('active.assay', 'RNA'), ('version', '3.1.5.9900')):
            put_text(file, name, value)
        file.create_dataset('cell.names', data=cells, dtype=TEXT)
        parts.put('#cells', texts(cells))
        genes = write_h5seurat_assay(source, file, 'RNA', cells, parts)
        if source.maybe():
            write_h5seurat_assay(source, file, 'ADT', cells, parts)
        columns = list(random_columns(source, len(cells)))
        columns.append(('orig.ident', 'factor', (['test'], [0] * len(cells))))
        write_h5seurat_frame(file.create_group('meta.data'), columns)
        for column, kind, values in columns:
            parts.put(f'meta.data/{column}', text_of_column(kind, values))
        codes = [source.one(0, 1) for _ in cells]
        ident = file.create_group('active.ident')
        ident.create_dataset('levels', data=['one', 'two'], dtype=TEXT)
        ident['values'] = np.array(codes, 'int32') + 1
        parts.put('active.ident', factor(['one', 'two'], codes))
        write_h5seurat_rest(source, file, cells, genes, parts)
    parts.save(path)


def write_h5seurat_rest(source, file, cells, genes, parts):
    for name in ('reductions', 'graphs', 'misc', 'tools', 'commands', 'images', 'neighbors'):
        file.create_group(name)
    for name in source.some(('pca', 'umap')):
        reduction = file.create_group('reductions/' + name)
        put_text(reduction, 'active.assay', 'RNA')
        put_text(reduction, 'key', {'pca': 'PC_', 'umap': 'UMAP_'}[name])
        values = source.numpy.normal(size=(len(cells), 2))
        reduction['cell.embeddings'] = values.T  # R's order
        parts.put(f'reductions/{name}/cell.embeddings', array_text(values))
        if name == 'pca':
            reduction['stdev'] = np.array([2.0, 1.0])
            parts.put('reductions/pca/stdev', '2\n1')
    if source.maybe():
        graph = sparse(source, (len(cells), len(cells)), 'float64').tocsc()
        write_h5seurat_matrix(file['graphs'], 'RNA_snn', graph)
        put_text(file['graphs/RNA_snn'], 'assay.used', 'RNA')
        parts.put('graphs/RNA_snn', array_text(graph.toarray()))
    for name in source.some(('title', 'levels', 'table')):
        values = {'title': ['a title'], 'levels': [0.25, 4], 'table': source.numpy.normal(size=(2, 3))}[name]
        kind = TEXT if name == 'title' else None
        file['misc'].create_dataset(name, data=values, dtype=kind)
        parts.put('misc/' + name, array_text(np.array(values).T if name == 'table' else values))


WRITERS = {'takane': write_takane, 'tenx': write_tenx, 'bpcells': write_bpcells, 'h5seurat': write_h5seurat}
ENDINGS = {'takane': '.takane', 'tenx': '.h5', 'bpcells': '.bpcells', 'h5seurat': '.h5seurat'}
