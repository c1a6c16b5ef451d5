/** How many single-letter edits still count as a slip of the fingers. */
const FARTHEST = 3;

/**
 * The one of `names` that was probably meant: the same letters, the same last part (`Berlin`), or at
 * most three edits away. Undefined where none is near.
 */
export function nearest(given: string, names: readonly string[]): string | undefined {
  const wanted = plain(given).slice(0, 60);
  if (wanted.length < 3) return undefined;
  let best: string | undefined;
  let least = FARTHEST + 1;
  for (const name of names) {
    const whole = plain(name);
    const far = wanted === plain(name.split('/').at(-1) ?? '') ? 0 : edits(wanted, whole);
    if (far < least && far < whole.length / 3) [best, least] = [name, far];
  }
  return best;
}

function plain(name: string): string {
  return name.toLowerCase().replace(/[^a-z/]+/g, '');
}

/** Levenshtein distance, row by row. */
function edits(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > FARTHEST) return FARTHEST + 1;
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const swap = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(swap, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
