// Opens Zarr stores by their consolidated metadata, a path or an address a line of standard input, and prints each as a line of JSON:
// of every array the SHA-256 of its values, or the list of its texts, or why there is neither.
import { FetchStore, FileSystemStore } from '@zarrita/storage'
import { createHash } from 'node:crypto'
import { createInterface } from 'node:readline'
import * as zarr from 'zarrita'

const bytes_of = data => data.buffer ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength) : Uint8Array.from(data)
const value_of = data => Array.isArray(data) ? data : createHash('sha256').update(bytes_of(data)).digest('hex')

for await (const path of createInterface({ input: process.stdin })) {
  const answer = {}
  const store = await zarr.withConsolidatedMetadata(path.startsWith('http') ? new FetchStore(path) : new FileSystemStore(path))
  for (const { path: name, kind } of store.contents()) {
    if (kind !== 'array') continue
    try {
      const array = await zarr.open.v2(zarr.root(store).resolve(name), { kind: 'array' })
      answer[name.slice(1)] = value_of((await zarr.get(array)).data)
    } catch (error) {
      answer[name.slice(1)] = String(error)
    }
  }
  console.log(JSON.stringify(answer))
}
