/**
 * The two sides of the data. What services of kind `sandbox` return is simulated; everything else is real. They never meet
 * in a list, total, feed, rule, chart or query. A topic, a search and a link belong to one side; posts and authors to that
 * of their service.
 */
export const DATA = ['real', 'simulated'] as const;
export type Data = (typeof DATA)[number];

/** The schema of the views of each side: the SQL contract, from the same files. */
export const ANALYTICS = {
  real: 'strandline_analytics',
  simulated: 'strandline_analytics_simulated',
} as const satisfies Record<Data, string>;

/** The side of a row: of a view, or of the table of topics, searches, services or links. */
export function sideOf({ simulated }: { simulated: boolean }): Data {
  return simulated ? 'simulated' : 'real';
}

/** `There are only simulated topics.`; null unless only the other side has topics. */
export function describeEmptySide(data: Data, sides: Readonly<Record<Data, boolean>>): string | null {
  const other = data === 'real' ? 'simulated' : 'real';
  return sides[data] || !sides[other] ? null : `There are only ${other} topics.`;
}
