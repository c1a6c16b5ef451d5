/**
 * The detector of spikes, without a database, on responses as a search gets them: docs/internals/trends.md says what is measured.
 *
 *   npm run -s bench:trends -- [--data DIR --out OUT --scorer FILE] [--seeds a,b] [--days 28] [--only own,sandbox,public]
 *
 * DIR has CSV files `timestamp,value` (posts in the five minutes from then on, UTC). OUT gets a folder for each interval and limit, with
 * a file of the same name for each, `timestamp,value,anomaly_score`: 1 in the first row after a run that reported a spike. FILE is a
 * module with `loadDir` and `evaluate`, which scores such a folder.
 *
 * Parameters of the rules were chosen on topics of the seeds dev-1 to dev-10, and on our own series. Topics of every other seed, and all
 * public series, are for checking.
 */
import { mkdir, readdir } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { DAY, HOUR, MINUTE } from '../src/lib/time.ts';
import { MONTH, scoreAlerts, type Watched } from './sandbox/score.ts';
import { readSeries, type Row, writeScores } from './trends/csv.ts';
import { alertsAbove, type Evidence, findThreshold, weigh } from './trends/oracle.ts';
import { type Outcome, poll } from './trends/polling.ts';
import { drawStream, OWN_SERIES, simulateTopics, type Stream } from './trends/worlds.ts';

const { values } = parseArgs({
  options: {
    data: { type: 'string' },
    out: { type: 'string' },
    scorer: { type: 'string' },
    seeds: { type: 'string', default: 'check-1,check-2' },
    days: { type: 'string', default: '28' },
    only: { type: 'string', default: 'own,sandbox,public' },
    settings: { type: 'string' },
  },
});
const seeds = values.seeds.split(',');
const days = Number(values.days);
if (!(days >= 15)) throw new Error(`--days: at least 15, not ${values.days}`);

/** Everything: more than any response has. */
const UNLIMITED = 1e9;
type Setting = { name: string; everyMs: number | null; limit: number; popular?: number };
const SETTINGS: readonly Setting[] = [
  { name: 'auto, 24 + 16', everyMs: null, limit: 40, popular: 16 },
  { name: 'auto, 100', everyMs: null, limit: 100 },
  { name: 'hourly, 200', everyMs: HOUR, limit: 200 },
  { name: 'hourly, 100', everyMs: HOUR, limit: 100 },
  { name: 'hourly, 40', everyMs: HOUR, limit: 40 },
  { name: 'hourly, 24 + 16', everyMs: HOUR, limit: 40, popular: 16 },
  { name: '15 min, 100', everyMs: 15 * MINUTE, limit: 100 },
  { name: '15 min, 40', everyMs: 15 * MINUTE, limit: 40 },
  { name: '5 min, 40', everyMs: 5 * MINUTE, limit: 40 },
  { name: 'daily, 200', everyMs: DAY, limit: 200 },
];
const chosen = SETTINGS.filter(
  ({ name }) => values.settings === undefined || values.settings.split(';').includes(name),
);

const print = (line = '') => process.stdout.write(`${line}\n`);

function benchOwn(): void {
  print(`our own series, hourly, 200 newest, seeds ${seeds.join(' and ')}: reports in all seeds`);
  print('series         posts a day  spikes  false a month  found   days of the first seed');
  for (const name of Object.keys(OWN_SERIES)) {
    for (const perDay of [30, 200, 2_000]) {
      const streams = seeds.map((seed) => drawStream(name, seed, perDay));
      const outcomes = streams.map((stream) => poll({ ...stream, everyMs: HOUR, limit: 200 }));
      const score = scoreAlerts(streams.map((stream, i) => watchedOf(stream, alertsOf(outcomes[i]))));
      const first =
        outcomes[0]?.spikes.map(({ at }) => ((at - (streams[0]?.from ?? 0)) / DAY).toFixed(1)) ?? [];
      print(
        `${name.padEnd(15)}${cell(perDay, 11)}${cell(score.alerts, 8)}${cell(score.falseAlarmsPerMonth, 15, 1)}` +
          `${`${score.found}/${score.bursts}`.padStart(7)}   ${first.join(' ')}`,
      );
    }
  }
}

