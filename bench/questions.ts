/**
 * The questions of docs/questions.md, the reads of pages and the panels of Grafana on a history of a million posts and
 * ten million snapshots: docs/performance.md says what came out. It prints and fails on nothing.
 *
 *   npm run -s bench:questions -- [--posts 1000000] [--times 40] [--save 3] [--only 7] [--panels 'links: '] [--all]
 *
 * `--panels` asks those panels alone whose names hold it (an empty one: all), `--all` with every search chosen.
 */
import { parseArgs } from 'node:util';
import { Client, type QueryConfig } from 'pg';
import { HOUR } from '../src/engine/clock.ts';
import type { Id } from '../src/store/database.ts';
import { keepRising } from '../src/store/volume/rising.ts';
import { type Question, readQuestions } from '../test/house/questions/page.ts';
import { compareSaves } from './history.ts';
import { AI_SEARCHES, fillHistory, MICROBLOG_SEARCHES, slugOf, TOPICS, topicOf } from './questions/fill.ts';
import { measurePanels } from './questions/panels.ts';
import { readsOf } from './questions/reads.ts';
import { aligned } from './report.ts';
import { openStage } from './stage.ts';

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
  },
});
const posts = Number(values.posts);
const times = Number(values.times);
if (!(posts >= 1_000 && times >= 1)) throw new Error('--posts is 1000 or more, --times 1 or more');

const stage = await openStage(2);
try {
  const history = await stage.addDatabase('history');
  const until = new Date(Math.floor(Date.now() / HOUR) * HOUR);
  const begun = performance.now();
  await fillHistory(history, { posts, until, told: (step, s) => print(`${step}: ${s.toFixed(1)} s`) });
  print(
    `history of ${posts} posts in ${((performance.now() - begun) / 1_000).toFixed(0)} s: ${await sizeOf()}\n`,
  );
  await stage.checkpoint();
  await keepAllRising();
  if (values.panels === undefined) print(await measureQuestions());
  if (values.panels === undefined && values.only === undefined) print(await measureReads());
  if (values.only === undefined) print(await tableOfPanels());
  if (values.save !== undefined)
    print(
      await compareSaves(stage, history, 'this history', {
        rounds: Number(values.save),
        batch: 100,
        batches: 4,
      }),
    );

  async function measureQuestions(): Promise<string> {
    const client = new Client({ connectionString: history.readerUrl, application_name: 'strandline bench' });
    await client.connect();
    try {
      const lines = [['', 'question', 'rows', 'p50 ms', 'p95 ms', 'most ms', `under ${TARGET_MS}`]];
      const asked = (await readQuestions()).filter(
        ({ n }) => values.only === undefined || n === Number(values.only),
      );
      for (const question of asked) lines.push(await measureQuestion(client, question));
      return `${times} times each, with searches and topics at random, Node ${process.versions.node}, PostgreSQL ${stage.version}\n${aligned(lines)}\n`;
    } finally {
      await client.end();
    }
  }

  /** As the last look of each search would have left it. */
  async function keepAllRising(): Promise<void> {
    const { rows } = await history.db.pool.query<{ id: Id }>(
      'SELECT search_id AS id FROM strandline.looks ORDER BY 1',
    );
    const before = performance.now();
    for (const { id } of rows) await keepRising(history.db, id, { again: true });
    print(
      `what rises, after a look: ${((performance.now() - before) / rows.length).toFixed(1)} ms a search\n`,
    );
  }

  async function tableOfPanels(): Promise<string> {
    const lines = [
      ['panel', 'rows', 'p50 ms', 'p95 ms', 'most ms', 'CPU ms of Postgres', `under ${TARGET_MS}`],
    ];
    const asked = { until, days: 7, times, all: values.all, only: values.panels ?? '' };
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
          now: until,
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

  async function measureQuestion(client: Client, { n, title, sql, fullScan }: Question): Promise<string[]> {
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

  async function sizeOf(): Promise<string> {
    const { rows } = await history.db.pool.query<{ size: string }>(
      `SELECT pg_size_pretty(pg_database_size(current_database())) || ', ' || (SELECT count(*) FROM strandline.post_snapshots) || ' snapshots, '
         || (SELECT count(*) FROM strandline.post_sightings) || ' sightings, ' || (SELECT count(*) FROM strandline.runs) || ' runs' AS size`,
    );
    return rows[0]?.size ?? '';
  }
} finally {
  await stage.close();
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
