/** What the server and its statement process send each other. */
import type { Refused } from '../../model/errors.ts';

/** Result format: rows of a page, or an API response. */
export type ResultForm = 'html' | 'json';

/** Includes the reader's URL: its password may have been rotated. */
export type ReaderOrder = { url: string; sql: string; form: ResultForm };

/** How a statement ended; the finished result comes with it. */
export type StatementEnding =
  | {
      kind: 'done';
      /** Number of rows in the body. */
      rows: number;
      /** Whether the statement has more. */
      more: boolean;
      durationMs: number;
    }
  | { kind: Refused['kind']; words: string }
  /** An error that is not about the statement: message and code. */
  | { kind: 'failed'; words: string; code: string | undefined };
