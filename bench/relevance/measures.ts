/** What an order of documents is worth, by who of them is relevant. */

export type Measures = { ndcg10: number; precision10: number; recall100: number };

/** @param found ids, best first */
export function measureOne(found: readonly string[], relevant: ReadonlySet<string>): Measures {
  const gains = found.slice(0, 10).map((id) => (relevant.has(id) ? 1 : 0));
  const ideal = Array.from({ length: Math.min(10, relevant.size) }, () => 1);
  return {
    ndcg10: discounted(gains) / discounted(ideal),
    precision10: sum(gains) / 10,
    recall100: found.slice(0, 100).filter((id) => relevant.has(id)).length / relevant.size,
  };
}

/** The middle of all questions; each counts the same. */
export function mean(all: readonly Measures[]): Measures {
  const of = (name: keyof Measures) => sum(all.map((one) => one[name])) / all.length;
  return { ndcg10: of('ndcg10'), precision10: of('precision10'), recall100: of('recall100') };
}

function discounted(gains: readonly number[]): number {
  return sum(gains.map((gain, i) => gain / Math.log2(i + 2)));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, n) => total + n, 0);
}
