import { batched } from '../db/batches.ts';
import {
  type Database,
  type Id,
  inTransaction,
  KEEP_PLANS,
  type Transaction,
  onlyRow,
} from '../db/database.ts';
import { rowsOf, statement } from '../db/statement.ts';
import { ensurePartitions } from '../maintenance/partitions.ts';
import {
  type AgainInput,
  type LateInput,
  markReadLate,
  type SaveInput,
  completeAgain,
  completeRuns,
} from './outcome.ts';
import { type Diff, saveResponses } from './save-responses.ts';

/** Maximum runs per transaction. */
const MAX_RUNS_TOGETHER = 8;
/** Maximum posts per transaction: their JSON is built and sent in one piece. */
const MAX_POSTS_TOGETHER = 400;

/**
 * Saves the results of a response in one transaction, which first marks the run as succeeded. Either everything is
 * saved (posts, links, the diff, the run's success) or nothing. Concurrent saves of this process share a transaction;
 * if it fails, each is retried alone.
 * @returns the diff; `null` if another worker holds the lease of the run: nothing is saved
 */
export const saveFindings = batched<SaveInput, Diff | null>(saveTogether, {
  most: MAX_RUNS_TOGETHER,
  size: ({ findings }) => findings.posts.length + findings.nestedPosts.length,
  mostSize: MAX_POSTS_TOGETHER,
  alone: true,
  // Builds the rows of the next batch while Postgres saves the previous batch.
  atOnce: 2,
});

async function saveTogether(db: Database, inputs: readonly SaveInput[]): Promise<(Diff | null)[]> {
  for (const { observedAt } of inputs) await ensurePartitions(db, observedAt);
  return inTransaction(db, async (tx, last) => {
    last(tx.query(KEEP_PLANS));
    const outcomes = await completeRuns(tx, inputs);
    const won = inputs.flatMap((input, i) => {
      const outcome = outcomes[i] ?? null;
      return outcome === null ? [] : [{ ...input, outcome }];
    });
    const diffs = won.length === 0 ? [] : await saveResponses(tx, won, last);
    const byRun = new Map(won.map(({ runId }, i) => [runId, diffs[i]]));
    return inputs.map(({ runId }) => byRun.get(runId) ?? null);
  });
}

/**
 * Saves a stored response that was parsed again. Nothing found before is lost or becomes new; additional results get
 * the run's own time.
 * @param record adds the audit entry to the transaction
 * @returns `null` if the run has neither succeeded nor failed
 */
export async function saveAgain(
  db: Database,
  input: AgainInput,
  record: (tx: Transaction) => Promise<void>,
): Promise<Diff | null> {
  await ensurePartitions(db, input.observedAt);
  return inTransaction(db, async (tx, last) => {
    const won = await completeAgain(tx, input);
    if (won === null) return null;
    const formerPosts = await readFormerPosts(tx, input.runId);
    await record(tx);
    const [diff] = await saveResponses(tx, [{ ...input, outcome: won }], last, { again: { formerPosts } });
    return diff ?? null;
  });
}

/**
 * Saves a late response. Facts are the same as if it had been read in time: its items were seen when it was received,
 * even if a later response was saved first. New discoveries are appended to the feed now.
 * @returns the diff; `null` if another process has read it
 */
export async function saveLate(db: Database, input: LateInput): Promise<Diff | null> {
  await ensurePartitions(db, input.observedAt);
  return inTransaction(db, async (tx, last) => {
    const won = await markReadLate(tx, input);
    if (won === null) return null;
    const formerPosts = won.isResult ? await readFormerPosts(tx, input.runId) : [];
    const [diff] = await saveResponses(tx, [{ ...input, outcome: won }], last, { again: { formerPosts } });
    return diff ?? null;
  });
}

/** Reads the diff of a committed run. */
export async function readCommittedDiff(db: Database, runId: Id): Promise<Diff> {
  const rows = await rowsOf<{ baseline: boolean; posts: Id[]; links: Id[]; completions: Id[] }>(
    db.pool,
    statement`SELECT r.baseline,
       coalesce(array_agg(d.thing ORDER BY d.id) FILTER (WHERE d.kind = 'post'), '{}') AS posts,
       coalesce(array_agg(d.thing ORDER BY d.id) FILTER (WHERE d.kind = 'link'), '{}') AS links,
       coalesce(array_agg(d.thing) FILTER (WHERE d.kind = 'completion'), '{}') AS completions
     FROM strandline.runs r LEFT JOIN strandline.discoveries d ON d.run_id = r.id
     WHERE r.id = ${runId} GROUP BY r.id`,
  );
  const row = onlyRow(rows, 'the saved run does not exist');
  return {
    baseline: row.baseline,
    newPosts: row.posts,
    newLinks: row.links,
    completionChanged: row.completions.length > 0,
  };
}

/** Posts from the previous parse of a run. */
async function readFormerPosts(tx: Transaction, runId: Id): Promise<Id[]> {
  const rows = await rowsOf<{ post_ids: Id[] }>(
    tx,
    statement`SELECT post_ids FROM strandline.run_results WHERE run_id = ${runId}`,
  );
  return rows[0]?.post_ids ?? [];
}
