/**
 * Every page of the dashboard, on a history of a million posts and ten million snapshots: how long the server takes by the
 * clock and by the CPU time of this process and of Postgres, and how large the page is. It prints and fails on nothing.
 *
 *   npm run -s bench:pages -- [--posts 1000000] [--times 40] [--only /posts,/runs] [--url URL --reader URL]
 *
 * With --url it asks a database that was filled before, and fills none.
 */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { buildHttpServer } from '../src/app/http-server.ts';
import { createLogger } from '../src/platform/logger.ts';
import { type Database, openDatabase } from '../src/store/db/database.ts';
import { WEB } from '../src/app/web-server.ts';
import { webHomeOn } from './pages/web-home.ts';
import { pagesOn } from './pages/addresses.ts';
import { openHistory } from './questions/open.ts';

/** At the 95th percentile, and as it is sent, compressed. */
const TARGET_MS = 50;
const TARGET_KB = 150;
/** A server that runs for hours has compiled what a page needs; what the very first request takes is told beside. */
const WARM_UP = 60;
/** As many as the program opens. */
const CONNECTIONS = 10;
const COLUMNS = ['first ms', 'p50 ms', 'p95 ms', 'most ms', 'CPU p50', 'CPU p95', 'kB', 'gzip kB', 'br kB'];

const { values } = parseArgs({
  options: {
    posts: { type: 'string', default: '1000000' },
    times: { type: 'string', default: '40' },
    only: { type: 'string' },
    url: { type: 'string' },
    reader: { type: 'string' },
  },
});
const posts = Number(values.posts);
const times = Number(values.times);
const only = values.only?.split(',');
if (!(posts >= 1_000 && times >= 1)) throw new Error('--posts is 1000 or more, --times 1 or more');

const history = await openHistory({ posts, url: values.url, reader: values.reader }, print);
try {
  await measureAt(history);
} finally {
  await history.close();
}

async function measureAt(address: { url: string; readerUrl: string }): Promise<void> {
  const db = openDatabase(address.url, {
    log: createLogger('silent'),
    max: CONNECTIONS,
    name: 'strandline pages',
  });
  // A connection that ends takes the count of its CPU along.
  Object.assign(db.pool.options, { idleTimeoutMillis: 0, maxLifetimeSeconds: 0 });
  const app = await buildHttpServer(webHomeOn(db, address), WEB, {
    perMinute: 1_000_000,
    runsPerMinute: 1_000_000,
  });
  try {
    await measurePages(await app.listen({ host: '127.0.0.1', port: 0 }), db);
  } finally {
    await app.close();
    await db.close();
  }
}

/** A line is printed as soon as it is known. */
async function measurePages(server: string, db: Database): Promise<void> {
  print(`${times} times each, things at random, Node ${process.versions.node}`);
  print(lineOf(['page', ...COLUMNS, `${TARGET_MS} ms, ${TARGET_KB} kB`]));
  for (const { page, addresses } of await pagesOn(db)) {
    if (only !== undefined && !only.some((begin) => page.startsWith(begin))) continue;
    print(lineOf(await measurePage(server, page, addresses, db)));
  }
}

function lineOf([page = '', ...figures]: readonly string[]): string {
  return `${page.padEnd(20)}${figures.map((figure) => figure.padStart(10)).join('')}`;
}

/**
 * Milliseconds of CPU that this process and the connections of our pool have had. It bends less than the clock when other work
 * is on the machine; the client's own part is in it. Only where Postgres runs here, on Linux, and asks no parallel workers.
 */
async function cpuClock(db: Database): Promise<() => number> {
  const { rows } = await db.pool.query<{ pid: number }>(
    `SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend'
       AND application_name = current_setting('application_name')`,
  );
  return () => {
    const { user, system } = process.cpuUsage();
    return rows.reduce((sum, { pid }) => sum + cpuOf(pid), (user + system) / 1e3);
  };
}

/** By nanoseconds that the scheduler counted. */
function cpuOf(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
  } catch {
    return Number.NaN; // not here, or not Linux
  }
}

async function measurePage(
  server: string,
  page: string,
  addresses: readonly string[],
  db: Database,
): Promise<string[]> {
  const took: number[] = [];
  const used: number[] = [];
  let largest = '';
  let first = Number.NaN;
  let cpu = () => Number.NaN;
  for (let i = -WARM_UP; i < times; i += 1) {
    const url = addresses[(i + WARM_UP) % addresses.length] ?? page;
    // Warming up has opened the connections.
    if (i === 0) cpu = await cpuClock(db);
    const [before, idle] = [performance.now(), cpu()];
    const answer = await fetch(new URL(url, server), { headers: { 'accept-encoding': 'identity' } });
    const body = await answer.text();
    const [ms, busy] = [performance.now() - before, cpu() - idle];
    if (answer.status !== 200) throw new Error(`${url} answered ${answer.status}`);
    if (body.length > largest.length) largest = body;
    if (i === -WARM_UP) first = ms;
    if (i < 0) continue;
    took.push(ms);
    used.push(busy);
  }
  const at = (part: number, of = took) =>
    of.toSorted((a, b) => a - b)[Math.ceil(part * of.length) - 1] ?? Number.NaN;
  const kb = (bytes: string | Buffer) => Buffer.byteLength(bytes) / 1_000;
  const sent = kb(gzipSync(largest));
  return [
    page,
    first.toFixed(0),
    at(0.5).toFixed(1),
    at(0.95).toFixed(1),
    at(1).toFixed(1),
    at(0.5, used).toFixed(1),
    at(0.95, used).toFixed(1),
    kb(largest).toFixed(0),
    sent.toFixed(0),
    kb(brotliCompressSync(largest)).toFixed(0),
    at(0.95) < TARGET_MS && sent < TARGET_KB ? '✓' : '✗',
  ];
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
