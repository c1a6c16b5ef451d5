/** Prometheus metrics of the database and the queue: the same from every process. */

import { type Check, tallyChecks } from '../monitor/status/check.ts';
import type { StatusFacts } from '../monitor/status/status-facts.ts';
import { TOOLS } from '../model/enumerations.ts';
import { CANCEL_REASONS, REJECT_CODES, RUN_CODE_NAMES, SKIP_REASONS } from '../model/errors.ts';
import { type Count, type CountName, COUNTS, LATENESS_BOUNDS, SAVE_BOUNDS } from '../store/derive/counts.ts';
import type { FollowerLag } from '../store/derive/pending-derivations.ts';
import type { Figures } from '../store/queries/system.ts';
import { Counter, Gauge, Registry } from 'prom-client';

type GlobalFigures = {
  counts: readonly Count[];
  figures: Figures;
  facts: StatusFacts;
  checks: readonly Check[];
  /** Readings that wait to be derived. */
  lag: FollowerLag;
};

/** Counters backed by stored counts, with the same unit and labels. */
const COUNTERS: readonly [count: CountName, name: string, help: string][] = [
  ['runs', 'strandline_runs_total', 'Runs that ended, including skipped slots.'],
  ['calls', 'strandline_calls_total', 'Calls to search services that ended.'],
  [
    'call_cost_usd',
    'strandline_call_cost_usd_total',
    'Cost of calls in US dollars, as reported by services.',
  ],
  ['items_seen', 'strandline_items_seen_total', 'Posts and links in responses, including known ones.'],
  ['discoveries', 'strandline_discoveries_total', 'Items that a search found for the first time.'],
  [
    'run_tools',
    'strandline_run_tools_total',
    'Tools that runs asked, by whether they responded: responded, silent, or unknown.',
  ],
  ['rejects', 'strandline_rejects_total', 'Items of responses that could not be parsed.'],
  ['deliveries', 'strandline_deliveries_total', 'Messages to channels that were delivered, or given up.'],
  ['repairs', 'strandline_repairs_total', 'Repairs by scans and maintenance.'],
];

/** Codes allowed in labels: why runs fail, are skipped or cancelled, and why items are rejected. Anything else is `other`. */
const CODE_LABELS: ReadonlySet<string> = new Set([
  '',
  ...RUN_CODE_NAMES,
  ...SKIP_REASONS,
  ...CANCEL_REASONS,
  ...REJECT_CODES,
]);

/** Labels with a closed list of values. */
const LABEL_VALUES: Readonly<Record<string, ReadonlySet<string>>> = {
  code: CODE_LABELS,
  tool: new Set(TOOLS),
};

