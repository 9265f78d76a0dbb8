#!/usr/bin/env python3
"""The pages of folders with stores in folders below them, of generated trees."""
import functools
import html
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
import unittest.mock
import urllib.parse

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
from server import Server

SAMPLES = os.path.join(HERE, '..', 'data', 'samples')
ANNDATA = os.path.join(SAMPLES, 'pbmc.h5ad')
FRAGMENTS = os.path.join(SAMPLES, 'frags')
SEURAT = os.path.join(SAMPLES, 'pbmc.h5seurat')
SEARCHED = 'The folders are still searched'
UNSEEN = 'not looked at yet'


def beginning(path):
    with open(path, 'rb') as file:
        return file.read(3000)


class Tree(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix='plainfs-test-')
        self.addCleanup(temporary.cleanup)
        self.folder = os.path.realpath(temporary.name)

    def at(self, name):
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        return path

    def copy(self, store, *names):
        for name in names:
            (shutil.copytree if os.path.isdir(store) else shutil.copyfile)(store, self.at(name))

    def write(self, name, content=b'no store\n'):
        with open(self.at(name), 'wb') as file:
            file.write(content)

    def complete(self, server, path=''):
        """Asks for a page until it shows all stores, and returns it as JSON."""
        end = time.monotonic() + 300
        joiner = '&' if '?' in path else '?'
        while True:
            answer = server.ask(path + joiner + 'json')
            self.assertEqual(answer.status, 200, answer.body[:300])
            page = json.loads(answer.body)
            notes = ' '.join(page.get('notes', []))
            if SEARCHED not in notes and 'one after another' not in notes:
                return page
            self.assertLess(time.monotonic(), end, notes)
            time.sleep(0.05)

    def names(self, server, path=''):
        return [store['name'] for store in self.complete(server, path).get('stores', [])]

    def make_lab(self):
        self.copy(ANNDATA, 'alice/pbmc/a.h5ad', 'alice/pbmc/b.h5ad', 'bob/c.h5ad', 'top.h5ad')
        self.copy(FRAGMENTS, 'bob/frags')
        self.copy(SEURAT, 'carol/2024/x/d.h5seurat')
        self.write('notes/readme.txt')

    # VIEWS 11 "The page of a folder"
    # VIEWS 11 "Each folder with stores"
    def test_folders_are_rows_with_the_kinds_of_stores_below(self):
        self.make_lab()
        with Server(self.folder) as server:
            page = self.complete(server)
            self.assertEqual(page['what'], '6 stores in 4 folders')
            self.assertEqual(
                page['folders']['rows'],
                [
                    ['alice/', '2', '2 AnnData'],
                    ['bob/', '2', '1 AnnData, 1 BPCells fragments'],
                    ['carol/', '1', '1 Seurat 4.1 object in h5Seurat'],
                ],
            )
            names = [
                'alice/pbmc/a.h5ad',
                'alice/pbmc/b.h5ad',
                'bob/c.h5ad',
                'bob/frags',
                'carol/2024/x/d.h5seurat',
                'top.h5ad',
            ]
            self.assertEqual([store['name'] for store in page['stores']], names)
            self.assertRegex(page['stores'][0]['what'], r'^40 cells × 120 genes')
            below = self.complete(server, 'alice/')
            self.assertEqual(below['what'], '2 stores in 1 folder')
            self.assertEqual(below['folders']['rows'], [['pbmc/', '2', '2 AnnData']])
            self.assertEqual([store['name'] for store in below['stores']], ['pbmc/a.h5ad', 'pbmc/b.h5ad'])
            self.assertNotIn('folders', self.complete(server, 'alice/pbmc/'))
            self.assertIn('AnnData', server.ask('alice/pbmc/a.h5ad/', Accept='text/html').body.decode())

    def test_every_link_of_the_pages_leads_to_a_page(self):
        self.make_lab()
        self.write('odd %41 ü&"/cut.h5ad', beginning(ANNDATA))
        with Server(self.folder) as server:
            self.complete(server)
            for path in ('', 'alice/', urllib.parse.quote('odd %41 ü&"') + '/'):
                text = server.ask(path, Accept='text/html').body.decode()
                links = {html.unescape(link) for link in re.findall(r'(?:href|src)="([^"]*)"', text)}
                self.assertGreater(len(links), 4)
                for link in links:
                    if re.match(r'[a-z]+:', link):
                        continue
                    target = urllib.parse.urldefrag(urllib.parse.urljoin(server.url + path, link))[0]
                    answer = server.ask(target.removeprefix(server.url), Accept='text/html')
                    self.assertIn(answer.status, (200, 301, 302), (path, link))

    # VIEWS 11 "`?kind=` keeps those"
    def test_stores_are_found_by_name_and_kind_and_sorted(self):
        self.make_lab()
        for number, name in enumerate(('bob/c.h5ad', 'top.h5ad', 'alice/pbmc/b.h5ad')):
            os.utime(self.at(name), (1_700_000_000 + number, 1_700_000_000 + number))
        with Server(self.folder) as server:
            self.complete(server)
            self.assertEqual(self.names(server, '?find=BOB/'), ['bob/c.h5ad', 'bob/frags'])
            self.assertEqual(self.names(server, '?kind=BPCells+fragments'), ['bob/frags'])
            self.assertEqual(self.names(server, '?kind=AnnData&find=b.h5'), ['alice/pbmc/b.h5ad'])
            by_date = [n for n in self.names(server, '?sort=date&kind=AnnData') if n != 'alice/pbmc/a.h5ad']
            self.assertEqual(by_date, ['alice/pbmc/b.h5ad', 'top.h5ad', 'bob/c.h5ad'])
            sizes = [store.get('size', 0) for store in self.complete(server, '?sort=size')['stores']]
            self.assertEqual(sizes, sorted(sizes, reverse=True))
            text = server.ask('?find=zzz', Accept='text/html').body.decode()
            self.assertIn("No store name contains 'zzz'.", html.unescape(text))

    def test_long_list_is_divided_into_pages(self):
        names = [f'{number % 30:02}/{number:03}.h5ad' for number in range(230)]
        self.copy(ANNDATA, *names)
        with Server(self.folder) as server:
            page = self.complete(server)
            self.assertEqual(page['what'], '230 stores in 30 folders')
            self.assertEqual(len(page['folders']['rows']), 20)
            self.assertEqual(len(self.complete(server, '?folders=all')['folders']['rows']), 30)
            shown = [self.names(server, f'?from={start}') for start in (0, 100, 200)]
            self.assertEqual([len(part) for part in shown], [100, 100, 30])
            self.assertEqual(sum(shown, []), sorted(names))
            text = server.ask('?from=100', Accept='text/html').body.decode()
            self.assertIn('stores 101 to 200 of 230', text)

    # VIEWS 11 "The card of a store"
    def test_store_that_does_not_open_has_a_page_with_the_reason(self):
        content = beginning(ANNDATA)
        self.write('lab/cut.h5ad', content)
        self.write('lab/text.h5ad')
        with Server(self.folder) as server:
            stores = {store['name']: store for store in self.complete(server)['stores']}
            self.assertEqual({store['kind'] for store in stores.values()}, {'does not open'})
            self.assertEqual(stores['lab/cut.h5ad']['href'], 'lab/cut.h5ad?page')
            for name, reason in (('cut', 'copy it again'), ('text', 'not an HDF5 file')):
                answer = server.ask(f'lab/{name}.h5ad?page', Accept='text/html')
                self.assertEqual((answer.status, answer['Content-Type']), (200, 'text/html; charset=utf-8'))
                self.assertIn(reason, answer.body.decode())
                self.assertNotIn(self.folder, answer.body.decode())
            self.assertEqual(server.ask('lab/cut.h5ad').body, content)

    # VIEWS 11 "A request looks for"
    def assert_soon(self, server, kinds):
        """Fails if the page does not show these stores with their kinds, at the latest after a minute."""
        end = time.monotonic() + 60
        while True:
            found = {store['name']: store['kind'] for store in self.complete(server).get('stores', [])}
            if found == kinds or time.monotonic() > end:
                break
            time.sleep(0.05)
        self.assertEqual(found, kinds)

    def test_changes_are_shown_on_later_pages(self):
        self.copy(ANNDATA, 'a/1.h5ad', 'b/2.h5ad')
        with Server(self.folder) as server:
            self.assert_soon(server, {'a/1.h5ad': 'AnnData', 'b/2.h5ad': 'AnnData'})
            self.copy(ANNDATA, 'b/3.h5ad', 'c/d/4.h5ad')
            names = ('a/1.h5ad', 'b/2.h5ad', 'b/3.h5ad', 'c/d/4.h5ad')
            self.assert_soon(server, {name: 'AnnData' for name in names})
            shutil.rmtree(self.at('b'))
            self.write('a/1.h5ad')
            self.assert_soon(server, {'a/1.h5ad': 'does not open', 'c/d/4.h5ad': 'AnnData'})
            self.copy(ANNDATA, 'a/1.h5ad')
            self.assert_soon(server, {'a/1.h5ad': 'AnnData', 'c/d/4.h5ad': 'AnnData'})

    # VIEWS 11 "Links, names that begin"
    def test_search_ends_at_links_hidden_folders_and_stores(self):
        self.copy(ANNDATA, 'real/a.h5ad', '.git/b.h5ad', '.cache/c.h5ad', 'real/.hidden/d.h5ad')
        os.symlink('..', self.at('real/up'))
        os.symlink('real', self.at('again'))
        os.symlink('loop', self.at('loop'))
        os.makedirs(self.at('real/z.zarr/inner.zarr'))
        for folder in ('real/z.zarr', 'real/z.zarr/inner.zarr'):
            self.write(f'{folder}/.zgroup', b'{"zarr_format": 2}')
        self.copy(ANNDATA, 'real/z.zarr/inside.h5ad')
        for number in range(3000):
            self.write(f'texts/{number:04}.txt', b'')
        with Server(self.folder) as server:
            page = self.complete(server)
            self.assertEqual([store['name'] for store in page['stores']], ['real/a.h5ad', 'real/z.zarr'])
            self.assertEqual([row[:2] for row in page['folders']['rows']], [['real/', '2']])

    @unittest.skipUnless(os.geteuid() == 0, 'to run the server as another user, the test must run as root')
    def test_unreadable_folder_is_a_row_with_the_reason(self):
        self.copy(ANNDATA, 'open/a.h5ad', 'shut/b.h5ad')
        os.chmod(self.folder, 0o755)
        os.chmod(self.at('shut'), 0o700)
        as_nobody = functools.partial(subprocess.Popen, user=65534, group=65534, extra_groups=[])
        with unittest.mock.patch('subprocess.Popen', as_nobody), Server(self.folder) as server:
            page = self.complete(server)
            self.assertEqual([store['name'] for store in page['stores']], ['open/a.h5ad'])
            rows = {row[0]: row[1:] for row in page['folders']['rows']}
            self.assertEqual(rows['open/'], ['1', '1 AnnData'])
            self.assertEqual(rows['shut/'][0], '0')
            self.assertIn('Permission denied', rows['shut/'][1])

    # VIEWS 11 "The server goes on"
    def test_server_ends_while_it_looks_into_stores(self):
        self.copy(ANNDATA, *[f'{number % 20}/{number}.h5ad' for number in range(300)])
        with Server(self.folder) as server:
            page = json.loads(server.ask('?json').body)
            self.assertLessEqual(len(page['stores']), 100)
            self.assertEqual(server.ask('0/0.h5ad/obs.csv').status, 200)  # beside the search
            server.end()  # fails if the server does not end at once
            self.assertEqual(server.process.returncode, 0)

    def test_other_folders_have_no_list_of_stores(self):
        self.write('texts/a.txt')
        with Server(self.folder) as server:
            page = self.complete(server)
            self.assertNotIn('stores', page)
            self.assertIn('texts', json.dumps(page['entries']))


if __name__ == '__main__':
    unittest.main()
