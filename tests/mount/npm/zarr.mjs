// Opens Zarr stores by their consolidated metadata, a path or an address a line of standard input, and prints each as a line of JSON:
// of every array the SHA-256 of its values, or the list of its texts, or why there is neither. A path that ends in 3.zarr or
// 3.zarr.zip is of version 3.
import { FetchStore, FileSystemStore } from '@zarrita/storage'
import ZipFileStore from '@zarrita/storage/zip'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import * as zarr from 'zarrita'

const bytes_of = data => data.buffer ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength) : Uint8Array.from(data)
const value_of = data => Array.isArray(data) ? data : createHash('sha256').update(bytes_of(data)).digest('hex')
const store_of = path => path.startsWith('http')
  ? new FetchStore(path)
  : path.endsWith('.zip') ? ZipFileStore.fromBlob(new Blob([readFileSync(path)])) : new FileSystemStore(path)

for await (const path of createInterface({ input: process.stdin })) {
  const answer = {}
  const format = /3\.zarr(\.zip)?$/.test(path) ? 'v3' : 'v2'
  const store = await zarr.withConsolidatedMetadata(store_of(path), { format })
  for (const { path: name, kind } of store.contents()) {
    if (kind !== 'array') continue
    try {
      const array = await zarr.open[format](zarr.root(store).resolve(name), { kind: 'array' })
      answer[name.slice(1)] = value_of((await zarr.get(array)).data)
    } catch (error) {
      answer[name.slice(1)] = String(error)
    }
  }
  console.log(JSON.stringify(answer))
}
