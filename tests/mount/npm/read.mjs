// Reads Parquet files, a path a line of standard input, and prints each as a line of JSON: what DuckDB makes of every
// column (its type and all of its values as text, or null) and how many rows hyparquet finds.
import { DuckDBInstance } from '@duckdb/node-api'
import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } from 'hyparquet'
import { createInterface } from 'node:readline'

const instance = await DuckDBInstance.create(':memory:')
const connection = await instance.connect()
await connection.run("SET TimeZone = 'UTC'")
const rows_of = async query => (await connection.runAndReadAll(query)).getRows()

for await (const path of createInterface({ input: process.stdin })) {
  const from = `'${path.replaceAll("'", "''")}'`
  const answer = {}
  try {
    const names = (await rows_of(`SELECT name FROM parquet_schema(${from})`)).slice(1)
    answer.names = names.map(row => row[0])
    answer.types = (await rows_of(`DESCRIBE SELECT * FROM ${from}`)).map(row => row[1])
    answer.rows = await rows_of(`SELECT CAST(COLUMNS(*) AS VARCHAR) FROM ${from}`)
  } catch (error) {
    answer.error = String(error)
  }
  try {
    const file = await asyncBufferFromFile(path)
    answer.others = (await parquetReadObjects({ file, metadata: await parquetMetadataAsync(file) })).length
  } catch (error) {
    answer.error = `hyparquet: ${error}`
  }
  console.log(JSON.stringify(answer))
}
