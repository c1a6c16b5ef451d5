/**
 * The questions of src/web/explore/questions.md, the reads of pages and the panels of Grafana on a history of a million posts and
 * ten million snapshots: docs/internals/performance.md says what came out. It prints and fails on nothing.
 *
 *   npm run -s bench:questions -- [--posts 1000000] [--times 40] [--save 3] [--only 7] [--panels 'links: '] [--all]
 *
 * `--panels` asks those panels alone whose names hold it (an empty one: all), `--all` with every search chosen.
 * With `--url` (and `--reader`) it asks a database that was filled before, and fills none.
 */
import { parseArgs } from 'node:util';
import { Client, type QueryConfig } from 'pg';
import { type Question, readQuestions } from '../test/house/questions/page.ts';
import { compareSaves } from './history.ts';
import { AI_SEARCHES, MICROBLOG_SEARCHES, slugOf, TOPICS, topicOf } from './questions/fill.ts';
import { openHistory } from './questions/open.ts';
import { measurePanels } from './questions/panels.ts';
import { readsOf } from './questions/reads.ts';
import { aligned } from './report.ts';

/** At the 95th percentile. */
const TARGET_MS = 30;
/** A connection's first questions fill its caches; those of a pool are long past that. */
const WARM_UP = 3;

const { values } = parseArgs({
  options: {
    posts: { type: 'string', default: '1000000' },
    times: { type: 'string', default: '40' },
    save: { type: 'string' },
    only: { type: 'string' },
    panels: { type: 'string' },
    all: { type: 'boolean', default: false },
    explain: { type: 'boolean', default: false },
    url: { type: 'string' },
    reader: { type: 'string' },
  },
});
const posts = Number(values.posts);
const times = Number(values.times);
if (!(posts >= 1_000 && times >= 1)) throw new Error('--posts is 1000 or more, --times 1 or more');

