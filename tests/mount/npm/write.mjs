// Writes Parquet files by DuckDB: a path and the query of its rows, separated by a tab, a line of standard input each.
import { DuckDBInstance } from '@duckdb/node-api'
import { createInterface } from 'node:readline'

const instance = await DuckDBInstance.create(':memory:')
const connection = await instance.connect()
for await (const line of createInterface({ input: process.stdin })) {
  const [path, query] = line.split('\t')
  await connection.run(`COPY (${query}) TO '${path.replaceAll("'", "''")}' (FORMAT parquet)`)
}
