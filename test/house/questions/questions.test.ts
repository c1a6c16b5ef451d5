/**
 * The twenty questions of `src/web/explore/questions.md`, asked of a history in which much went wrong, and the statements
 * of the tutorial and of the how-to guides.
 */
import { readFile, readdir } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readerQuery } from '../../../src/store/reader/reader-query.ts';
import { readContract } from '../contract/contract.ts';
import { CUT_DAY, SPIKE_DAY } from './answers.ts';
import {
  COST_USD,
  EDITED_DAY,
  FAILED_DAY,
  type History,
  LATE_SECONDS,
  liveHistory,
  PAUSED_DAY,
  STOPPED_DAY,
} from './history.ts';
import { readQuestions } from './page.ts';

const questions = await readQuestions();
let history: History;
beforeAll(async () => {
  history = await liveHistory();
});
afterAll(() => history.close());

type Row = Record<string, unknown>;

/** Rows of a question; names of searches may be put in place of others. */
async function ask(n: number, instead: Record<string, string> = {}): Promise<Row[]> {
  const question = questions.find((one) => one.n === n);
  if (question === undefined) throw new Error(`no question ${n}`);
  const sql = Object.entries(instead).reduce(
    (text, [from, to]) => text.replaceAll(`'${from}'`, `'${to}'`),
    question.sql,
  );
  const { columns, rows } = await readerQuery({ url: history.world.database.readerUrl, sql });
  return rows.map((row) => Object.fromEntries(columns.map(({ name }, i) => [name, row[i]])));
}
const day = (n: number) => history.dayAt(n).toISOString();
const on = (rows: readonly Row[], n: number, column = 'day') => rows.filter((row) => row[column] === day(n));

test('there are twenty, numbered, each short and with a sentence on how to read it', () => {
  expect(questions.map(({ n }) => n)).toEqual(Array.from({ length: 20 }, (_, i) => i + 1));
  for (const { title, explanation: reading, sql } of questions) {
    expect(title).toMatch(/\?$/);
    expect(reading).toMatch(/[.]$/);
    expect(sql.split('\n').length, title).toBeLessThanOrEqual(12);
  }
});

const COLUMNS: readonly (readonly [number, string])[] = [
  [1, 'at kind what url author_username'],
  [2, 'reached_at url engagement typical_engagement engagement_ratio compared_with'],
  [3, 'url nth search source first_seen_at baseline lead_hours'],
  [4, 'first_seen_at text url source link_found_at'],
  [5, 'day posts coverage lower_bound whole_day mean_day days_compared'],
  [6, 'day coverage runs why states'],
  [7, 'bucket_at topic posts coverage lower_bound normalised_posts share topics'],
  [8, 'kind name posts'],
  [9, 'as_of url age_hours gained_engagement per_hour typical_per_hour ratio compared_with'],
  [
    10,
    'window_start window_end search sentence n lower_bound coverage usual ratio mean sd score threshold windows provisional',
  ],
  [11, 'search runs calls usd runs_with_cost new_items usd_per_new_item'],
  [12, 'ended_at search slot_at code reason calls http_status latency_ms'],
  [13, 'search slots not_started median_seconds p95_seconds'],
  [14, 'url title searches several first_seen_at'],
  [15, 'not_seen_since url created_at like_count seen_elsewhere'],
  [16, 'lang posts share'],
  [17, 'by_whom of_whom reposts last_found_at'],
  [18, 'position text url new'],
  [19, 'version request_version created_at prompt runs failed seen_per_run new_per_run'],
  [20, 'day posts median_minutes p95_minutes'],
];
test.each(COLUMNS)('question %i returns %s', async (n, columns) => {
  const rows = await ask(n);
  expect(rows.length).toBeGreaterThan(0);
  expect(Object.keys(rows[0] ?? {}).join(' ')).toBe(columns);
});

