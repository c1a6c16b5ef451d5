/** "Did you mean ...?": finds the known name that a typo was probably meant to be. */
import leven from 'leven';

/** Maximum number of single-character edits for a typo. */
const MAX_EDITS = 3;

/**
 * The most likely of `names`: the same letters, the same last part (`Berlin`), or at most three edits away. Undefined
 * if none is close.
 */
export function findNearestName(typed: string, names: readonly string[]): string | undefined {
  const wanted = normalizeName(typed).slice(0, 60);
  if (wanted.length < 3) return undefined;
  let best: string | undefined;
  const maxDistance = MAX_EDITS + 1; // any larger distance
  let bestDistance = maxDistance;
  for (const name of names) {
    const whole = normalizeName(name);
    const isLastPart = wanted === normalizeName(name.split('/').at(-1) ?? '');
    const distance = isLastPart ? 0 : leven(wanted, whole, { maxDistance });
    if (distance < bestDistance && distance < whole.length / 3) [best, bestDistance] = [name, distance];
  }
  return best;
}

function normalizeName(name: string): string {
  return name.toLowerCase().replace(/[^a-z/]+/g, '');
}
