"""Compares the parts of a store (annotated_parts.py, annotated_parts.R) with those of a file that was made of it."""
import json
import os
import re
import subprocess

from annotated_parts import Part, parts_of

HERE = os.path.dirname(os.path.abspath(__file__))


def run_r(script, lines):
    """Runs an R script of this directory for lines of fields."""
    text = ''.join('\t'.join(map(str, fields)) + '\n' for fields in lines)
    done = subprocess.run(
        ['Rscript', os.path.join(HERE, script)], input=text, capture_output=True, text=True, timeout=3600
    )
    if done.returncode != 0:
        raise RuntimeError(f'{script}: {done.stderr}')


def parts_of_file(path):
    """Returns the parts of a store; those of an R object, and of a store with another writer, are in PATH.json."""
    if not os.path.exists(path + '.json'):
        return parts_of(path)
    with open(path + '.json', encoding='utf-8') as file:
        return {name: Part(text, '') for name, text in json.load(file).items()}


def as_missing(text):
    """Returns the text of a part with NaN for NA, since AnnData has no other missing real number."""
    return re.sub(r'(?m)(^|(?<= ))NA$', 'NaN', text)


def as_labels(text):
    """Returns the text of a part without levels: texts with missing ones are categories in AnnData."""
    lines = text.split('\n')
    if lines[0] not in ('factor', 'ordered'):
        return text
    return '\n'.join(line for line in lines[1:] if not line.startswith('level '))


def is_of_other_kind(text, found):
    for time, other in ((text, found), (found, text)):
        if time.startswith('time '):
            fields = [line.split(' ', 2) for line in time.split('\n')]
            return any(other.split('\n') == [field[kind] for field in fields] for kind in (1, 2))
    return as_missing(text) == as_missing(found) or as_labels(text) == as_labels(found)


def is_named(stored, lines):
    """True if a line names a part of the store's own tree, or a group that it is in."""
    without_data = re.compile(r'[( ]/' + re.escape(stored.replace('other_data/', 'metadata/')) + '[,)]')
    for line in lines:
        if 'without data, left out' in line and without_data.search(line):
            return True
        for match in re.finditer(r'(?:^|: )/(.*?):(?= )', line):
            if stored == match[1] or stored.startswith(match[1] + '/'):
                return True
    return False


def numbers(part):
    return [float(line) for line in part.text.split()]


def is_derived(path, part, found):
    """True for variances of an AnnData that are those of the standard deviations in the Seurat object."""
    match = re.fullmatch(r'uns/([^/]+)/(variance|variance_ratio)', path)
    deviations = found.get(f'reductions/{match[1]}/stdev') if match else None
    total = found.get(f'reductions/{match[1]}/misc/total.variance') if match else None
    if not deviations or match[2] == 'variance_ratio' and not total:
        return False
    scale = numbers(total)[0] if match[2] == 'variance_ratio' else 1
    built, expected = [x * x / scale for x in numbers(deviations)], numbers(part)
    return len(built) == len(expected) and all(abs(x - y) <= 1e-12 * abs(y) for x, y in zip(built, expected))


def outcome(path, part, fate, parts, found, lines):
    """Returns what became of a part: 'kept', 'other kind', 'named', 'no place' or 'silent'."""
    if not fate.places:
        return 'no place'
    for place in fate.places:
        if place in found and found[place].text == part.text:
            return 'kept'
        rows, kept_rows = parts.get(path + '/#loadings'), found.get(place + '/#loadings')
        if rows and kept_rows and rows.text == kept_rows.text:
            return 'kept'
    if is_derived(path, part, found):
        return 'kept'
    if any(place in found and is_of_other_kind(part.text, found[place].text) for place in fate.places):
        return 'other kind'
    if is_named(fate.stored, lines):
        return 'named'
    return 'no place' if part.text == 'empty' else 'silent'  # a dict without members is no data
