"""The places of the parts of a store after its conversion: docs/convert.md, "What is kept", as functions from the path
of a part (annotated_parts.py, annotated_parts.R) to the paths at which it may be.

Each function returns (places, place in the store's own tree). Without places the part has none in that format by its
nature, like the order of columns in R. main: the active assay of a Seurat object, the first modality of a MuData.
"""
import collections

Fate = collections.namedtuple('Fate', 'places stored')
SLOTS = ('counts', 'data', 'scale.data')
BY_NATURE = ('#order', '#index-name', '#loadings', '#scaled-genes', '#unnamed')


def has_no_place(path):
    return path.endswith(BY_NATURE) or '/#scaled/' in path


def parameters(path):
    head, _, rest = path.partition('/')
    return head, rest


# -- AnnData


def anndata_to_anndata(path, main=None):
    return Fate([] if path.endswith('/#loadings') else [path], path)


def raw_to_seurat(rest, assay):
    head, member = parameters(rest)
    assays = ('assays/raw/', f'assays/{assay}/')
    if head == 'X':
        return [assay + slot for assay in assays for slot in SLOTS]
    if head == 'varm':
        return [f'misc/raw/varm/{member}', f'assays/raw/misc/varm/{member}']
    return [assay + ('#genes' if member == '#names' else f'meta.features/{member}') for assay in assays]


def anndata_to_seurat(path, main=None):
    head, rest = parameters(path)
    assay = main or 'RNA'
    own = f'assays/{assay}/'
    name = rest[2:] if rest.startswith('X_') else rest
    reductions = {'PCs': 'pca'}
    if has_no_place(path):
        return Fate([], path)
    if head == 'X':
        places = [own + slot for slot in SLOTS]
    elif head == 'layers':
        places = [f'assays/{rest}/{slot}' for slot in SLOTS] + [own + slot for slot in SLOTS]
    elif head == 'raw':
        places = raw_to_seurat(rest, assay)
    elif head == 'obs':
        places = [f'meta.data/{rest}', 'active.ident'] if rest in ('ident', 'active.ident') else [f'meta.data/{rest}']
    elif path == 'var/#names':
        places = [own + '#genes', own + '#scaled-genes']
    elif path == 'var/#variable':
        places = [own + '#variable']
    elif head == 'var':
        places = [f'{own}meta.features/{rest}', f'{own}#scaled/{rest}']
    elif head == 'obsm':
        places = [f'reductions/{name}/cell.embeddings', f'misc/obsm/{rest}']
    elif head == 'varm':
        places = [f'reductions/{reductions.get(rest, rest)}/feature.loadings', f'misc/varm/{rest}']
        places.append(f'reductions/{rest.replace("_projected", "")}/feature.loadings.projected')
    elif head == 'obsp':
        places = [f'graphs/{rest}', f'misc/obsp/{rest}']
        if rest == 'connectivities':
            places.insert(0, f'graphs/{assay}_snn')
    elif head == 'varp':
        places = [f'misc/varp/{rest}']
    else:
        of_reduction, member = parameters(rest)
        places = [f'misc/{rest}', rest, f'misc/{rest}/#unnamed']
        places += [f'reductions/{of_reduction}/{at}' for at in (member, f'misc/{member}')]
    return Fate(places, path)


# -- Seurat


def assay_to_anndata(member):
    head, rest = parameters(member)
    if head == 'layers':
        return [f'layers/{rest}', 'X']
    if head in SLOTS:
        return ['X', f'layers/{head}', 'raw/X']
    if head == '#genes':
        return ['var/#names']
    if head == '#variable':
        return ['var/#variable']
    return [f'{"uns" if head == "misc" else "var"}/{rest}']


def further_assay_to_anndata(name, member):
    """Returns the places of an assay that is a layer of the active one, or its raw."""
    head, rest = parameters(member)
    if head in SLOTS:
        return ['raw/X'] if name == 'raw' else [f'layers/{name}']
    if head == '#genes':
        return ['raw/var/#names' if name == 'raw' else 'var/#names']
    return [f'raw/var/{rest}'] if name == 'raw' and head == 'meta.features' else []


