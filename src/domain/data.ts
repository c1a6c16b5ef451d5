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
