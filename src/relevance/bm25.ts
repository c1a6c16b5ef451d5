/** BM25 (Robertson and Zaragoza, 2009), the parts of its sum: what `ts_rank` lacks is that rare words say more. */

/** How fast more of the same word stops to count, and how much longer documents are held to it. */
const K1 = 1.5;
const B = 0.75;

/**
 * What a word says that stands in `holding` of `documents` documents; above zero for every word, and for
 * counts that lag behind each other too.
 */
export function inverseFrequency(holding: number, documents: number): number {
  const held = Math.min(Math.max(0, holding), documents);
  return Math.log(1 + (documents - held + 0.5) / (held + 0.5));
}

/** How much a word says in a document where it stands `times` times; lengths in any one unit. */
export function saturation(times: number, length: number, averageLength: number): number {
  const long = averageLength > 0 ? length / averageLength : 1;
  return (times * (K1 + 1)) / (times + K1 * (1 - B + B * long));
}
