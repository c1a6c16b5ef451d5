/**
 * Every page of the dashboard, on a history of a million posts and ten million snapshots: how long the server takes, and
 * how large the page is. It prints and fails on nothing.
 *
 *   npm run -s bench:pages -- [--posts 1000000] [--times 40] [--only /posts,/runs] [--url URL --reader URL]
 *
 * With --url it asks a database that was filled before, and fills none.
 */
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import { buildServer } from '../src/doors/http/server.ts';
import type { App } from '../src/doors/routes.ts';
import { HOUR } from '../src/engine/clock.ts';
import { createLogger } from '../src/engine/logger.ts';
import { fillArchive } from '../src/store/archive/index-archive.ts';
import { type Database, openDatabase } from '../src/store/database.ts';
import { WEB } from '../src/web.ts';
import { webHomeOn } from './pages/web-home.ts';
import { pagesOn } from './pages/addresses.ts';
import { fillHistory } from './questions/fill.ts';
import { openStage } from './stage.ts';

/** At the 95th percentile, and as it is sent before it is compressed. */
const TARGET_MS = 50;
const TARGET_KB = 150;
/** First requests fill caches of connections; those of a server are long past that. */
const WARM_UP = 5;
/** As many as the program opens. */
const CONNECTIONS = 10;

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

if (values.url === undefined) {
  const stage = await openStage(2);
  try {
    const history = await stage.addDatabase('history');
    const until = new Date(Math.floor(Date.now() / HOUR) * HOUR);
    await fillHistory(history, { posts, until, told: (step, s) => print(`${step}: ${s.toFixed(1)} s`) });
    const begun = performance.now();
    await fillArchive(history.db, { batches: Number.POSITIVE_INFINITY });
    print(`archive: ${((performance.now() - begun) / 1_000).toFixed(1)} s\n`);
    await stage.checkpoint();
    await measureAt(history);
  } finally {
    await stage.close();
  }
} else await measureAt({ url: values.url, readerUrl: values.reader ?? values.url });

async function measureAt(address: { url: string; readerUrl: string }): Promise<void> {
  const db = openDatabase(address.url, {
    log: createLogger('silent'),
    max: CONNECTIONS,
    name: 'strandline bench',
  });
  const app = await buildServer(webHomeOn(db, address), WEB, { perMinute: 1_000_000 });
  try {
    await measurePages(app, db);
  } finally {
    await app.close();
    await db.close();
  }
}

/** A line is printed as soon as it is known. */
async function measurePages(app: App, db: Database): Promise<void> {
  print(`${times} times each, things at random, Node ${process.versions.node}`);
  print(lineOf(['page', 'p50 ms', 'p95 ms', 'most ms', 'kB', 'gzip kB', `${TARGET_MS} ms, ${TARGET_KB} kB`]));
  for (const { page, addresses } of await pagesOn(db)) {
    if (only !== undefined && !only.some((begin) => page.startsWith(begin))) continue;
    print(lineOf(await measurePage(app, page, addresses)));
  }
}

function lineOf([page = '', ...figures]: readonly string[]): string {
  return `${page.padEnd(20)}${figures.map((figure) => figure.padStart(10)).join('')}`;
}

async function measurePage(app: App, page: string, addresses: readonly string[]): Promise<string[]> {
  const took: number[] = [];
  let largest = '';
  for (let i = -WARM_UP; i < times; i += 1) {
    const url = addresses[(i + WARM_UP) % addresses.length] ?? page;
    const before = performance.now();
    const answer = await app.inject({ url });
    const ms = performance.now() - before;
    if (answer.statusCode !== 200) throw new Error(`${url} answered ${answer.statusCode}`);
    if (answer.body.length > largest.length) largest = answer.body;
    if (i >= 0) took.push(ms);
  }
  took.sort((a, b) => a - b);
  const at = (part: number) => took[Math.ceil(part * took.length) - 1] ?? Number.NaN;
  const kb = Buffer.byteLength(largest) / 1_000;
  return [
    page,
    at(0.5).toFixed(1),
    at(0.95).toFixed(1),
    at(1).toFixed(1),
    kb.toFixed(0),
    (gzipSync(largest).byteLength / 1_000).toFixed(0),
    at(0.95) < TARGET_MS && kb < TARGET_KB ? '✓' : '✗',
  ];
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
