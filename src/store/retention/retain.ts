import { monotonicMs, SECOND } from '../../engine/clock.ts';
import type { Config } from '../../config.ts';
import type { Database } from '../database.ts';
import { expire } from './expire.ts';
import { type Limits, limitsAt } from './limits.ts';
import { dropMonths } from './months.ts';

/** What went; `done`: and nothing is left that is too old. */
export type Retained = {
  answers: number;
  rejects: number;
  messages: number;
  /** Entries of the audit log. */
  audit: number;
  months: string[];
  done: boolean;
};

/**
 * Lets go of what is older than its kind is kept. Counters of posts and authors as last seen stay, whatever
 * becomes of their history; growth is then told from the first snapshot that is left, never made up.
 * @param goOn asked again and again; false: enough for now
 */
export async function retain(db: Database, limits: Limits, goOn: () => boolean): Promise<Retained> {
  const answers = await expire(db, 'answers', limits.answers, goOn);
  const rejects = await expire(db, 'rejects', limits.rejects, goOn);
  const messages = await expire(db, 'messages', limits.messages, goOn);
  const audit = await expire(db, 'audit', limits.audit, goOn);
  const months =
    limits.snapshots === null ? { dropped: [], done: true } : await dropMonths(db, limits.snapshots, goOn);
  return {
    answers: answers.deleted,
    rejects: rejects.deleted,
    messages: messages.deleted,
    audit: audit.deleted,
    months: months.dropped,
    done: answers.done && rejects.done && messages.done && audit.done && months.done,
  };
}

/** How long it may take at a time; what is left is done next. */
const WITHIN_MS = 5 * SECOND;

/** The same for a short time only, noting when nothing was left. */
export async function retainWithin(db: Database, config: Config, now: Date): Promise<Retained> {
  const began = monotonicMs();
  const retained = await retain(db, limitsAt(now, config), () => monotonicMs() - began < WITHIN_MS);
  if (retained.done) {
    await db.pool.query(
      `INSERT INTO strandline.facts (name, value, at) VALUES ('retention', 'done', $1)
       ON CONFLICT (name) DO UPDATE SET at = excluded.at`,
      [now],
    );
  }
  return retained;
}
