/**
 * The two sides of the data. What services of kind `sandbox` return is simulated; everything else is real. They never meet
 * in a list, total, feed, rule, chart or query. A topic, a search and a link belong to one side; posts and authors to that
 * of their service.
 */
export const DATA = ['real', 'simulated'] as const;
export type Data = (typeof DATA)[number];