def reduction_to_anndata(name, member):
    head, rest = parameters(member)
    loadings = 'PCs' if name == 'pca' else name
    return {
        'cell.embeddings': [f'obsm/X_{name}', 'obsm/spatial'] if name == 'spatial' else [f'obsm/X_{name}'],
        'feature.loadings': [f'varm/{loadings}'],
        'feature.loadings.projected': [f'varm/{name}_projected'],
        'stdev': [f'uns/{name}/stdev'],
        'misc': [f'uns/{name}/{rest}'],
        'jackstraw': [f'uns/{name}/jackstraw/{rest}'],
    }[head]


COORDINATES = {'tissue': 'in_tissue', 'row': 'array_row', 'col': 'array_col'}


def seurat_to_anndata(path, main):
    head, rest = parameters(path)
    name, member = parameters(rest)
    stored = path
    if has_no_place(path) or path == 'active.assay':
        return Fate([], path)
    if head == 'assays':
        places = assay_to_anndata(member) if name == main else further_assay_to_anndata(name, member)
        stored = {'#genes': f'assays/{name}', '#variable': f'assays/{name}/variable.features'}.get(member, path)
        return Fate(places or ['(another assay)'], stored)
    if head == 'meta.data':
        places = [f'obs/{rest}']
    elif head == 'active.ident':
        places = ['obs/ident', 'obs/active.ident', 'obs/orig.ident']
    elif head == 'reductions':
        places = reduction_to_anndata(name, member)
    elif head == 'graphs':
        places = [f'obsp/{rest}', 'obsp/connectivities']
    elif head == 'neighbors':
        places = [f'uns/neighbors_{rest}']
    elif head == 'images':
        if not member.startswith('coordinates/') or member.split('/')[1] not in COORDINATES:
            return Fate([], path)
        places = [f'obs/{COORDINATES[member.split("/")[1]]}']
    elif head == 'misc':
        places = [f'uns/{rest}', rest]  # obsm/NAME and similar are these parts
    else:
        places = [f'uns/{path}']
    return Fate(places, stored)


def seurat_to_seurat(path, main=None):
    if path.endswith('/#loadings') or '/#scaled' in path:
        return Fate([], path)
    head, rest = parameters(path)
    name, member = parameters(rest)
    places, stored = [path], path
    if head == 'assays' and member.startswith('layers/'):
        layer = member[len('layers/') :]
        places = [f'assays/{name}/{layer}', *(f'assays/{layer}/{slot}' for slot in SLOTS)]
    if head == 'assays':
        stored = {'#genes': f'assays/{name}', '#variable': f'assays/{name}/variable.features'}.get(member, path)
    return Fate(places, stored)


# -- experiments

TREE = {
    'colData': 'column_data',
    'rowData': 'row_data',
    'rowRanges': 'row_ranges',
    'metadata': 'other_data',
    'reducedDims': 'reduced_dimensions',
    'colPairs': 'column_pairs',
    'rowPairs': 'row_pairs',
    'altExps': 'alternative_experiments',
}


def experiment_place(path):
    head, rest = parameters(path)
    return f'{TREE.get(head, head)}/{rest}'.rstrip('/')


def embedding_name(name):
    known = name.lower()
    return known if known in ('pca', 'umap', 'tsne') else name


def experiment_to_anndata(path, main=None):
    head, rest = parameters(path)
    name, member = parameters(rest)
    stored = experiment_place(path)
    if has_no_place(path) or (head in ('colData', 'rowData') and '/#names' in rest):
        return Fate([], stored)
    if head == 'assays':
        places = ['X', f'layers/{rest}']
    elif head in ('colData', 'rowData'):
        side = 'obs' if head == 'colData' else 'var'
        places = [f'{side}/{rest}', f'{side}/{rest.replace("/", ".")}', f'{side}m/{rest}']
    elif head == 'rowRanges':
        places = [f'var/{rest}']
    elif head == 'metadata':
        places = [f'uns/{rest}']
    elif head == 'reducedDims' and member:
        known = embedding_name(name)
        attribute = member.lstrip('@')
        places = [f'uns/{n}/{attribute}' for n in (known, name)]
        if attribute == 'rotation':
            places = ['varm/PCs', f'varm/{known}']
    elif head == 'reducedDims':
        places = [f'obsm/X_{embedding_name(name)}']
    elif head in ('colPairs', 'rowPairs'):
        places = [f'{"obsp" if head == "colPairs" else "varp"}/{rest}']
    elif head == 'mainExpName':
        return Fate([], stored)
    else:
        return Fate(['(another experiment)'], f'alternative_experiments/{name}')
    return Fate(places, stored)


