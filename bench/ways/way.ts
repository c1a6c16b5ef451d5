import type { Id } from '../../src/store/db/database.ts';
import type { ParsedResults } from '../../src/model/parsed-results.ts';

/** One answer to be stored, for one search. */
export type Batch = { findings: ParsedResults; searchId: Id; at: Date };

/** A way to store a batch. What a way needs beforehand (a lease, bytes to send) is made before the clock runs. */
export type Way = {
  name: string;
  /** @returns the work to be measured, which says how many posts are new to the search */
  prepare(batch: Batch): Promise<() => Promise<number>>;
};
