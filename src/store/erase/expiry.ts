/** What expires by its age, and when: raw responses, rejected items, bodies of messages, and entries of the audit log. */
import { type Statement, statement } from '../db/statement.ts';

export type Expiry = {
  table: string;
  /** Whether a row has expired at a time. */
  where: (before: Date) => Statement;
  /** In what order they are found. */
  order: string;
  key: string;
  /** What is cleared, if the row stays. */
  clears?: string;
};

/** What expires by its age (`retention.ts`), besides months of snapshots. The same condition counts what is due, and deletes it. */
export const EXPIRY = {
  /** Raw responses that were parsed, by when they were received. */
  responses: {
    table: 'responses',
    key: 'run_id, n',
    where: (before) => statement`received_at < ${before} AND read_at IS NOT NULL`,
    order: 'received_at',
  },
  /** By when their run ended. */
  rejects: {
    table: 'rejects',
    key: 'id',
    where: (before) =>
      statement`EXISTS (SELECT FROM strandline.runs r WHERE r.id = run_id AND r.ended_at < ${before})`,
    order: 'id',
  },
  /**
   * Bodies of messages, by their last attempt; the delivery and its discoveries stay. A dead message that is resent later is
   * composed from the discoveries that are left.
   */
  messages: {
    table: 'deliveries',
    key: 'id',
    where: (before) =>
      statement`state IN ('delivered', 'dead', 'cancelled') AND body IS NOT NULL AND last_attempt_at < ${before}`,
    order: 'id',
    clears: 'body = NULL, answer = NULL',
  },
  /** By when they were written. */
  audit: { table: 'audit_log', key: 'id', where: (before) => statement`at < ${before}`, order: 'at' },
  /** Problems of strandline itself, by when they ended. */
  problems: {
    table: 'system_events',
    key: 'id',
    where: (before) => statement`until < ${before}`,
    order: 'until',
  },
} satisfies Record<string, Expiry>;
export type ExpiringKind = keyof typeof EXPIRY;
