/**
 * Saves how much completions changed. The figures depend on the set of completions of a search, not on the order in which
 * they are saved: a completion that is saved late or parsed again is compared with earlier completions, and later
 * completions are compared with it.
 */
import { compareStatements, findNews } from '../../model/statements/completion-change.ts';
import { groupBy } from '../../lib/group-by.ts';
import { givenRows } from '../db/batches.ts';
import type { Id, Transaction } from '../db/database.ts';
import { execute, rowsOf, type Statement, statement, verbatim } from '../db/statement.ts';

/**
 * Taken before the completions are saved, and in the order of the searches: of two transactions that save neighbors, the
 * second sees the statements of the first.
 */
export async function lockCompletions(tx: Transaction, searchIds: readonly Id[]): Promise<void> {
  if (searchIds.length === 0) return;
  await execute(
    tx,
    statement`SELECT pg_advisory_xact_lock(hashtextextended('strandline.completions ' || s.id, 0))
      FROM (SELECT DISTINCT id FROM unnest(${searchIds}::bigint[]) u(id) ORDER BY id) s`,
    'lock_completions',
  );
}

/** A statement is no news if one of so many completions, of so many days before, has it. */
const MAX_KNOWN_COMPLETIONS = 50;
const MAX_KNOWN_DAYS = 7;
/** And so many statements at most: 75 completions of 20. */
const MAX_KNOWN_STATEMENTS = 1_500;

/** Completions before or after a completion `c` of the same search, the nearest first. */
const nearSql = (comparison: '<' | '>', limit: number) => `
    SELECT id, observed_at, run_id, search_id, claims FROM strandline.completions
    WHERE search_id = c.search_id AND (observed_at, run_id) ${comparison} (c.observed_at, c.run_id) AND claims IS NOT NULL
    ORDER BY observed_at ${comparison === '<' ? 'DESC' : 'ASC'}, run_id ${comparison === '<' ? 'DESC' : 'ASC'} LIMIT ${limit}`;

/** The completions before a completion `c` that decide what is news in it, the newest first. */
export const KNOWN_BEFORE_SQL = `ARRAY(
  SELECT e.id FROM (
    SELECT l.id, l.observed_at, row_number() OVER w AS place, sum(l.claims) OVER w AS statements
    FROM (${nearSql('<', MAX_KNOWN_COMPLETIONS)}) l WINDOW w AS (ORDER BY observed_at DESC, run_id DESC)
  ) e
  WHERE e.place = 1
    OR (e.observed_at >= c.observed_at - interval '${MAX_KNOWN_DAYS} days' AND e.statements <= ${MAX_KNOWN_STATEMENTS})
  ORDER BY e.place
)`;

/**
 * The given completions, and later completions that may repeat their statements, each with the completions before it, newest
 * first. The previous completion is included however old it is.
 */
function selectWindows(completions: readonly Id[]): Statement {
  return statement`WITH saved AS (
      SELECT id, search_id, observed_at, run_id FROM strandline.completions WHERE id = ANY (${completions}::bigint[])
    ), affected AS (
      SELECT id, search_id, observed_at, run_id FROM saved
      UNION SELECT n.id, n.search_id, n.observed_at, n.run_id FROM saved c CROSS JOIN LATERAL (
        SELECT l.*, row_number() OVER (ORDER BY observed_at, run_id) AS place FROM (${verbatim(nearSql('>', MAX_KNOWN_COMPLETIONS))}) l
      ) n WHERE n.place = 1 OR n.observed_at <= c.observed_at + ${MAX_KNOWN_DAYS} * interval '1 day'
    )
    SELECT c.id AS after, ${verbatim(KNOWN_BEFORE_SQL)} AS before
    FROM affected c`;
}
type Window = { after: Id; before: Id[] };

type StatementRow = { completion_id: Id; position: number; text: string; isCited: boolean };