const CLASSES = [
  { name: '30-100', least: 30, below: 100 },
  { name: '100-300', least: 100, below: 300 },
  { name: '300-1000', least: 300, below: 1_000 },
  { name: '1000+', least: 1_000, below: Number.POSITIVE_INFINITY },
] as const;

function benchSandbox(): void {
  const streams = seeds.flatMap((seed) => simulateTopics(seed, days, 30));
  for (const setting of chosen) {
    print();
    print(`sandbox, ${days} days, seeds ${seeds.join(', ')}: ${setting.name}`);
    print(
      'posts a day  bursts  caught  found  false/month  delay  oracle found  false/month  delay  of the oracle',
    );
    for (const { name, least, below } of CLASSES) {
      const group = streams.filter(({ postsPerDay }) => postsPerDay >= least && postsPerDay < below);
      const outcomes = group.map((stream) => poll({ ...stream, ...setting }));
      const score = scoreAlerts(group.map((stream, i) => watchedOf(stream, alertsOf(outcomes[i]))));
      const evidence = group.map((stream, i) => {
        const { series, slots } = outcomes[i] ?? raise('no outcome');
        return weigh(series, slots, stream);
      });
      const months = group.reduce((sum, { from, until }) => sum + (until - from) / MONTH, 0);
      const oracle = scoreOracle(group, evidence, Math.max(score.falseAlarms, MIN_FALSE_ALARMS * months));
      const caught = outcomes.reduce((sum, one) => sum + one.caught, 0) / outcomes.length;
      print(
        `${name.padEnd(11)}${cell(score.bursts, 8)}${cell(100 * caught, 7)}%${cell(score.found, 7)}${cell(score.falseAlarmsPerMonth, 13, 2)}` +
          `${cell(score.medianDelayMinutes, 7)}${cell(oracle.found, 14)}${cell(oracle.falseAlarmsPerMonth, 13, 2)}` +
          `${cell(oracle.medianDelayMinutes, 7)}${cell((100 * score.found) / oracle.found, 14)}%`,
      );
    }
  }
}

/** A search and month: with fewer, the threshold of the oracle would depend on a single event. */
const MIN_FALSE_ALARMS = 0.2;

/** The oracle at the threshold at which it has at most as many false alarms. */
function scoreOracle(streams: readonly Stream[], evidence: readonly Evidence[][], falseAlarms: number) {
  const at = (threshold: number) =>
    scoreAlerts(streams.map((stream, i) => watchedOf(stream, alertsAbove(evidence[i] ?? [], threshold))));
  return at(findThreshold((threshold) => at(threshold).falseAlarms, falseAlarms));
}

/** Neither bursts nor alerts of the first days count: nothing can know yet what is usual. */
const LEARNING_MS = 3 * DAY;

function watchedOf(stream: Stream, alerts: readonly number[]): Watched {
  const since = stream.from + LEARNING_MS;
  return {
    spanMs: stream.until - since,
    neutral: stream.neutral,
    alerts: alerts.filter((at) => at > since),
    bursts: stream.bursts.filter(({ onset }) => onset > since),
  };
}

const alertsOf = (outcome: Outcome | undefined): number[] => (outcome?.spikes ?? []).map(({ at }) => at);

type Scorer = {
  loadDir: (dir: string) => unknown;
  evaluate: (
    series: unknown,
    threshold: number,
  ) => Record<string, { normalized: number; hit: number; windows: number; fpEpPerSeriesMonth: number }>;
};

