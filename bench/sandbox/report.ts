/** The figures of a run of the benchmark, as tables and as data. */
import { DAY } from '../../src/lib/time.ts';
import type { LinkHarvest, PostHarvest, Span } from './harvest.ts';
import type { PlannedSearch } from './plan.ts';
import { type Score, scoreAlerts, type Watched } from './score.ts';

export type Measured = {
  span: Span;
  searches: readonly ({
    search: PlannedSearch;
    posts: PostHarvest;
    /** Spikes in what counters gained: the truth names none, and knows bursts of posts alone. */
    growthAlerts: readonly number[];
  } & Omit<Watched, 'spanMs'>)[];
  links: readonly ({ topic: string } & LinkHarvest)[];
  seconds: number;
  /** Processor time of this process, in ms; that of Postgres comes on top. */
  cpuMsPerRun: number;
  runs: number;
  failed: number;
  ends: Readonly<Record<string, number>>;
  duplicates: number;
};

const CLASSES = ['3-30', '30-300', '300+', 'all'] as const;

export function reportOf(measured: Measured): { text: string; result: object } {
  const { span, searches, links, seconds, runs } = measured;
  const spanMs = span.to - span.from;
  const classes = CLASSES.map((name) => {
    const of = searches.filter(({ search }) => name === 'all' || search.rateClass === name);
    const posts = of.reduce(
      (sum, { posts: one }) => ({
        there: sum.there + one.there,
        missed: sum.missed + one.missed,
        late: sum.late + one.late,
      }),
      { there: 0, missed: 0, late: 0 },
    );
    return {
      name,
      posts,
      spikes: scoreAlerts(of.map((one) => ({ ...one, spanMs }))),
      growth: scoreAlerts(of.map((one) => ({ ...one, alerts: one.growthAlerts, spanMs }))),
    };
  });
  const text = [
    `seed ${span.seed}, ${spanMs / DAY} days, ${searches.length} microblog and ${links.length} AI searches`,
    `${runs} runs in ${seconds.toFixed(0)} s: ${(runs / seconds).toFixed(0)} a second, ${measured.cpuMsPerRun.toFixed(1)} ms of processor time each; ${endsOf(measured.ends)}; ` +
      `duplicates ${measured.duplicates}`,
    '',
    'posts a day   there  missed    late',
    ...classes.map(({ name, posts }) =>
      [
        name.padEnd(10),
        cell(posts.there, 9),
        share(posts.missed, posts.there),
        share(posts.late, posts.there),
      ].join(''),
    ),
    '',
    'posts a day  searches  bursts  found  alerts  repeats  false  precision  recall     F1  delay min  false/month',
    ...classes.map(({ name, spikes }) => `${name.padEnd(13)}${spikeCells(spikes)}`),
    '',
    'posts a day  growth alerts  in bursts  elsewhere a month',
    ...classes.map(({ name, growth }) =>
      [
        name.padEnd(13),
        cell(growth.alerts, 13),
        cell(growth.alerts - growth.falseAlarms, 11),
        cell(growth.falseAlarmsPerMonth, 19, 2),
      ].join(''),
    ),
    '',
    'AI search                  links  found  median hours to first sight',
    ...links.map(
      ({ topic, there, found, medianDelayHours }) =>
        `${topic.padEnd(24)}${cell(there, 8)}${cell(found, 7)}${cell(medianDelayHours, 10, 1)}`,
    ),
  ].join('\n');
  const result = {
    ...measured,
    classes,
    searches: searches.map(({ search, posts, alerts, growthAlerts, bursts, neutral }) => ({
      slug: search.slug,
      posts_per_day: search.topic.postsPerDay,
      every_minutes: search.everyMinutes,
      posts,
      alerts: alerts.map(iso),
      growth_alerts: growthAlerts.map(iso),
      bursts: bursts.map((one) => ({
        ...one,
        onset: iso(one.onset),
        peak: iso(one.peak),
        end: iso(one.end),
      })),
      spikes: scoreAlerts([{ spanMs, alerts, bursts, neutral }]),
    })),
  };
  return { text, result };
}

function spikeCells(score: Score): string {
  return [
    cell(score.searches, 8),
    cell(score.bursts, 8),
    cell(score.found, 7),
    cell(score.alerts, 8),
    cell(score.repeats, 9),
    cell(score.falseAlarms, 7),
    cell(score.precision, 11, 2),
    cell(score.recall, 8, 2),
    cell(score.f1, 7, 2),
    cell(score.medianDelayMinutes, 11),
    cell(score.falseAlarmsPerMonth, 13, 2),
  ].join('');
}

function endsOf(ends: Readonly<Record<string, number>>): string {
  return Object.entries(ends)
    .map(([end, n]) => `${n} ${end}`)
    .join(', ');
}

function share(part: number, of: number): string {
  return `${((100 * part) / Math.max(1, of)).toFixed(1)}%`.padStart(8);
}

function cell(value: number, width: number, digits = 0): string {
  return (Number.isFinite(value) ? value.toFixed(digits) : '-').padStart(width);
}

function iso(at: number): string {
  return new Date(at).toISOString();
}
