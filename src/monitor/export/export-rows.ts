/** Exports as bytes: the rows of a resource from one snapshot, in one of the formats. */

import { Refused } from '../../model/errors.ts';
import { catchUpArchive, describeBacklog } from '../../store/archive/index-archive.ts';
import type { Database } from '../../store/db/database.ts';
import { type ExportView, readView } from '../../store/export/export-columns.ts';
import type { Resource } from '../../store/export/export-resources.ts';
import {
  type ExportFilter,
  findSearchIds,
  type SearchIds,
  buildQueryCondition,
  buildSelect,
} from '../../store/export/export-select.ts';
import { openSnapshot, type Snapshot } from '../../store/export/snapshot.ts';
import type { Context } from '../context.ts';
import {
  createCsvEncoder,
  createNdjsonEncoder,
  type CsvOptions,
  type Encoder,
  type Format,
} from './row-encoders.ts';

export type Encoding = CsvOptions & { format: Format };

/**
 * Streams one resource from a snapshot, in the order of its keys, with backpressure. When the consumer stops, the statement is
 * cancelled. Uses a connection of its own.
 * @param signal aborts; its reason is thrown
 * @param onEnd called with the number of rows once all bytes are consumed
 * @throws Refused `not_found` for an unknown search or topic, `unavailable` for a query if items are not indexed yet
 */
export async function* exportRows(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  resource: Resource,
  filter: ExportFilter,
  encoding: Encoding,
  signal?: AbortSignal,
  onEnd?: (rows: number) => void,
): AsyncGenerator<Uint8Array, void, undefined> {
  await assertIndexed(db, filter);
  const snapshot = await openSnapshot(db, signal);
  try {
    const searchIds = await findSearchIds(snapshot.client, filter);
    const now = clock.now();
    const encoded = await encodeResource(snapshot, { resource, filter, searchIds, encoding, now });
    yield* encoded.bytes;
    onEnd?.(encoded.rows());
  } finally {
    await snapshot.close();
  }
}

/** Indexes what is new before a query: an export that ends normally is complete. @throws Refused `unavailable` */
export async function assertIndexed(db: Database, { query }: ExportFilter): Promise<void> {
  const backlog = query === undefined ? null : await catchUpArchive(db);
  if (backlog === null) return;
  throw new Refused(
    'unavailable',
    `${describeBacklog(backlog)}, so that a query cannot find them; try again later`,
  );
}

type EncodedResource = {
  view: ExportView;
  bytes: AsyncGenerator<Uint8Array, void, undefined>;
  /** Number of rows encoded so far. */
  rows: () => number;
};

export async function encodeResource(
  snapshot: Snapshot,
  what: {
    resource: Resource;
    filter: ExportFilter;
    searchIds: SearchIds;
    encoding: Encoding;
    now: Date;
  },
): Promise<EncodedResource> {
  const { resource, filter, searchIds, encoding, now } = what;
  const view = await readView(snapshot.client, resource);
  const matches = await buildQueryCondition(snapshot.client, resource, filter, now);
  const select = buildSelect(resource, view.columns, filter, searchIds, matches);
  let rows = 0;
  async function* encode(): AsyncGenerator<Uint8Array, void, undefined> {
    const encoder = await openEncoder(view, encoding);
    yield* skipEmpty(encoder.begin());
    for await (const batch of snapshot.copy(select)) {
      rows += batch.length;
      yield* skipEmpty(encoder.rows(batch));
    }
    yield* skipEmpty(encoder.end());
  }
  return { view, bytes: encode(), rows: () => rows };
}

async function openEncoder({ columns }: ExportView, encoding: Encoding): Promise<Encoder> {
  switch (encoding.format) {
    case 'csv':
      return createCsvEncoder(columns, encoding);
    case 'ndjson':
      return createNdjsonEncoder(columns);
    case 'parquet': {
      const { createParquetEncoder } = await import('./parquet.ts');
      return createParquetEncoder(columns);
    }
  }
}

function* skipEmpty(bytes: Uint8Array): Generator<Uint8Array, void, undefined> {
  if (bytes.length > 0) yield bytes;
}
