/**
 * What full text costs: filling the archive as items come, against a table with a generated `tsvector` and its index, which
 * gets the same texts in turn; and what queries take afterwards. docs/internals/performance.md says what came out. It prints and fails
 * on nothing.
 *
 *   npm run -s bench:archive -- [--documents 100000] [--rounds 5] [--batches 40,1000]
 */
import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { parseQuery } from '../src/model/search-query.ts';
import { findText } from '../src/store/archive/find-text.ts';
import { fillArchive } from '../src/store/archive/index-archive.ts';
import { searchArchive } from '../src/store/archive/search-archive.ts';
import type { Database } from '../src/store/db/database.ts';
import { ensureService } from '../src/store/services/services.ts';
import { median } from './measure.ts';
import { aligned } from './report.ts';
import { cpuMsOf, parentOf, withChildren } from './runs/processes.ts';
import { openStage, START } from './stage.ts';

/** Words of a post, as of the posts of bench/posts.ts. */
const WORDS = 28;
/** Documents of a round and batch size. */
const ROUND = 4_000;
const REPEATS = 9;

const { values } = parseArgs({
  options: {
    documents: { type: 'string', default: '100000' },
    rounds: { type: 'string', default: '5' },
    batches: { type: 'string', default: '40,1000' },
  },
});
const documents = Number(values.documents);
const rounds = Number(values.rounds);
const sizes = values.batches.split(',').map(Number);

/** Of a document, in microseconds and bytes; CPU of this process and of Postgres. */
type Cost = { micros: number; cpu: number; wal: number; longestMs: number };
type Way = { name: string; add: (texts: readonly string[]) => Promise<void> };

const frequencies = new URL('../src/service/planning/frequencies/en.txt', import.meta.url);
const frequentWords = (await readFile(frequencies, 'utf8')).trimEnd().split('\n').slice(1);
const drawText = textsOf(frequentWords);
const stage = await openStage(4);
try {
  const { db } = stage;
  const { rows: backends } = await db.pool.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  const postmaster = parentOf(backends[0]?.pid ?? Number.NaN);
  const { id: service } = await ensureService(db, {
    name: 'archive',
    kind: 'hosted',
    address: null,
    dialect: 'named',
    now: START,
  });
  await db.pool.query(`
    CREATE SCHEMA bench;
    CREATE TABLE bench.plain (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, text text NOT NULL,
      tsv tsvector GENERATED ALWAYS AS (to_tsvector('english', text)) STORED);
    CREATE INDEX plain_tsv ON bench.plain USING gin (tsv);
    ALTER TABLE bench.plain SET (autovacuum_enabled = false);
    ALTER TABLE strandline.archive_documents SET (autovacuum_enabled = false)`);
  const ways: readonly Way[] = [
    { name: 'plain', add: (texts) => addPlain(db, texts) },
    {
      name: 'archive',
      add: async () => {
        while (!(await fillArchive(db, { batches: 1 })));
      },
    },
  ];
  for (let left = documents; left > 0; left -= 10_000) {
    const texts = Array.from({ length: Math.min(left, 10_000) }, drawText);
    await storePosts(db, service, texts);
    for (const way of ways) await way.add(texts);
  }
  for (const table of ['bench.plain', 'strandline.archive_documents', 'strandline.posts'])
    await db.pool.query(`VACUUM ANALYZE ${table}`);

  const measured: { size: number; round: number; name: string; cost: Cost }[] = [];
  for (let round = -1; round < rounds; round += 1)
    for (const size of sizes) {
      const batches = Array.from({ length: ROUND / size }, () => Array.from({ length: size }, drawText));
      for (const way of round % 2 === 0 ? ways : ways.toReversed()) {
        const cost = await measure(db, postmaster, way, batches, service);
        // The first round fills caches.
        if (round >= 0) measured.push({ size, round, name: way.name, cost });
      }
    }
  const lines = [
    ['batch', 'way', 'us a document', 'CPU us', 'WAL kB', 'longest batch ms', 'CPU to plain (least to most)'],
  ];
  for (const size of sizes)
    for (const { name } of ways) {
      const costs = measured.filter((one) => one.size === size && one.name === name);
      const ratios = costs.map(({ round, cost }) => {
        const plain = measured.find(
          (one) => one.size === size && one.round === round && one.name === 'plain',
        );
        return cost.cpu / (plain?.cost.cpu ?? Number.NaN);
      });
      lines.push([
        String(size),
        name,
        median(costs.map(({ cost }) => cost.micros)).toFixed(0),
        median(costs.map(({ cost }) => cost.cpu)).toFixed(0),
        (median(costs.map(({ cost }) => cost.wal)) / 1_024).toFixed(2),
        Math.max(...costs.map(({ cost }) => cost.longestMs)).toFixed(0),
        `${median(ratios).toFixed(2)} (${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)})`,
      ]);
    }
  print(`${documents} documents of ${WORDS} words, ${rounds} rounds of ${ROUND} more\n${aligned(lines)}\n`);
  print(await measureSizes(db));
  print(await measureQueries(db));
} finally {
  await stage.close();
}

