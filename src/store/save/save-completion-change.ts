/**
 * Saves how much completions changed. The figures depend on the set of completions of a search, not on the order in which
 * they are saved: one that is saved late or parsed again is compared with its predecessor, and its successor with it.
 */
import { compareStatements } from '../../domain/completion-change.ts';
import { groupBy } from '../../domain/group-by.ts';
import type { Id, Transaction } from '../database.ts';

/**
 * Taken before the completions are saved, and in the order of the searches: of two transactions that save neighbors, the
 * second sees the statements of the first. $1 searches.
 */
const LOCK_SEARCHES = `
SELECT pg_advisory_xact_lock(hashtextextended('strandline.completions ' || s.id, 0))
FROM (SELECT DISTINCT id FROM unnest($1::bigint[]) u(id) ORDER BY id) s`;

export async function lockCompletions(tx: Transaction, searchIds: readonly Id[]): Promise<void> {
  if (searchIds.length > 0)
    await tx.query({ name: 'lock_completions', text: LOCK_SEARCHES, values: [searchIds] });
}

/** Completions and their successors, each with the one before it, if any. $1 completions. */
const SELECT_PAIRS = `
WITH saved AS (
  SELECT id, search_id, observed_at, run_id FROM strandline.completions WHERE id = ANY ($1::bigint[])
), later AS (
  SELECT n.* FROM saved s CROSS JOIN LATERAL (
    SELECT id, search_id, observed_at, run_id FROM strandline.completions
    WHERE search_id = s.search_id AND (observed_at, run_id) > (s.observed_at, s.run_id) AND claims IS NOT NULL
    ORDER BY observed_at, run_id LIMIT 1
  ) n
)
SELECT a.id AS after, p.id AS before
FROM (SELECT * FROM saved UNION SELECT * FROM later) a LEFT JOIN LATERAL (
  SELECT id FROM strandline.completions
  WHERE search_id = a.search_id AND (observed_at, run_id) < (a.observed_at, a.run_id) AND claims IS NOT NULL
  ORDER BY observed_at DESC, run_id DESC LIMIT 1
) p ON true`;
type Pair = { after: Id; before: Id | null };

/** $1 completions. */
const SELECT_STATEMENTS = `
SELECT m.completion_id, c.text, cardinality(m.link_ids) + cardinality(m.unresolved) > 0 AS "isCited"
FROM strandline.completion_claims m JOIN strandline.claims c ON c.id = m.claim_id
WHERE m.completion_id = ANY ($1::bigint[]) ORDER BY m.completion_id, m.position`;
type StatementRow = { completion_id: Id; text: string; isCited: boolean };

/** $1 completions, $2 those before them, $3 whether changed, statements $4 new $5 gone $6 kept, $7 similarities. */
const UPDATE_CHANGES = `
UPDATE strandline.completions c SET
  changed = u.changed, previous_run_id = p.run_id,
  statements_new = u.added, statements_gone = u.gone, statements_kept = u.kept, similarity = u.similarity,
  citations_added = CASE WHEN p.id IS NOT NULL
    THEN (SELECT count(*) FROM unnest(c.completion_links) l WHERE l <> ALL (p.completion_links)) END,
  citations_removed = CASE WHEN p.id IS NOT NULL
    THEN (SELECT count(*) FROM unnest(p.completion_links) l WHERE l <> ALL (c.completion_links)) END
FROM unnest($1::bigint[], $2::bigint[], $3::boolean[], $4::int[], $5::int[], $6::int[], $7::float8[])
  AS u(id, before, changed, added, gone, kept, similarity)
LEFT JOIN strandline.completions p ON p.id = u.before
WHERE c.id = u.id`;

/**
 * Compares saved completions with the ones before them, and the ones after them with these.
 * @param saved completions whose statements are saved, under {@link lockCompletions}
 * @returns which of them say something new
 */
export async function saveCompletionChanges(tx: Transaction, saved: readonly Id[]): Promise<ReadonlySet<Id>> {
  if (saved.length === 0) return new Set();
  const { rows: pairs } = await tx.query<Pair>({
    name: 'completion_pairs',
    text: SELECT_PAIRS,
    values: [saved],
  });
  const statements = await readStatements(tx, pairs);
  const changes = pairs.map(({ before, after }) =>
    before === null ? null : compareStatements(statements.get(before) ?? [], statements.get(after) ?? []),
  );
  await tx.query({
    name: 'completion_changes',
    text: UPDATE_CHANGES,
    values: [
      pairs.map(({ after }) => after),
      pairs.map(({ before }) => before),
      changes.map((change) => change?.isChanged ?? false),
      changes.map((change) => change?.added.length ?? null),
      changes.map((change) => change?.gone.length ?? null),
      changes.map((change) => change?.kept.length ?? null),
      changes.map((change) => change?.similarity ?? null),
    ],
  });
  return new Set(pairs.flatMap(({ after }, i) => (changes[i]?.isChanged === true ? [after] : [])));
}

async function readStatements(
  tx: Transaction,
  pairs: readonly Pair[],
): Promise<ReadonlyMap<Id, StatementRow[]>> {
  const ids = new Set(pairs.flatMap(({ before, after }) => (before === null ? [] : [before, after])));
  if (ids.size === 0) return new Map();
  const { rows } = await tx.query<StatementRow>({
    name: 'completion_statements',
    text: SELECT_STATEMENTS,
    values: [[...ids]],
  });
  return groupBy(rows, (row) => row.completion_id);
}
