/** Lengths and sizes as a person reads them, with their units. */

/** `812 B`, `14 kB`, `2.1 MB`, `3.4 GB`. */
export function bytesOf(n: number): string {
  if (n < 1_000) return `${Math.round(n)} B`;
  if (n < 1_000_000) return `${Math.round(n / 1_000)} kB`;
  if (n < 1_000_000_000) return `${(n / 1_000_000).toFixed(1)} MB`;
  return `${(n / 1_000_000_000).toFixed(1)} GB`;
}

const STEPS = [
  [2 * 86_400, 86_400, 'days'],
  [2 * 3_600, 3_600, 'h'],
  [120, 60, 'min'],
] as const;

/** `0.4 s`, `42 s`, `5 min`, `3 h`, `12 days`. */
export function lengthOf(seconds: number): string {
  for (const [least, size, unit] of STEPS)
    if (seconds >= least) return `${Math.round(seconds / size)} ${unit}`;
  return seconds < 10 && !Number.isInteger(seconds) ? `${seconds.toFixed(1)} s` : `${Math.round(seconds)} s`;
}

/** `12 %`, `0.4 %`. */
export function percentOf(share: number): string {
  return `${share > 0 && share < 0.1 ? (share * 100).toFixed(1) : Math.round(share * 100)} %`;
}