def experiment_to_seurat(path, main=None):
    head, rest = parameters(path)
    name, member = parameters(rest)
    stored = experiment_place(path)
    own = ('assays/RNA/', 'assays/gene/')
    if has_no_place(path) or path == 'rowData/#names' or (head == 'colData' and '/#names' in rest):
        return Fate([], stored)
    if head == 'assays':
        places = [at + slot for at in (*own, f'assays/{rest}/') for slot in SLOTS]
    elif head == 'colData':
        places = [f'meta.data/{rest.replace("/", ".")}', f'misc/obsm/{rest}', f'reductions/{rest}/cell.embeddings']
    elif head in ('rowData', 'rowRanges'):
        places = [f'{at}meta.features/{rest}' for at in own] + [f'misc/varm/{rest}']
    elif head == 'metadata':
        places = [f'misc/{rest}']
    elif head == 'reducedDims':
        names = (name, embedding_name(name))
        attribute = member.lstrip('@')
        places = [f'reductions/{n}/cell.embeddings' for n in names]
        if attribute == 'rotation':
            places = [f'reductions/{n}/feature.loadings' for n in names]
        elif attribute:
            places = [f'reductions/{n}/misc/{attribute}' for n in names] + [f'misc/{n}/{attribute}' for n in names]
    elif head == 'colPairs':
        places = [f'graphs/{rest}']
    elif head == 'rowPairs':
        places = [f'misc/varp/{rest}']
    elif head == 'mainExpName':
        return Fate([], stored)
    else:
        kind, part = parameters(member)
        if kind == 'colData' or part.startswith('#'):
            return Fate([], stored)
        slots = {'assays': SLOTS, 'rowData': [f'meta.features/{part}'], 'metadata': [f'misc/{part}']}[kind]
        places = [f'assays/{name}/{slot}' for slot in slots]
        if kind == 'assays':  # a layer is an assay of its name, with that of the experiment before it if it is taken
            places += [f'assays/{layer}/{slot}' for layer in (part, f'{name}.{part}') for slot in slots]
        stored = f'alternative_experiments/{name}/{experiment_place(member)}'
    return Fate(places, stored)


# -- loom


def loom_to_anndata(path, main=None):
    head, rest = parameters(path)
    if head == 'matrix':
        return Fate(['X'], path)
    if head == 'layers':
        return Fate([path], path)
    if head == 'attrs':
        return Fate([f'uns/{rest}'], path)
    side = 'var' if head.startswith('row') else 'obs'
    if head.endswith('graphs'):
        return Fate([f'{side}p/{rest}'], path)
    if (side, rest) in (('var', 'Gene'), ('obs', 'CellID')):
        return Fate([f'{side}/#names', f'{side}/{rest}'], path)
    return Fate([f'{side}/{rest}', f'{side}m/{rest}', f'{side}m/X_{rest}', f'{side}m/X_{embedding_name(rest)}'], path)


def loom_to_seurat(path, main=None):
    places = [place for middle in loom_to_anndata(path).places for place in anndata_to_seurat(middle).places]
    if path.startswith('row_attrs/'):
        places.append('assays/RNA/#genes')
    return Fate(places, path)


# -- MuData


def is_bookkeeping(path):
    """True for what MuData derives from its modalities."""
    head, rest = parameters(path)
    is_mask = head in ('obsm', 'varm') and not rest.startswith('X_')
    return has_no_place(path) or is_mask or head in ('obsmap', 'varmap') or path == 'var/#names'


def mudata_to_anndata(path, main):
    head, rest = parameters(path)
    name, member = parameters(rest)
    if is_bookkeeping(path):
        return Fate([], path)
    if head == 'mod':
        return Fate([member] if name == main else ['(another modality)'], path)
    return Fate([path], path)