async function benchPublic(data: string, out: string | undefined): Promise<void> {
  if (out === undefined) throw new Error('--out OUT is missing: that is where the scores go');
  const files = (await readdir(data)).filter((name) => name.endsWith('.csv')).sort();
  if (files.length === 0) throw new Error(`no CSV files in ${data}`);
  // A module of the caller's, with these two functions.
  const scorer =
    values.scorer === undefined ? null : ((await import(pathToFileURL(values.scorer).href)) as Scorer);
  const all = await Promise.all(
    files.map(async (name) => ({ name, rows: await readSeries(path.join(data, name)) })),
  );
  print();
  print(
    'public series                 standard  low FP  low FN   windows  false/month   oracle (knows the weekly profile of the whole series)',
  );
  for (const setting of [{ name: '15 min, all', everyMs: 15 * MINUTE, limit: UNLIMITED }, ...chosen]) {
    if (setting.popular !== undefined) continue;
    const folders = [
      path.join(out, 'detector', setting.name),
      path.join(out, 'oracle', setting.name),
    ] as const;
    for (const folder of folders) await mkdir(folder, { recursive: true });
    const evidence: Evidence[][] = [];
    let reports = 0;
    for (const { name, rows } of all) {
      const outcome = poll({ ...streamOf(rows), ...setting });
      await writeScores(
        path.join(folders[0], name),
        rows,
        outcome.spikes.map(({ at }) => at),
      );
      reports += outcome.spikes.length;
      evidence.push(
        weigh(outcome.series, outcome.slots, { expected: weeklyProfile(rows), dispersion: 0, clumping: 1 }),
      );
    }
    // Without planted truth, "as many false alarms" means as many reports.
    const threshold = findThreshold(
      (limit) => evidence.reduce((sum, one) => sum + alertsAbove(one, limit).length, 0),
      reports,
    );
    for (const [i, { name, rows }] of all.entries())
      await writeScores(path.join(folders[1], name), rows, alertsAbove(evidence[i] ?? [], threshold));
    if (scorer === null) print(`${setting.name}: ${reports} spikes`);
    else
      print(
        `${setting.name.padEnd(28)}${folders.map((folder) => describeScore(scorer, folder)).join('   ')}`,
      );
  }
}

function describeScore({ loadDir, evaluate }: Scorer, folder: string): string {
  const scores = Object.values(evaluate(loadDir(folder), 0.5));
  const [standard] = scores;
  return (
    scores.map(({ normalized }) => cell(normalized, 8, 1)).join('') +
    `${`${standard?.hit}/${standard?.windows}`.padStart(10)}${cell(standard?.fpEpPerSeriesMonth ?? Number.NaN, 8, 1)}`
  );
}

const ROW_MS = 5 * MINUTE;

/** Each row's posts, evenly over its five minutes. */
function streamOf(rows: readonly Row[]): { times: Float64Array; from: number; until: number } {
  const times = new Float64Array(rows.reduce((sum, { posts }) => sum + posts, 0));
  let n = 0;
  for (const { at, posts } of rows)
    for (let k = 0; k < posts; k += 1) times[n++] = at + ((k + 0.5) * ROW_MS) / posts;
  return { times: times.sort(), from: rows[0]?.at ?? 0, until: (rows.at(-1)?.at ?? 0) + ROW_MS };
}

/** The median of each quarter of the week, over the whole series: nobody knows that while it happens. */
function weeklyProfile(rows: readonly Row[]): (at: number) => number {
  const quarter = 15 * MINUTE;
  const perWeek = 7 * 96;
  const sums = new Map<number, number>();
  for (const { at, posts } of rows) {
    const q = Math.floor(at / quarter);
    sums.set(q, (sums.get(q) ?? 0) + posts);
  }
  const weeks: number[][] = Array.from({ length: perWeek }, () => []);
  for (const [q, posts] of sums)
    for (let shift = -2; shift <= 2; shift += 1) weeks[(q + shift + perWeek) % perWeek]?.push(posts);
  const profile = weeks.map((all) => all.sort((a, b) => a - b)[all.length >> 1] ?? Number.NaN);
  return (at) => Math.max(0.1, profile[Math.floor(at / quarter) % perWeek] ?? Number.NaN);
}

function cell(value: number, width: number, digits = 0): string {
  return (Number.isFinite(value) ? value.toFixed(digits) : '-').padStart(width);
}

function raise(message: string): never {
  throw new Error(message);
}

const parts = values.only.split(',');
if (parts.includes('own')) benchOwn();
if (parts.includes('sandbox')) benchSandbox();
if (parts.includes('public') && values.data !== undefined) await benchPublic(values.data, values.out);
