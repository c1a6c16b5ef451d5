/**
 * The limit: the posts' own columns into a table without keys, indexes or references, as bytes that were
 * made before the clock ran. Nothing is known afterwards: no keys, no diff.
 */
import { type Client, type Connection, Pool, type Submittable } from 'pg';
import type { Database, Id } from '../../src/store/db/database.ts';
import { POST_CONTENT, POST_COUNTER_COLUMNS } from '../../src/store/save/columns.ts';
import type { Way } from './way.ts';

const columns = [...Object.keys(POST_COUNTER_COLUMNS), ...Object.keys(POST_CONTENT)];
const COPY = `COPY strandline.bench_posts (id, service_id, first_seen_at, observed_at, external_id, ${columns.join(', ')}) FROM STDIN`;

export async function copy(db: Database, serviceId: Id): Promise<Way> {
  const counters = Object.entries(POST_COUNTER_COLUMNS).map(([name, type]) => `${name} ${type}`);
  await db.pool.query(
    `CREATE TABLE strandline.bench_posts (LIKE strandline.posts INCLUDING DEFAULTS, ${counters.join(', ')})`,
  );
  // Connections of its own: on those of the program statements are sent one behind the other, and COPY is a conversation.
  const { connectionString, max } = db.pool.options;
  const pool = new Pool({ connectionString, max, allowExitOnIdle: true });
  pool.on('error', () => {}); // the server ends before they do
  return {
    name: 'copy',
    prepare: ({ findings, at }) => {
      const time = at.toISOString();
      const lines = findings.posts.map((post, i) => {
        const all = new Map<string, unknown>(Object.entries(post));
        const values = [i, serviceId, time, time, post.external_id, ...columns.map((name) => all.get(name))];
        return `${values.map((value, n) => field(value, n >= 5 ? columns[n - 5] : undefined)).join('\t')}\n`;
      });
      const bytes = Buffer.from(lines.join(''));
      return Promise.resolve(async () => {
        const client = await pool.connect();
        try {
          await copyIn(client, bytes);
        } finally {
          client.release();
        }
        return 0;
      });
    },
  };
}

/** A value in the text format of COPY. */
function field(value: unknown, column: string | undefined): string {
  if (value === null || value === undefined) return '\\N';
  const text = column === 'media' || column === 'entities' ? JSON.stringify(value) : plain(value);
  return text
    .replaceAll('\\', '\\\\')
    .replaceAll('\t', '\\t')
    .replaceAll('\n', '\\n')
    .replaceAll('\r', '\\r');
}

function plain(value: unknown): string {
  if (!Array.isArray(value)) return String(value);
  const items = value.map((item) => `"${String(item).replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`);
  return `{${items.join(',')}}`;
}

/** What node-postgres calls on the query that is under way; its types name only `submit`. */
type CopyQuery = Submittable & {
  handleCopyInResponse(connection: CopyConnection): void;
  handleCommandComplete(): void;
  handleReadyForQuery(): void;
  handleError(error: Error): void;
};
type CopyConnection = Connection & { sendCopyFromChunk(chunk: Buffer): void; endCopyFrom(): void };

function copyIn(client: Pick<Client, 'query'>, bytes: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    let failed: Error | undefined;
    const query: CopyQuery = {
      submit: (connection) => connection.query(COPY),
      handleCopyInResponse: (connection) => {
        connection.sendCopyFromChunk(bytes);
        connection.endCopyFrom();
      },
      handleCommandComplete: () => {},
      handleError: (error) => {
        failed = error;
        reject(error);
      },
      handleReadyForQuery: () => {
        if (failed === undefined) resolve();
      },
    };
    client.query(query);
  });
}
