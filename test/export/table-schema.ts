/** A data package as a Frictionless library reads it: each row is cast by the schema of its resource. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { Table } from 'tableschema';
import { z } from 'zod';

const dataPackage = z.object({
  resources: z.array(
    z.object({
      name: z.string(),
      path: z.string(),
      rows: z.number(),
      dialect: z.object({ delimiter: z.string(), lineTerminator: z.string(), quoteChar: z.string() }),
      schema: z.record(z.string(), z.unknown()),
    }),
  ),
});

type CastRow = Record<string, unknown>;
type CastResource = { name: string; rows: number; cast: CastRow[] };

/** @throws TableSchemaError for a cell that is not of its type, for other headers, or for a primary key that repeats */
export async function readPackage(folder: string): Promise<CastResource[]> {
  const { resources } = dataPackage.parse(
    JSON.parse(await readFile(path.join(folder, 'datapackage.json'), 'utf8')),
  );
  const read: CastResource[] = [];
  for (const { name, rows, path: file, schema, dialect } of resources) {
    const { delimiter, lineTerminator, quoteChar } = dialect;
    const table = await Table.load(path.join(folder, file), {
      schema,
      strict: true,
      delimiter,
      quote: quoteChar,
      escape: quoteChar,
      record_delimiter: lineTerminator,
    });
    const stream = await table.iter({ keyed: true, stream: true });
    const cast: CastRow[] = [];
    // The library's types do not say that its stream is one of objects.
    for await (const row of stream as Readable) cast.push(row as CastRow);
    read.push({ name, rows, cast });
  }
  return read;
}
