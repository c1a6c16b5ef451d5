/** Figures of the database and the queue for Prometheus: the same whichever process is asked. */

import { CANCEL_REASONS, REJECT_CODES, RUN_CODE_NAMES, SKIP_REASONS } from '../domain/errors.ts';
import { type Count, type CountName, COUNTS, LATENESS_BOUNDS, SAVE_BOUNDS } from '../store/counts.ts';
import type { FollowerLag } from '../store/derive/pending-derivations.ts';
import type { Figures, UnreadResponses } from '../store/queries/system.ts';
import { Counter, Gauge, Registry } from 'prom-client';

type GlobalFigures = {
  counts: readonly Count[];
  figures: Figures;
  /** Searches without a successful run for three intervals. */
  silent: number;
  unread: UnreadResponses;
  /** What waits to be derived. */
  lag: FollowerLag;
  depth: Readonly<Record<string, number>> | null;
};

/** Counters that are stored counts: unit and labels are those of the count. */
const COUNTERS: readonly [count: CountName, name: string, help: string][] = [
  ['runs', 'strandline_runs_total', 'Runs that ended, and slots that were not run.'],
  ['calls', 'strandline_calls_total', 'Calls of services that ended.'],
  ['call_cost_usd', 'strandline_call_cost_usd_total', 'US dollars, as far as services told them.'],
  ['items_seen', 'strandline_items_seen_total', 'Posts and links in answers, known ones included.'],
  ['discoveries', 'strandline_discoveries_total', 'What searches saw for the first time.'],
  ['rejects', 'strandline_rejects_total', 'Items of answers that could not be read.'],
  ['deliveries', 'strandline_deliveries_total', 'Messages to channels that came to their end.'],
  ['repairs', 'strandline_repairs_total', 'Repairs made by scans and upkeep.'],
];

/** Codes that may stand in a label: why runs fail, are skipped and are cancelled, and why items are not read. Anything else is `other`. */
const CODE_LABELS: ReadonlySet<string> = new Set([
  '',
  ...RUN_CODE_NAMES,
  ...SKIP_REASONS,
  ...CANCEL_REASONS,
  ...REJECT_CODES,
]);

/** In the text format of Prometheus. */
export async function renderGlobalMetrics({
  counts,
  figures,
  silent,
  unread,
  lag,
  depth,
}: GlobalFigures): Promise<string> {
  const registry = new Registry();
  const registers = [registry];
  for (const [count, name, help] of COUNTERS) {
    const labelNames: readonly string[] = COUNTS[count];
    const counter = new Counter({ name, help, labelNames, registers });
    for (const { labels, n } of findCounts(count)) counter.inc(buildLabels(labelNames, labels), n);
  }
  const gauge = (
    name: string,
    help: string,
    values: Readonly<Record<string, number>> | number,
    label?: string,
  ) => {
    const metric = new Gauge({ name, help, labelNames: label === undefined ? [] : [label], registers });
    if (typeof values === 'number') return metric.set(values);
    for (const [value, n] of Object.entries(values)) metric.set({ [label ?? '']: value }, n);
  };
  gauge('strandline_searches', 'Saved searches that are not removed.', figures.searches, 'state');
  gauge('strandline_searches_overdue', 'Searches whose slot is past.', figures.overdue);
  gauge('strandline_overdue_seconds', 'How long the longest of them is overdue.', figures.overdue_seconds);
  gauge(
    'strandline_searches_silent',
    'Active searches without a successful run for three intervals.',
    silent,
  );
  gauge(
    'strandline_scan_age_seconds',
    'Seconds since the last scan for what is due.',
    figures.scan_age_seconds,
  );
  gauge(
    'strandline_unread_responses',
    'Paid responses that are not parsed yet, in the database or on the disk of a worker.',
    unread.stored + unread.spooled,
  );
  gauge(
    'strandline_unread_response_age_seconds',
    'Age of the oldest of those in the database; 0 where none is unread.',
    unread.oldest_seconds ?? 0,
  );
  gauge(
    'strandline_underived_readings',
    'Readings of responses that volume, growth and spikes were not derived from yet.',
    lag.readings,
  );
  gauge(
    'strandline_underived_reading_age_seconds',
    'Age of the oldest of them; 0 where none waits.',
    lag.oldestSeconds ?? 0,
  );
  gauge(
    'strandline_readings_set_aside',
    'Those of them that failed alone: they are tried again, and their searches wait for them.',
    lag.setAside,
  );
  gauge('strandline_runs_open', 'Runs that wait or are under way.', figures.open_runs, 'status');
  gauge('strandline_deliveries_open', 'Messages that wait, and dead ones.', figures.open_deliveries, 'state');
  gauge('strandline_workers', 'Workers that gave a sign within 90 seconds.', figures.workers);
  gauge('strandline_clock_skew_seconds', 'The furthest that a clock of theirs is off.', figures.skew_seconds);
  gauge('strandline_queue_up', '1 where the queue answered, otherwise 0.', depth === null ? 0 : 1);
  gauge('strandline_queue_jobs', 'Jobs in the queue.', depth ?? {}, 'state');
  return [
    await registry.metrics(),
    renderHistogram({
      name: 'strandline_run_lateness_seconds',
      help: 'Seconds from a slot to the start of its run.',
      labels: COUNTS.run_lateness_sum,
      bounds: LATENESS_BOUNDS,
      buckets: findCounts('run_lateness'),
      sums: findCounts('run_lateness_sum'),
    }),
    renderHistogram({
      name: 'strandline_save_duration_seconds',
      help: 'Seconds from the beginning of the transaction that saves a run to its last rows but those of the feed.',
      labels: COUNTS.save_sum,
      bounds: SAVE_BOUNDS,
      buckets: findCounts('save'),
      sums: findCounts('save_sum'),
    }),
  ].join('\n');

  function findCounts(name: CountName): Count[] {
    return counts.filter((count) => count.name === name);
  }
}

function buildLabels(names: readonly string[], values: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.map((name, i) => {
      const value = values[i] ?? '';
      return [name, name === 'code' && !CODE_LABELS.has(value) ? 'other' : value];
    }),
  );
}

/** A histogram that is kept as counts: those of its buckets (their last label is the bound), and their sums. */
type StoredHistogram = {
  name: string;
  help: string;
  /** Names of the labels besides the bound. */
  labels: readonly string[];
  bounds: readonly number[];
  buckets: readonly Count[];
  sums: readonly Count[];
};

/**
 * In the text format of Prometheus, whose buckets hold all that is in lower ones. prom-client only writes what it
 * observed itself. Values of labels are of closed sets: there is nothing in them to escape.
 */
function renderHistogram({ name, help, labels, bounds, buckets, sums }: StoredHistogram): string {
  const lines = [`# HELP ${name} ${help}`, `# TYPE ${name} histogram`];
  for (const { labels: values, n } of sums) {
    const own = labels.map((label, i) => `${label}="${values[i] ?? ''}"`);
    const ours = buckets.filter((one) => values.every((value, i) => one.labels[i] === value));
    let below = 0;
    for (const le of [...bounds.map(String), '+Inf']) {
      below += ours.find((one) => one.labels.at(-1) === le)?.n ?? 0;
      lines.push(`${name}_bucket{${[...own, `le="${le}"`].join(',')}} ${below}`);
    }
    const set = own.length === 0 ? '' : `{${own.join(',')}}`;
    lines.push(`${name}_sum${set} ${n}`, `${name}_count${set} ${below}`);
  }
  return `${lines.join('\n')}\n`;
}