describe('unobserved time is a gap, not zero', () => {
  test('posts per day: a pause is a gap; a failed day or downtime counts as far as later responses reach back', async () => {
    const rows = await ask(5);
    expect(on(rows, PAUSED_DAY)).toMatchObject([{ coverage: 0, whole_day: null }]);
    // The response after each of them has the posts of its second half: of whole days, half was observed.
    expect(on(rows, FAILED_DAY)).toMatchObject([{ coverage: 0.5, posts: 8, whole_day: 16 }]);
    expect(on(rows, STOPPED_DAY)).toMatchObject([{ coverage: 0.5, posts: 8, whole_day: 16 }]);
    expect(on(rows, CUT_DAY)).toMatchObject([{ coverage: 1, lower_bound: false, posts: 16, whole_day: 16 }]);
    // One of the nine days before is a gap: the mean is of the other eight, none of which had fewer than 16.
    const [cut] = on(rows, CUT_DAY);
    expect(cut?.['days_compared']).toBe(8);
    expect(cut?.['mean_day']).toBeGreaterThanOrEqual(16);
  });

  test('posts per day: a truncated response gives a lower bound', async () => {
    const [cut] = on(await ask(5, { 'trains-posts': 'buses-posts' }), CUT_DAY);
    expect(cut).toMatchObject({ lower_bound: true, posts: 76 });
    expect(cut?.['coverage']).toBeLessThan(1);
  });

  test('days with their reasons', async () => {
    const rows = await ask(6);
    expect(on(rows, PAUSED_DAY)).toMatchObject([{ coverage: 0, states: 'paused' }]);
    expect(on(rows, FAILED_DAY)).toMatchObject([{ runs: 8, why: 'upstream_5xx', states: null }]);
    expect(on(rows, STOPPED_DAY)).toMatchObject([{ runs: 8, why: 'missed', states: null }]);
    expect(on(rows, CUT_DAY)).toEqual([]);
  });

  test('shares: an unobserved topic has none and does not reduce others', async () => {
    const of = (some: readonly Row[]) =>
      new Map(some.map(({ topic, share, topics }) => [topic, [share, topics]]));
    const rows = await ask(7);
    expect(of(on(rows, FAILED_DAY, 'bucket_at'))).toEqual(
      new Map([
        ['buses', [0.5, 2]],
        ['trains', [0.5, 2]],
      ]),
    );
    expect(of(on(rows, PAUSED_DAY, 'bucket_at'))).toEqual(
      new Map([
        ['buses', [1, 1]],
        ['trains', [null, 1]],
      ]),
    );
    expect(on(rows, CUT_DAY, 'bucket_at').find(({ topic }) => topic === 'buses')?.['lower_bound']).toBe(true);
  });
});

describe('results match what happened', () => {
  test('the link behind a new statement, and who had it first', async () => {
    const bridge = 'https://news.example/bridge';
    expect(await ask(4)).toMatchObject([{ text: 'The bridge is closed.', url: bridge, source: 'web' }]);
    const finders = (await ask(3)).filter(({ url }) => url === bridge);
    expect(finders).toMatchObject([
      { nth: 1, search: 'trains-ai', source: 'web', lead_hours: 12 },
      { nth: 2, search: 'trains-boards', source: 'news_forum', lead_hours: null },
    ]);
    expect((await ask(14))[0]).toMatchObject({ url: bridge, several: true, searches: 2 });
    expect(await ask(18)).toMatchObject([
      { text: 'Tickets will be dearer.', url: 'https://rumour.example/tickets' },
    ]);
  });

  test('failures, money and delays', async () => {
    const failed = await ask(12);
    expect(failed).toHaveLength(8);
    for (const { code, http_status } of failed) expect([code, http_status]).toEqual(['upstream_5xx', 500]);
    for (const { calls, usd, runs_with_cost } of await ask(11)) {
      expect(runs_with_cost).toBe(calls);
      expect(usd).toBeCloseTo(Number(calls) * COST_USD, 9);
    }
    const trains = (await ask(13)).find(({ search }) => search === 'trains-posts');
    expect(trains).toMatchObject({ not_started: 8, median_seconds: LATE_SECONDS, p95_seconds: LATE_SECONDS });
  });

  test('items published at once are found by the next run', async () => {
    const [burst] = on(await ask(20), SPIKE_DAY);
    expect(burst).toMatchObject({ posts: 76 });
    expect(burst?.['median_minutes']).toBeLessThan(180);
    expect(burst?.['median_minutes']).toBeGreaterThan(120);
  });

  test('a changed request creates a new version', async () => {
    expect(await ask(19)).toMatchObject([
      { version: 1, request_version: 1, prompt: 'night trains', failed: 0 },
      {
        version: 2,
        request_version: 2,
        prompt: 'night trains again',
        failed: 8,
        created_at: day(EDITED_DAY),
      },
    ]);
  });

  test('a spike with the data behind it', async () => {
    const spikes = await ask(10);
    const posts = spikes.find(({ sentence }) =>
      /^62 posts on \d+ [A-Z][a-z]{2} \d{4} between 08:45 and 11:45 UTC/.test(String(sentence)),
    );
    expect(posts).toMatchObject({ n: 62, coverage: 1, lower_bound: false, threshold: 3.5 });
    expect(posts?.['window_start']).toBe(
      new Date(history.dayAt(SPIKE_DAY).getTime() + 8.75 * 3_600_000).toISOString(),
    );
    expect(posts?.['score']).toBeGreaterThan(4);
  });

  test('repeated sources, compared at equal age', async () => {
    for (const { of_whom } of await ask(17)) expect(of_whom).toBe('the-railway');
    const grown = await ask(2);
    const ratios = grown.map((row) => Number(row['engagement_ratio']));
    expect(ratios).toEqual(ratios.toSorted((a, b) => b - a));
    for (const { engagement, typical_engagement, engagement_ratio } of grown)
      expect(engagement_ratio).toBeCloseTo(Number(engagement) / Number(typical_engagement), 9);
  });
});

