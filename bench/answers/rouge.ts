/**
 * ROUGE F1 (Lin 2004) of a summary against several written by people, averaged over them: ROUGE-1 and -2
 * by pairs of words, ROUGE-L by the longest common subsequence. Words in lower case, endings off lightly;
 * figures compare within one table only, since every implementation cuts and stems its own way.
 */

export type Rouge = { r1: number; r2: number; rl: number };

/** @param references one or more */
export function rougeOf(summary: string, references: readonly string[]): Rouge {
  const said = wordsOf(summary);
  const each = references.map((reference) => {
    const wanted = wordsOf(reference);
    return {
      r1: overlap(grams(said, 1), grams(wanted, 1)),
      r2: overlap(grams(said, 2), grams(wanted, 2)),
      rl: f1(longestCommon(said, wanted), said.length, wanted.length),
    };
  });
  return meanOf(each);
}

export function meanOf(all: readonly Rouge[]): Rouge {
  const mean = (pick: (one: Rouge) => number) =>
    all.reduce((sum, one) => sum + pick(one), 0) / Math.max(1, all.length);
  return { r1: mean(({ r1 }) => r1), r2: mean(({ r2 }) => r2), rl: mean(({ rl }) => rl) };
}

export function wordsOf(text: string): string[] {
  return (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).map(stem);
}

/** Plurals, -ing and -ed; never below three letters. */
function stem(word: string): string {
  const bare = word.replace(/(?<=.{3})(?:ies|ing|ed|es|s)$/, (ending) => (ending === 'ies' ? 'y' : ''));
  return bare.length > 3 ? bare.replace(/([b-df-hj-np-tv-z])\1$/, '$1').replace(/(?<=.{3})e$/, '') : bare;
}

function grams(words: readonly string[], size: number): Map<string, number> {
  const counts = new Map<string, number>();
  for (let i = 0; i + size <= words.length; i++) {
    const gram = words.slice(i, i + size).join(' ');
    counts.set(gram, (counts.get(gram) ?? 0) + 1);
  }
  return counts;
}

function overlap(a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>): number {
  let shared = 0;
  for (const [gram, count] of a) shared += Math.min(count, b.get(gram) ?? 0);
  const size = (counts: ReadonlyMap<string, number>) => [...counts.values()].reduce((sum, n) => sum + n, 0);
  return f1(shared, size(a), size(b));
}

function f1(shared: number, a: number, b: number): number {
  return shared === 0 ? 0 : (2 * shared) / (a + b);
}

function longestCommon(a: readonly string[], b: readonly string[]): number {
  let row = Array.from({ length: b.length + 1 }, () => 0);
  for (const word of a) {
    const next = [0];
    for (let j = 0; j < b.length; j++) {
      next.push(word === b[j] ? (row[j] ?? 0) + 1 : Math.max(next[j] ?? 0, row[j + 1] ?? 0));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