/** Renders the metrics in the Prometheus text format. */
export async function renderGlobalMetrics({
  counts,
  figures,
  facts: { silent, search_statuses: statuses, unread_responses: unread, queue, model_calls: purposes },
  checks,
  lag,
}: GlobalFigures): Promise<string> {
  const registry = new Registry();
  const registers = [registry];
  for (const [count, name, help] of COUNTERS) {
    const labelNames: readonly string[] = COUNTS[count];
    const counter = new Counter({ name, help, labelNames, registers });
    for (const { labels, n } of findCounts(counts, count)) counter.inc(buildLabels(labelNames, labels), n);
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
  gauge('strandline_searches', 'Saved searches, without removed ones.', figures.searches, 'state');
  const { removed: _, ...kept } = statuses;
  gauge('strandline_searches_by_status', 'Saved searches by how they are doing.', kept, 'status');
  gauge('strandline_searches_overdue', 'Searches whose next slot is in the past.', figures.overdue);
  gauge(
    'strandline_overdue_seconds',
    'Seconds by which the most overdue search is late.',
    figures.overdue_seconds,
  );
  gauge(
    'strandline_searches_silent',
    'Active searches without a successful run for three intervals.',
    silent.total,
  );
  gauge(
    'strandline_scan_age_seconds',
    'Seconds since the last scan for due searches.',
    figures.scan_age_seconds,
  );
  gauge(
    'strandline_unread_responses',
    'Paid responses that are not yet parsed, in the database or on the disk of a worker.',
    unread.stored + unread.spooled,
  );
  gauge(
    'strandline_unread_response_age_seconds',
    'Age of the oldest unread response in the database; 0 if there is none.',
    unread.oldest_seconds ?? 0,
  );
  gauge(
    'strandline_underived_readings',
    'Readings from which volume, growth and spikes are not yet derived.',
    lag.readings,
  );
  gauge(
    'strandline_underived_reading_age_seconds',
    'Age of the oldest underived reading; 0 if there is none.',
    lag.oldestSeconds ?? 0,
  );
  gauge(
    'strandline_readings_set_aside',
    'Underived readings that keep failing. They are retried, and the trends of their searches wait.',
    lag.setAside,
  );
  gauge('strandline_runs_open', 'Runs that are queued or running.', figures.open_runs, 'status');
  gauge('strandline_deliveries_open', 'Messages that are waiting or dead.', figures.open_deliveries, 'state');
  gauge('strandline_workers', 'Workers with a heartbeat in the last 90 seconds.', figures.workers);
  gauge(
    'strandline_clock_skew_seconds',
    'Largest clock difference between a worker and the database.',
    figures.skew_seconds,
  );
  gauge(
    'strandline_checks',
    'Checks of the installation, as strandline status lists them, by their state.',
    tallyChecks(checks),
    'state',
  );
  const ofPurposes = (member: 'calls' | 'failed' | 'most') =>
    Object.fromEntries(purposes.map((use) => [use.purpose, use[member] ?? Number.NaN]));
  gauge(
    'strandline_model_calls_today',
    'Calls to the language model in this UTC day.',
    ofPurposes('calls'),
    'purpose',
  );
  gauge(
    'strandline_model_failures_today',
    'Calls to the language model in this UTC day without a response that could be used.',
    ofPurposes('failed'),
    'purpose',
  );
  gauge(
    'strandline_model_calls_limit',
    'Limit of calls to the language model per UTC day.',
    ofPurposes('most'),
    'purpose',
  );
  gauge('strandline_queue_up', '1 if the queue is reachable, otherwise 0.', queue.reachable ? 1 : 0);
  gauge('strandline_queue_jobs', 'Jobs in the queue.', queue.depth ?? {}, 'state');
  return [
    await registry.metrics(),
    renderHistogram(counts, 'run_lateness', LATENESS_BOUNDS, {
      name: 'strandline_run_lateness_seconds',
      help: 'Seconds from a slot to the start of its run.',
    }),
    renderHistogram(counts, 'save', SAVE_BOUNDS, {
      name: 'strandline_save_duration_seconds',
      help: 'Seconds from the start of the transaction that saves a run until all rows but those of the feed are written.',
    }),
  ].join('\n');
}

function findCounts(counts: readonly Count[], name: CountName): Count[] {
  return counts.filter((count) => count.name === name);
}

function buildLabels(names: readonly string[], values: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.map((name, i) => {
      const value = values[i] ?? '';
      return [name, LABEL_VALUES[name]?.has(value) === false ? 'other' : value];
    }),
  );
}

/**
 * Renders a histogram with cumulative buckets. prom-client can only render observations of its own process. Label
 * values are closed sets, so nothing needs escaping.
 * @param count its buckets, whose last label is the bound; beside it are their sums
 */
function renderHistogram(
  counts: readonly Count[],
  count: 'run_lateness' | 'save',
  bounds: readonly number[],
  { name, help }: { name: string; help: string },
): string {
  const labels: readonly string[] = COUNTS[`${count}_sum`];
  const buckets = findCounts(counts, count);
  const lines = [`# HELP ${name} ${help}`, `# TYPE ${name} histogram`];
  for (const { labels: values, n } of findCounts(counts, `${count}_sum`)) {
    const own = labels.map((label, i) => `${label}="${values[i] ?? ''}"`);
    const ours = buckets.filter((bucket) => values.every((value, i) => bucket.labels[i] === value));
    let below = 0;
    for (const le of [...bounds.map(String), '+Inf']) {
      below += ours.find((bucket) => bucket.labels.at(-1) === le)?.n ?? 0;
      lines.push(`${name}_bucket{${[...own, `le="${le}"`].join(',')}} ${below}`);
    }
    const set = own.length === 0 ? '' : `{${own.join(',')}}`;
    lines.push(`${name}_sum${set} ${n}`, `${name}_count${set} ${below}`);
  }
  return `${lines.join('\n')}\n`;
}
