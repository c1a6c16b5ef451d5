/** Which of many things a person is shown first. Pure. */

/** The most urgent first: what is not collected, what did not reach anybody, what happened, what will stop soon, what changed slowly. */
export const CARD_KINDS = ['stopped', 'undelivered', 'spike', 'answer', 'limit', 'level'] as const;
export type CardKind = (typeof CARD_KINDS)[number];

export type Ranked = {
  kind: CardKind;
  /** Among those of its kind, more comes first. */
  weight: number;
  at: Date;
};

/**
 * Cards by urgency: by kind, then by weight, then the newest first. Where there are more than are shown, the first of each kind has a
 * place, so that many failures of one cause do not hide that something happened.
 * @returns what is shown, and the others, each in this order
 */
export function rankCards<Card extends Ranked>(
  cards: readonly Card[],
  most: number,
): { shown: Card[]; others: Card[] } {
  const sorted = cards.toSorted(
    (a, b) =>
      CARD_KINDS.indexOf(a.kind) - CARD_KINDS.indexOf(b.kind) ||
      b.weight - a.weight ||
      b.at.getTime() - a.at.getTime(),
  );
  const firsts = sorted.filter((card, i) => card.kind !== sorted[i - 1]?.kind);
  const rest = sorted.filter((card) => !firsts.includes(card));
  const chosen = new Set([...firsts, ...rest].slice(0, most));
  return {
    shown: sorted.filter((card) => chosen.has(card)),
    others: sorted.filter((card) => !chosen.has(card)),
  };
}