const history = await openHistory({ posts, url: values.url, reader: values.reader }, print);
try {
  print(`history: ${await sizeOf()}\n`);
  if (values.panels === undefined) print(await measureQuestions());
  if (values.panels === undefined && values.only === undefined) print(await measureReads());
  if (values.only === undefined) print(await tableOfPanels());
  if (values.save !== undefined) print(await compareWithEmpty(Number(values.save)));

  async function measureQuestions(): Promise<string> {
    const client = new Client({ connectionString: history.readerUrl, application_name: 'strandline bench' });
    await client.connect();
    try {
      const lines = [['', 'question', 'rows', 'p50 ms', 'p95 ms', 'most ms', `under ${TARGET_MS}`]];
      const asked = (await readQuestions()).filter(
        ({ n }) => values.only === undefined || n === Number(values.only),
      );
      for (const question of asked) lines.push(await measureQuestion(client, question));
      return `${times} times each, with searches and topics at random, Node ${process.versions.node}, PostgreSQL ${await versionOf()}\n${aligned(lines)}\n`;
    } finally {
      await client.end();
    }
  }

  async function compareWithEmpty(rounds: number): Promise<string> {
    if (history.stage === undefined)
      throw new Error('--save compares on a history that is filled now: leave --url out');
    return compareSaves(history.stage, history, 'this history', { rounds, batch: 100, batches: 4 });
  }

  async function tableOfPanels(): Promise<string> {
    const lines = [
      ['panel', 'rows', 'p50 ms', 'p95 ms', 'most ms', 'CPU ms of Postgres', `under ${TARGET_MS}`],
    ];
    const asked = { until: history.until, days: 7, times, all: values.all, only: values.panels ?? '' };
    for await (const one of measurePanels({ readerUrl: history.readerUrl, ...asked })) {
      one.took.sort((a, b) => a - b);
      const at = (part: number) => one.took[Math.ceil(part * one.took.length) - 1] ?? Number.NaN;
      const wall = [at(0.5), at(0.95), at(1)].map((ms) => ms.toFixed(1));
      const mark = at(0.95) < TARGET_MS ? '✓' : '✗';
      lines.push([one.name, one.rows.toFixed(0), ...wall, one.cpuMs?.toFixed(1) ?? 'not known', mark]);
    }
    return `a week, ${values.all ? 'every search' : 'the searches of one topic'}\n${aligned(lines)}\n`;
  }

  async function measureReads(): Promise<string> {
    const lines = [['read of a page', 'rows', 'p50 ms', 'p95 ms', `under ${TARGET_MS}`]];
    for (const read of readsOf(history.db)) {
      const took: number[] = [];
      let rows = 0;
      for (let i = -WARM_UP; i < times; i += 1) {
        const draw = (of: number) => 1 + Math.floor(Math.random() * of);
        const drawn = {
          search: slugOf('microblog', draw(MICROBLOG_SEARCHES)),
          topic: topicOf(draw(TOPICS)),
          now: history.until,
        };
        const before = performance.now();
        const found = await read.rows(drawn);
        if (i < 0) continue;
        took.push(performance.now() - before);
        rows += found.length / times;
      }
      took.sort((a, b) => a - b);
      const at = (part: number) => took[Math.ceil(part * took.length) - 1] ?? Number.NaN;
      lines.push([
        read.name,
        rows.toFixed(0),
        at(0.5).toFixed(1),
        at(0.95).toFixed(1),
        at(0.95) < TARGET_MS ? '✓' : '✗',
      ]);
    }
    return `${aligned(lines)}\n`;
  }

  async function measureQuestion(
    client: Client,
    { n, title, explanation, sql }: Question,
  ): Promise<string[]> {
    const fullScan = /\bfull scan\b/i.test(explanation);
    const took: number[] = [];
    let rows = 0;
    for (let i = -WARM_UP; i < times; i += 1) {
      const text = placed(sql);
      const before = performance.now();
      const answer = await client.query(extended(text));
      if (i < 0) continue;
      took.push(performance.now() - before);
      rows += answer.rows.length / times;
    }
    if (values.explain) {
      const { rows: plan } = await client.query<{ 'QUERY PLAN': string }>(
        `EXPLAIN (ANALYZE, BUFFERS) ${placed(sql, 1)}`,
      );
      print(plan.map((line) => line['QUERY PLAN']).join('\n'));
    }
    took.sort((a, b) => a - b);
    const at = (part: number) =>
      took[Math.min(took.length - 1, Math.ceil(part * took.length) - 1)] ?? Number.NaN;
    const mark = at(0.95) < TARGET_MS ? '✓' : fullScan ? 'full scan' : '✗';
    return [
      String(n),
      title.slice(0, 50),
      rows.toFixed(0),
      at(0.5).toFixed(1),
      at(0.95).toFixed(1),
      at(1).toFixed(1),
      mark,
    ];
  }

  async function versionOf(): Promise<string> {
    const { rows } = await history.db.pool.query<{ server_version: string }>('SHOW server_version');
    return rows[0]?.server_version ?? '';
  }

  async function sizeOf(): Promise<string> {
    const { rows } = await history.db.pool.query<{ size: string }>(
      `SELECT pg_size_pretty(pg_database_size(current_database())) || ', ' || (SELECT count(*) FROM strandline.post_snapshots) || ' snapshots, '
         || (SELECT count(*) FROM strandline.post_sightings) || ' sightings, ' || (SELECT count(*) FROM strandline.runs) || ' runs' AS size`,
    );
    return rows[0]?.size ?? '';
  }
} finally {
  await history.close();
}

/** The page's names, each replaced by one that is drawn; by the n-th (the largest is the first) where it is given. */
function placed(sql: string, n?: number): string {
  const draw = (of: number) => n ?? 1 + Math.floor(Math.random() * of);
  return sql
    .replaceAll(`'trains-posts'`, `'${slugOf('microblog', draw(MICROBLOG_SEARCHES))}'`)
    .replaceAll(`'trains-ai'`, `'${slugOf('ai', draw(AI_SEARCHES))}'`)
    .replaceAll(`'trains'`, `'${topicOf(draw(TOPICS))}'`);
}

/** As `strandline sql` sends it: planned anew each time. */
function extended(text: string): QueryConfig & { queryMode: 'extended' } {
  return { text, queryMode: 'extended' };
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