test('a column that the contract calls non-null is never null in this history', async () => {
  const { views } = await readContract(history.world.database.url);
  const broken: string[] = [];
  for (const { name, columns } of views) {
    const never = columns.filter(({ nullable }) => !nullable);
    const counts = never.map((column) => `count(*) FILTER (WHERE "${column.name}" IS NULL)`);
    const { rows } = await readerQuery({
      url: history.world.database.readerUrl,
      sql: `SELECT ${counts.join(', ')} FROM ${name}`,
    });
    broken.push(...never.flatMap((column, i) => (rows[0]?.[i] === 0 ? [] : [`${name}.${column.name}`])));
  }
  expect(broken).toEqual([]);
});

const DOCS = new URL('../../../docs/', import.meta.url);
const guides = ['tutorial.md', ...(await readdir(new URL('how-to/', DOCS))).map((name) => `how-to/${name}`)];
const statements = (
  await Promise.all(
    guides.map(async (name) => {
      const text = await readFile(new URL(name, DOCS), 'utf8');
      return [...text.matchAll(/^```sql\n([\s\S]*?)^```$/gm)].map(([, sql = ''], i) => ({
        name,
        n: i + 1,
        sql,
      }));
    }),
  )
).flat();

/** What can be empty in this history: it is a week too short for hashtags to rise, and all its citations were returned. */
const MAY_BE_EMPTY = ['rising_hashtags', 'not_returned'];

test.each(statements)('statement $n of docs/$name runs', async ({ sql }) => {
  const asked = sql
    .replaceAll('demo-night-trains', 'trains')
    .replaceAll('demo-comet-tove', 'buses')
    .replaceAll("'sandbox'", "'hosted'");
  const { rows } = await readerQuery({ url: history.world.database.readerUrl, sql: asked });
  if (!MAY_BE_EMPTY.some((word) => sql.includes(word))) expect(rows.length).toBeGreaterThan(0);
});

/** These say where something is sent, or who asks. */
const WITHOUT_SQL = [
  'how-to/assistants.md',
  'how-to/chat.md',
  'how-to/feed-reader.md',
  'how-to/files.md',
  'how-to/mail.md',
  'how-to/self-hosting.md',
  'how-to/sources.md',
];

test('the tutorial and each guide contain SQL, except those about sending, sources and servers', () => {
  const without = guides.filter((name) => !statements.some((statement) => statement.name === name));
  expect(without).toEqual(WITHOUT_SQL);
});
