import type { Count } from '../../../store/counts.ts';

/** A histogram that is kept as counts: those of its buckets (their last label is the bound), and their sums. */
export type KeptHistogram = {
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
export function histogramText({ name, help, labels, bounds, buckets, sums }: KeptHistogram): string {
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