def mudata_to_seurat(path, main):
    head, rest = parameters(path)
    name, member = parameters(rest)
    if is_bookkeeping(path):
        return Fate([], path)
    if head != 'mod':
        places = anndata_to_seurat(path, main).places
        return Fate([*places, *(place.replace('/', f'/{main}.', 1) for place in places)], path)
    kind, part = parameters(member)
    plain = anndata_to_seurat(member, name).places
    places = [*plain, f'misc/{name}/{part}', f'misc/{name}/{member}']
    if kind == 'obs':
        places.append(f'meta.data/{name}:{part}')  # a copy among the columns of all modalities
    for place in plain:  # with the name of the modality before it, if another one has that name
        container, _, own = place.partition('/')
        places.append(f'{container}/{name}.{own}')
    return Fate(places, path)


# -- takane, 10x, BPCells, h5Seurat


def experiment_path(path):
    """Returns the path in an R object of a part of a takane experiment, and its place in takane's tree."""
    names = {place: name for name, place in TREE.items()}
    head, rest = parameters(path)
    if head != 'alternative_experiments':
        return f'{names.get(head, head)}/{rest}', path
    name, member = parameters(rest)
    kind, part = parameters(member)
    return f'altExps/{name}/{names.get(kind, kind)}/{part}', f'alternative_experiments/0/{member}'


def takane_to_anndata(path, main=None):
    inside, stored = experiment_path(path)
    return Fate(experiment_to_anndata(inside).places, stored)


def takane_to_seurat(path, main=None):
    inside, stored = experiment_path(path)
    if inside == 'rowData/#names':
        return Fate(['assays/RNA/#genes'], stored)
    return Fate(experiment_to_seurat(inside).places, stored)


COLUMNS_OF_TENX = {'id': 'gene_ids', 'feature_type': 'feature_types'}


def tenx_to_anndata(path, main=None):
    head, name = parameters(path)
    if head == 'types':  # they are parts of the whole matrix
        return Fate([], path)
    places = {'values': 'X', 'name': 'var/#names', '': 'obs/#names'}
    return Fate([places.get(name, f'var/{COLUMNS_OF_TENX.get(name, name)}')], path)


def tenx_to_seurat(path, types):
    """types: of the features, if there are several, which are assays."""
    head, rest = parameters(path)
    kind, _, name = rest.rpartition('/')
    if head == 'barcodes':
        return Fate(['meta.data/#names'], path)
    if head == 'matrix' and types:
        return Fate([], path)
    assay = {'Gene Expression': 'RNA', 'Antibody Capture': 'ADT', '': 'RNA'}.get(kind, kind)
    places = {'values': ('counts', 'data'), 'name': ('#genes',)}
    inside = places.get(name, (f'meta.features/{COLUMNS_OF_TENX.get(name, name)}',))
    return Fate([f'assays/{assay}/{place}' for place in inside], path)


def bpcells_to_anndata(path, main=None):
    return Fate([{'matrix': 'X', 'row_names': 'var/#names', 'col_names': 'obs/#names'}[path]], path)


def bpcells_to_seurat(path, main=None):
    return Fate(anndata_to_seurat(bpcells_to_anndata(path).places[0]).places, path)


def h5seurat_to_anndata(path, main):
    return Fate(['obs/#names'], 'cell.names') if path == '#cells' else seurat_to_anndata(path, main)


def h5seurat_to_seurat(path, main=None):
    return Fate(['meta.data/#names'], 'cell.names') if path == '#cells' else seurat_to_seurat(path)


FATES = {
    ('takane', 'anndata'): takane_to_anndata,
    ('takane', 'seurat'): takane_to_seurat,
    ('tenx', 'anndata'): tenx_to_anndata,
    ('tenx', 'seurat'): tenx_to_seurat,
    ('bpcells', 'anndata'): bpcells_to_anndata,
    ('bpcells', 'seurat'): bpcells_to_seurat,
    ('h5seurat', 'anndata'): h5seurat_to_anndata,
    ('h5seurat', 'seurat'): h5seurat_to_seurat,
    ('anndata', 'anndata'): anndata_to_anndata,
    ('anndata', 'seurat'): anndata_to_seurat,
    ('seurat', 'anndata'): seurat_to_anndata,
    ('seurat', 'seurat'): seurat_to_seurat,
    ('experiment', 'anndata'): experiment_to_anndata,
    ('experiment', 'seurat'): experiment_to_seurat,
    ('loom', 'anndata'): loom_to_anndata,
    ('loom', 'seurat'): loom_to_seurat,
    ('mudata', 'anndata'): mudata_to_anndata,
    ('mudata', 'seurat'): mudata_to_seurat,
}
