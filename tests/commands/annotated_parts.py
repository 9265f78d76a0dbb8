"""Lists the parts of a store of AnnData, MuData or loom with h5py and zarr, for comparisons of stores.
annotated_parts.R lists those of an R object in the same way.

A part has a path and a text, which is the same for equal values in any container:
  - a scalar or an array of one axis: an element per line;
  - two axes of numbers or truth values, dense or sparse: "matrix ROWS COLUMNS", then "i j value" for each element that
    is not zero, by row;
  - other arrays: "array D1 D2 ...", then the elements, the last index fastest;
  - a categorical: "factor" or "ordered", "level TEXT" for each level, then the labels;
  - a list of lists: JSON; nothing: "null"; a dict without members: "empty".
Numbers have 17 digits, texts are in quotes, a missing element is NA, a truth value TRUE or FALSE. A table is a part per
column, with PATH/#names, PATH/#order and PATH/#index-name. varm/NAME/#loadings has the rows that are not all zero, by
name, var/#variable the names of the highly variable genes in the order of their ranks. Matrices are cells by genes.
"""
import collections
import json

import h5py
import numpy as np

# type: what must not change from one container of AnnData to another; empty if there is nothing more than the text.
Part = collections.namedtuple('Part', 'text type')


def number(value):
    if isinstance(value, (complex, np.complexfloating)):
        return f'{value.real + 0.0:.17g}{value.imag + 0.0:+.17g}i'
    value = float(value) + 0.0
    if value != value:
        return 'NaN'
    if value in (float('inf'), float('-inf')):
        return 'Inf' if value > 0 else '-Inf'
    return f'{value:.17g}'


def quoted(text):
    if isinstance(text, bytes):
        text = text.decode('utf-8')
    for character, escaped in (('\\', '\\\\'), ('"', '\\"'), ('\n', '\\n'), ('\r', '\\r'), ('\t', '\\t')):
        text = text.replace(character, escaped)
    return f'"{text}"'


def element(value):
    if value is None:
        return 'NA'
    if isinstance(value, (bool, np.bool_)):
        return 'TRUE' if value else 'FALSE'
    return quoted(value) if isinstance(value, (str, bytes)) else number(value)


def label(value):
    if isinstance(value, float) and value == value:
        return f'"{value!r}"'  # as many digits as the value needs
    return quoted(value) if isinstance(value, (str, bytes)) else f'"{element(value)}"'


def triplets(rows, columns, values, shape):
    sums = collections.defaultdict(float)
    for i, j, value in zip(rows, columns, values):
        sums[int(i), int(j)] += float(value)
    lines = [f'{i} {j} {number(value)}' for (i, j), value in sorted(sums.items()) if value != 0]
    return '\n'.join([f'matrix {shape[0]} {shape[1]}', *lines])


def array_text(values):
    values = np.asarray(values)
    if values.ndim == 2 and values.dtype.kind in 'biuf':
        rows, columns = np.nonzero(np.isnan(values.astype(float)) | (values != 0))
        return triplets(rows, columns, values[rows, columns], values.shape)
    lines = [] if values.ndim < 2 else ['array ' + ' '.join(map(str, values.shape))]
    return '\n'.join(lines + [element(value) for value in values.reshape(-1).tolist()])


def frame_text(names):
    return '\n'.join(map(quoted, names))


def text_of(attribute):
    if isinstance(attribute, np.ndarray):
        attribute = attribute.reshape(-1)[0] if attribute.size else ''
    return attribute.decode() if isinstance(attribute, bytes) else attribute


def is_group(stored):
    return hasattr(stored, 'keys')


def decoded(values):
    if isinstance(values, bytes):
        return values.decode('utf-8')
    if isinstance(values, np.ndarray) and values.dtype.kind in 'OS':
        texts = [x.decode('utf-8') if isinstance(x, bytes) else x for x in values.reshape(-1).tolist()]
        built = np.empty(len(texts), object)
        built[:] = texts
        return built.reshape(values.shape)
    return values


def values_of(stored):
    """Returns the elements of an array or a nullable array, None for missing ones."""
    if not is_group(stored):
        return decoded(stored[()])
    values, mask = decoded(stored['values'][()]).tolist(), stored['mask'][()].tolist()
    return np.array([None if missing else value for value, missing in zip(values, mask)], dtype=object)


def json_text(value):
    if isinstance(value, dict):
        return '{' + ','.join(f'{quoted(name)}:{json_text(member)}' for name, member in value.items()) + '}'
    return '[' + ','.join(map(json_text, value)) + ']' if isinstance(value, list) else element(value)


def awkward(stored):
    def build(form, low, high):
        kind, key = form['class'], form.get('form_key')
        if kind == 'ListOffsetArray':
            offsets = stored[key + '-offsets'][()].tolist()
            return [build(form['content'], offsets[i], offsets[i + 1]) for i in range(low, high)]
        if kind == 'NumpyArray':
            return stored[key + '-data'][low:high].tolist()
        columns = [build(content, low, high) for content in form['contents']]
        return [dict(zip(form['fields'], row)) for row in zip(*columns)]

    return build(json.loads(stored.attrs['form']), 0, int(stored.attrs['length']))


