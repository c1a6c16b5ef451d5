/**
 * One INSERT per row in one transaction, as one would write it first. It keeps what ours keeps: a snapshot
 * only where a counter changed, and the diff from the sightings.
 */
import type { ParsedAuthor, ParsedPost } from '../../src/model/parsed-results.ts';
import { type Database, type Id, inTransaction, type Transaction } from '../../src/store/db/database.ts';
import {
  AUTHOR_CONTENT,
  AUTHOR_COUNTER_COLUMNS,
  POST_CONTENT,
  POST_COUNTER_COLUMNS,
} from '../../src/store/save/columns.ts';
import type { Batch, Way } from './way.ts';
import { makeWideTables } from './wide.ts';

const authorCounters = Object.keys(AUTHOR_COUNTER_COLUMNS);
const postCounters = Object.keys(POST_COUNTER_COLUMNS);
const authorColumns = [...authorCounters, ...Object.keys(AUTHOR_CONTENT)];
const postColumns = [...postCounters, ...Object.keys(POST_CONTENT)];

const AUTHOR = upsert('wide_authors', ['service_id', 'external_id'], authorColumns, authorCounters);
const POST = upsert('wide_posts', ['service_id', 'external_id', 'author_id'], postColumns, postCounters);
const AUTHOR_SNAPSHOT = insert('author_snapshots', ['author_id', 'observed_at', ...authorCounters]);
const POST_SNAPSHOT = insert('post_snapshots', ['post_id', 'observed_at', ...postCounters]);
const SIGHTING = `${insert('post_sightings', [
  'search_id',
  'post_id',
  'first_run_id',
  'first_seen_at',
  'post_created_at',
])} ON CONFLICT DO NOTHING`;

export async function naive(db: Database, serviceId: Id): Promise<Way> {
  await makeWideTables(db);
  return {
    name: 'naive',
    prepare: (batch) => Promise.resolve(() => inTransaction(db, (tx) => save(tx, serviceId, batch))),
  };
}

async function save(tx: Transaction, serviceId: Id, { findings, searchId, at }: Batch): Promise<number> {
  const authors = new Map<string, Id>();
  for (const author of findings.authors) {
    const values = [serviceId, author.external_id, at, ...valuesOf(author, authorColumns)];
    const { id, written } = await store(tx, 'wide_authors', AUTHOR, values);
    authors.set(author.external_id, id);
    if (written) await tx.query(AUTHOR_SNAPSHOT, [id, at, ...valuesOf(author, authorCounters)]);
  }
  let fresh = 0;
  for (const post of findings.posts) {
    const author = authors.get(post.author_external_id ?? '') ?? null;
    const values = [serviceId, post.external_id, author, at, ...valuesOf(post, postColumns)];
    const { id, written } = await store(tx, 'wide_posts', POST, values);
    if (written) await tx.query(POST_SNAPSHOT, [id, at, ...valuesOf(post, postCounters)]);
    const sighting = await tx.query(SIGHTING, [searchId, id, 0, at, post.created_at]);
    fresh += sighting.rowCount ?? 0;
  }
  return fresh;
}

/** A row that did not change is not returned by the upsert, and its key has to be asked for. */
async function store(
  tx: Transaction,
  table: string,
  statement: string,
  values: unknown[],
): Promise<{ id: Id; written: boolean }> {
  const { rows } = await tx.query<{ id: Id }>(statement, values);
  if (rows[0] !== undefined) return { id: rows[0].id, written: true };
  const found = await tx.query<{ id: Id }>(
    `SELECT id FROM strandline.${table} WHERE service_id = $1 AND external_id = $2`,
    values.slice(0, 2),
  );
  if (found.rows[0] === undefined) throw new Error('a row of the benchmark is not there');
  return { id: found.rows[0].id, written: false };
}

function insert(table: string, columns: readonly string[]): string {
  const places = columns.map((_, i) => `$${i + 1}`).join(', ');
  return `INSERT INTO strandline.${table} (${columns.join(', ')}) VALUES (${places})`;
}

function upsert(
  table: string,
  keys: readonly string[],
  columns: readonly string[],
  counters: readonly string[],
): string {
  const now = keys.length + 1; // first seen and observed are the same parameter
  const places = [
    ...keys.map((_, i) => `$${i + 1}`),
    `$${now}`,
    `$${now}`,
    ...columns.map((_, i) => `$${now + 1 + i}`),
  ];
  const set = [...columns, 'observed_at'].map((name) => `${name} = excluded.${name}`).join(', ');
  const stored = counters.map((name) => `t.${name}`).join(', ');
  const coming = counters.map((name) => `excluded.${name}`).join(', ');
  return `INSERT INTO strandline.${table} AS t (${keys.join(', ')}, first_seen_at, observed_at, ${columns.join(', ')})
    VALUES (${places.join(', ')})
    ON CONFLICT (service_id, external_id) DO UPDATE SET ${set}
    WHERE (${stored}) IS DISTINCT FROM (${coming}) RETURNING id`;
}

/** node-postgres would write an array as an array of Postgres; these two columns are JSON. */
function valuesOf(row: ParsedAuthor | ParsedPost, columns: readonly string[]): unknown[] {
  const all = new Map<string, unknown>(Object.entries(row));
  return columns.map((name) => {
    const value = all.get(name) ?? null;
    return name === 'media' || name === 'entities' ? JSON.stringify(value) : value;
  });
}
