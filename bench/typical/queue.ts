/** What the typical worker's queue holds: a search whole, so that a run needs no look at a table. */
export type TypicalJob = { search: string; prompt: string; count: number };
export const QUEUE = 'typical';