/**
 * Compares saved completions with earlier completions, and later completions with the saved ones.
 * @param saved completions whose statements are saved, under {@link lockCompletions}
 * @returns completions with a statement that no completion of the days before has
 */
export async function saveCompletionChanges(tx: Transaction, saved: readonly Id[]): Promise<ReadonlySet<Id>> {
  if (saved.length === 0) return new Set();
  const windows = await rowsOf<Window>(tx, selectWindows(saved), 'completion_windows');
  const previous = await readStatements(
    tx,
    windows.flatMap(({ after, before: [last] }) => (last === undefined ? [] : [after, last])),
  );
  const changes = windows.map(({ after, before: [last] }) =>
    last === undefined ? null : compareCompletions(previous.get(last) ?? [], previous.get(after) ?? []),
  );
  // Few completions have a statement that the previous completion lacks, and only these are compared with older
  // completions.
  const isOpen = (i: number) => (changes[i]?.news.length ?? 0) > 0;
  const older = await readStatements(
    tx,
    windows.flatMap(({ before }, i) => (isOpen(i) ? before.slice(1) : [])),
  );
  const news = windows.map(({ after, before }, i) => {
    if (!isOpen(i)) return changes[i]?.news ?? null;
    const all = before.map((id) => previous.get(id) ?? older.get(id) ?? []);
    return findNews(previous.get(after) ?? [], all);
  });
  const changed = givenRows('u', {
    id: ['bigint', windows.map(({ after }) => after)],
    before: ['bigint', windows.map(({ before }) => before[0] ?? null)],
    news: [
      'text',
      news.map((told) => (told === null ? null : told.map(({ position }) => position).join(','))),
    ],
    added: ['int', changes.map((change) => change?.added.length ?? null)],
    revised: ['int', changes.map((change) => change?.revised.length ?? null)],
    gone: ['int', changes.map((change) => change?.gone.length ?? null)],
    kept: ['int', changes.map((change) => change?.kept.length ?? null)],
    similarity: ['float8', changes.map((change) => change?.similarity ?? null)],
  });
  await execute(
    tx,
    statement`UPDATE strandline.completions c SET
        changed = coalesce(u.news <> '', false), news = string_to_array(u.news, ',')::int[], previous_run_id = p.run_id,
        statements_new = u.added, statements_revised = u.revised, statements_gone = u.gone, statements_kept = u.kept,
        similarity = u.similarity,
        citations_added = CASE WHEN p.id IS NOT NULL
          THEN (SELECT count(*) FROM unnest(c.completion_links) l WHERE l <> ALL (p.completion_links)) END,
        citations_removed = CASE WHEN p.id IS NOT NULL
          THEN (SELECT count(*) FROM unnest(p.completion_links) l WHERE l <> ALL (c.completion_links)) END
      FROM ${changed}
      LEFT JOIN strandline.completions p ON p.id = u.before
      WHERE c.id = u.id`,
    'completion_changes',
  );
  return new Set(windows.flatMap(({ after }, i) => ((news[i]?.length ?? 0) > 0 ? [after] : [])));
}

function compareCompletions(before: readonly StatementRow[], after: readonly StatementRow[]) {
  return { ...compareStatements(before, after), news: findNews(after, [before]) };
}

async function readStatements(
  tx: Transaction,
  completions: readonly Id[],
): Promise<ReadonlyMap<Id, StatementRow[]>> {
  if (completions.length === 0) return new Map();
  const rows = await rowsOf<StatementRow>(
    tx,
    statement`SELECT m.completion_id, m.position, c.text, cardinality(m.link_ids) + cardinality(m.unresolved) > 0 AS "isCited"
      FROM strandline.completion_claims m JOIN strandline.claims c ON c.id = m.claim_id
      WHERE m.completion_id = ANY (${[...new Set(completions)]}::bigint[]) ORDER BY m.completion_id, m.position`,
    'completion_statements',
  );
  return groupBy(rows, (row) => row.completion_id);
}
