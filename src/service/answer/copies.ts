/** Copies and near-copies: what the same words in the same order say again is said once. */

/** `runs`: what `runsOf` gives; `prior`: how much it is liked. */
type Copyable = { runs: readonly number[]; prior: number };

/** Runs of so many words are compared. */
const RUN = 5;
/** A sentence that shares this part of its runs with another is a copy of it, also where it says more around it. */
const COPY = 0.7;

/** The best liked of each set of copies, in the order given. */
export function withoutCopies<T extends Copyable>(passages: readonly T[]): T[] {
  const best = passages
    .map((_, i) => i)
    .sort((a, b) => (passages[b]?.prior ?? 0) - (passages[a]?.prior ?? 0));
  const holders = new Map<number, number[]>();
  const sizes = new Map<number, number>();
  for (const i of best) {
    const runs = passages[i]?.runs ?? [];
    const shared = new Map<number, number>();
    for (const run of runs) {
      for (const holder of holders.get(run) ?? []) shared.set(holder, (shared.get(holder) ?? 0) + 1);
    }
    if (isCopy(shared, runs.length, sizes)) continue;
    sizes.set(i, runs.length);
    for (const run of runs) {
      const holding = holders.get(run);
      if (holding === undefined) holders.set(run, [i]);
      else holding.push(i);
    }
  }
  return passages.filter((_, i) => sizes.has(i));
}

function isCopy(
  shared: ReadonlyMap<number, number>,
  size: number,
  sizes: ReadonlyMap<number, number>,
): boolean {
  for (const [holder, count] of shared) {
    if (count >= COPY * Math.min(size, sizes.get(holder) ?? 0)) return true;
  }
  return false;
}

/** Hashes of the runs of a sentence, each once; of a shorter one the hash of the whole. */
export function runsOf(words: readonly number[]): number[] {
  const runs: number[] = [];
  for (let from = 0; from === 0 || from + RUN <= words.length; from++) {
    let hash = 0x811c9dc5;
    for (let i = from; i < from + RUN && i < words.length; i++) {
      hash = Math.imul(hash ^ ((words[i] ?? 0) + 1), 0x01000193);
      hash ^= hash >>> 15;
    }
    if (!runs.includes(hash)) runs.push(hash);
  }
  return runs;
}