class Parts(dict):
    """The parts below the members of a group."""

    def __init__(self, root):
        super().__init__()
        for name in sorted(root.keys()):
            self.add(root[name], name)
        for side in ('', *(f'mod/{name}/' for name in (root['mod'].keys() if 'mod' in root else ()))):
            self.add_loadings(root, side)
            self.add_variable(side)

    def put(self, path, text, kind=''):
        self[path] = Part(text, kind)

    def add(self, stored, path):
        kind = text_of(stored.attrs.get('encoding-type', '') or '')
        if kind == 'null':
            self.put(path, 'null')
        elif kind in ('csr_matrix', 'csc_matrix'):
            self.add_sparse(stored, path, kind)
        elif kind == 'dataframe':
            self.add_table(stored, path)
        elif kind == 'categorical':
            self.add_categorical(stored, path)
        elif kind.startswith('nullable-'):
            text = '\n'.join(map(element, values_of(stored).tolist()))
            self.put(path, text, f'{kind} {stored["values"].dtype.kind}')
        elif kind == 'awkward-array':
            self.put(path, json_text(awkward(stored)), kind)
        elif is_group(stored):
            members = [name for name in sorted(stored.keys()) if not name.startswith('.z')]
            for name in members:
                self.add(stored[name], f'{path}/{name}')
            if not members and '/uns/' in f'/{path}':
                self.put(path, 'empty')
        else:
            self.add_array(stored, path)

    def add_array(self, stored, path):
        if stored.shape is None:
            self.put(path, 'null')
            return
        values = decoded(stored[()])
        if isinstance(values, np.ndarray) and values.dtype.names:
            self.put(path + '/#order', frame_text(values.dtype.names))
            for name in values.dtype.names:
                self.put(f'{path}/{name}', array_text(decoded(values[name])), 'record')
            return
        is_text = isinstance(values, str) or np.asarray(values).dtype.kind in 'OSU'
        self.put(path, array_text(values), f'{"text" if is_text else stored.dtype} {len(stored.shape)}')

    def add_sparse(self, stored, path, kind):
        data, indices, indptr = (stored[name][()] for name in ('data', 'indices', 'indptr'))
        major = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))
        rows, columns = (major, indices) if kind == 'csr_matrix' else (indices, major)
        self.put(path, triplets(rows, columns, data, list(stored.attrs['shape'])), f'{kind} {stored["data"].dtype}')

    def add_table(self, stored, path):
        index = text_of(stored.attrs['_index'])
        order = [text_of(name) for name in list(stored.attrs.get('column-order', []))]
        self.put(path + '/#names', '\n'.join(map(element, values_of(stored[index]).tolist())))
        self.put(path + '/#order', frame_text(order))
        self.put(path + '/#index-name', quoted('' if index in ('_index', 'index') else index))
        for name in order:
            self.add(stored[name], f'{path}/{name}')

    def add_categorical(self, stored, path):
        levels = [label(level) for level in values_of(stored['categories']).tolist()]
        codes = stored['codes'][()].tolist()
        kind = 'ordered' if np.asarray(stored.attrs.get('ordered', False)).reshape(-1)[0] else 'factor'
        lines = [kind, *('level ' + level for level in levels), *('NA' if c < 0 else levels[c] for c in codes)]
        self.put(path, '\n'.join(lines), 'categorical')

    def add_loadings(self, root, side):
        if side + 'varm' not in root or f'{side}var/#names' not in self:
            return
        names = [line[1:-1] for line in self[side + 'var/#names'].text.split('\n')]
        for name in root[side + 'varm'].keys():
            stored = root[f'{side}varm/{name}']
            if is_group(stored) or len(stored.shape) != 2 or stored.dtype.kind not in 'fiu':
                continue
            rows = zip(names, stored[()].astype(float).tolist())
            kept = [(gene, row) for gene, row in rows if any(x != 0 and x == x for x in row)]
            lines = [f'"{gene}" ' + ' '.join(map(number, row)) for gene, row in sorted(kept)]
            self.put(f'{side}varm/{name}/#loadings', '\n'.join(lines))

    def add_variable(self, side):
        chosen = self.get(side + 'var/highly_variable')
        if not chosen:
            return
        names = self[side + 'var/#names'].text.split('\n')
        rank = self.get(side + 'var/highly_variable_rank')
        ranks = [float(x) for x in rank.text.split('\n')] if rank else range(len(names))
        kept = [(r, name) for r, name, flag in zip(ranks, names, chosen.text.split('\n')) if flag == 'TRUE']
        if kept:
            self.put(side + 'var/#variable', '\n'.join(name for _, name in sorted(kept, key=lambda pair: pair[0])))


def loom_parts(path):
    """Returns the parts of a loom file at the places that they have in an AnnData."""
    parts = {}
    with h5py.File(path, 'r') as root:
        parts['matrix'] = Part(array_text(root['matrix'][()].T), '')
        for name in root.get('layers', ()):
            parts['layers/' + name] = Part(array_text(root['layers'][name][()].T), '')
        for group in ('row_attrs', 'col_attrs'):
            for name, stored in root[group].items():
                parts[f'{group}/{name}'] = Part(array_text(decoded(stored[()])), '')
        for group in ('row_graphs', 'col_graphs'):
            count = root['matrix'].shape[0 if group == 'row_graphs' else 1]
            for name, stored in root.get(group, {}).items():
                text = triplets(stored['a'][()], stored['b'][()], stored['w'][()], (count, count))
                parts[f'{group}/{name}'] = Part(text, '')
        attributes = {name: values_of(stored) for name, stored in root.get('attrs', {}).items()}
        attributes.update(root.attrs)
        for name, value in attributes.items():
            parts['attrs/' + name] = Part(array_text(value), '')
    return parts


def parts_of(path):
    """Returns the parts of a store by their paths."""
    if path.endswith('.loom'):
        return loom_parts(path)
    if path.endswith('.zarr'):
        import zarr

        return Parts(zarr.open(path, 'r'))
    with h5py.File(path, 'r') as root:
        return Parts(root)