async function measure(
  db: Database,
  postmaster: number,
  way: Way,
  batches: readonly (readonly string[])[],
  service: bigint,
): Promise<Cost> {
  await stage.checkpoint();
  const postgres = withChildren(postmaster);
  let [micros, cpu, wal, longestMs] = [0, 0, 0, 0];
  for (const texts of batches) {
    // Posts are stored by the save, whatever becomes of their words.
    if (way.name === 'archive') await storePosts(db, service, texts);
    const before = await walPosition(db);
    const cpuBefore = cpuMs(postgres);
    const from = performance.now();
    await way.add(texts);
    const took = performance.now() - from;
    micros += took * 1_000;
    cpu += (cpuMs(postgres) - cpuBefore) * 1_000;
    longestMs = Math.max(longestMs, took);
    wal += (await walPosition(db)) - before;
  }
  return { micros: micros / ROUND, cpu: cpu / ROUND, wal: wal / ROUND, longestMs };
}

function cpuMs(postgres: readonly number[]): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000 + cpuMsOf(postgres);
}

async function addPlain(db: Database, texts: readonly string[]): Promise<void> {
  await db.pool.query('INSERT INTO bench.plain (text) SELECT unnest($1::text[])', [texts]);
}

/** Posts with discoveries. */
async function storePosts(db: Database, service: bigint, texts: readonly string[]): Promise<void> {
  await db.pool.query(
    `WITH stored AS (
       INSERT INTO strandline.posts (service_id, external_id, text, lang, hashtags, mentions, urls, media, entities, created_at, first_seen_at, observed_at)
       SELECT $1, gen_random_uuid(), text, 'en', '{}', '{}', '{}', '[]', '{}', $2, $2, $2 FROM unnest($3::text[]) text RETURNING id
     )
     INSERT INTO strandline.discoveries (search_id, run_id, kind, thing, baseline, first_in_topic, at)
     SELECT 1, 1, 'post', id, false, true, $2 FROM stored ORDER BY id`,
    [service, START, texts],
  );
}

async function measureSizes(db: Database): Promise<string> {
  const { rows } = await db.pool.query<{ name: string; table: string; indexes: string }>(
    `SELECT name, round(pg_table_size(name) / 1048576.0, 1)::text AS table, round(pg_indexes_size(name) / 1048576.0, 1)::text AS indexes
     FROM (SELECT oid::regclass::text AS name FROM pg_class WHERE relkind = 'r' AND (relname = 'plain' OR relname LIKE 'archive\\_%')) t
     WHERE pg_table_size(name) > 1048576 ORDER BY name`,
  );
  return `${aligned([['table', 'MB', 'indexes MB'], ...rows.map((row) => [row.name, row.table, row.indexes])])}\n`;
}

/** Median times, and how many documents match. */
async function measureQueries(db: Database): Promise<string> {
  await db.pool.query('VACUUM ANALYZE strandline.archive_documents');
  const words = frequentWords;
  const [frequent = '', common = '', rare = ''] = [words[150], words[900], words[7_000]];
  const lines = [['query', 'ms', 'hits']];
  for (const query of [rare, common, frequent, `"${common} ${frequent}"`, `${frequent} -${common}`]) {
    let total = 0;
    const ms = await timed(async () => {
      ({ total } = await findText(db, { query: parseQuery(query), now: START, limit: 50 }));
    });
    lines.push([`find ${query}`, ms, String(total)]);
  }
  const prompts = [
    [rare],
    [frequent, common],
    [150, 300, 500, 700, 900, 1_500, 2_000, 3_000, 4_000, 5_000, 6_000, 7_000].map((n) => words[n] ?? ''),
  ];
  for (const prompt of prompts) {
    let hits = 0;
    const ms = await timed(async () => {
      hits = (await searchArchive(db, { text: prompt.join(' '), limit: 100 })).length;
    });
    lines.push([`prompt of ${prompt.length} words`, ms, String(hits)]);
  }
  return aligned(lines);
}

async function timed(action: () => Promise<void>): Promise<string> {
  const took: number[] = [];
  for (let n = 0; n < REPEATS; n += 1) {
    const before = performance.now();
    await action();
    took.push(performance.now() - before);
  }
  return median(took).toFixed(1);
}

async function walPosition(db: Database): Promise<number> {
  const { rows } = await db.pool.query<{ bytes: number }>(
    `SELECT (pg_current_wal_insert_lsn() - '0/0')::float8 AS bytes`,
  );
  return rows[0]?.bytes ?? Number.NaN;
}

/** Texts whose words occur as in a language: the nth word n times as rarely as the first. */
function textsOf(frequent: readonly string[]): () => string {
  const all = 60_000;
  const consonants = 'bcdfghjklmnprstvwz';
  const wordAt = (n: number): string => {
    const known = frequent[n];
    if (known !== undefined) return known;
    let word = '';
    for (let rest = n; rest > 0; rest = Math.floor(rest / 90))
      word += `${consonants[rest % 18] ?? ''}${'aeiou'[Math.floor(rest / 18) % 5] ?? ''}`;
    return word;
  };
  // The same in every run (Numerical Recipes' generator).
  let seed = 7;
  const random = () => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return seed / 2 ** 32;
  };
  return () =>
    Array.from({ length: WORDS }, () => wordAt(Math.floor(Math.exp(random() * Math.log(all))) - 1)).join(' ');
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
