/** "Did you mean ...?": which of the known names a mistyped one was probably meant to be. */

/** How many single-letter edits still count as a slip of the fingers. */
const MAX_EDITS = 3;

/**
 * The one of `names` that was probably meant: the same letters, the same last part (`Berlin`), or at
 * most three edits away. Undefined where none is near.
 */
export function findNearestName(typed: string, names: readonly string[]): string | undefined {
  const wanted = normalizeName(typed).slice(0, 60);
  if (wanted.length < 3) return undefined;
  let best: string | undefined;
  let bestDistance = MAX_EDITS + 1;
  for (const name of names) {
    const whole = normalizeName(name);
    const distance = wanted === normalizeName(name.split('/').at(-1) ?? '') ? 0 : countEdits(wanted, whole);
    if (distance < bestDistance && distance < whole.length / 3) [best, bestDistance] = [name, distance];
  }
  return best;
}

function normalizeName(name: string): string {
  return name.toLowerCase().replace(/[^a-z/]+/g, '');
}

/** Levenshtein distance, row by row. */
function countEdits(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > MAX_EDITS) return MAX_EDITS + 1;
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
