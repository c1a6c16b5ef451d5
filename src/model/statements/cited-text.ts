/** Texts of completions with their citations: `Ferries run again. [3](https://…)`. */

const CITATION = /\[(\d{1,3})\]\((https?:\/\/[^\s()]{1,2000})\)/g;

export type Citation = { number: string; address: string };

/** A text as its pieces, in order. */
export function splitCitedText(text: string): (string | Citation)[] {
  const pieces: (string | Citation)[] = [];
  let from = 0;
  for (const match of text.matchAll(CITATION)) {
    const [whole, number = '', address = ''] = match;
    const before = text.slice(from, match.index);
    if (before !== '') pieces.push(before);
    pieces.push({ number, address });
    from = match.index + whole.length;
  }
  const rest = text.slice(from);
  return rest === '' ? pieces : [...pieces, rest];
}

/** Distinct, by number; a number of two sections may stand for two addresses. */
export function listCitations(texts: readonly (string | null)[]): Citation[] {
  const citations = texts.flatMap((text) =>
    splitCitedText(text ?? '').filter((piece): piece is Citation => typeof piece !== 'string'),
  );
  const distinct = new Map(citations.map((citation) => [`${citation.number} ${citation.address}`, citation]));
  return [...distinct.values()].toSorted((a, b) => Number(a.number) - Number(b.number));
}

/** Removes citations, including one that is cut off at the end. */
export function removeCitations(text: string): string {
  return text.replaceAll(/ ?\[\d{1,3}\]\([^\s()]*(?:\)|$)/g, '');
}
