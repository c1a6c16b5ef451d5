/** What changed in completions, for lists and messages: computed from the statements of each completion and of the completion before it. */
import { type AnswerChange, listAnswerChanges } from '../../model/statements/answer-change.ts';
import { compareStatements, findNews } from '../../model/statements/completion-change.ts';
import { groupBy } from '../../lib/group-by.ts';
import type { Id, Queryable } from '../db/database.ts';
import { execute, statement, verbatim } from '../db/statement.ts';
import { KNOWN_BEFORE_SQL } from '../save/save-completion-change.ts';
import { setImmediate } from 'node:timers/promises';

/** For longer completions, only new statements are listed: comparing them takes too long for a list. */
const MAX_COMPARED = 200;

type ChangedRow = { id: Id; before: Id; news: number[] | null; known: Id[]; whole: boolean };

type StatementRow = { completion_id: Id; position: number; text: string; isCited: boolean };

/**
 * The changes of completions against the previous completion, without changes that an older completion of the days before
 * had made.
 * @returns changes by completion; completions that have not changed or were not compared are left out
 */
export async function readAnswerChanges(
  db: Queryable,
  completions: readonly Id[],
): Promise<ReadonlyMap<Id, AnswerChange[]>> {
  if (completions.length === 0) return new Map();
  // `news` is null by an earlier version: then it is decided here, as the save does it.
  const { rows: changed } = await execute<ChangedRow>(
    db,
    statement`SELECT c.id, p.id AS before, c.news,
        CASE WHEN c.news IS NULL THEN ${verbatim(KNOWN_BEFORE_SQL)} ELSE '{}' END AS known,
        greatest(c.claims, p.claims) <= ${verbatim(MAX_COMPARED)} AS whole
      FROM strandline.completions c
      JOIN strandline.completions p ON p.run_id = c.previous_run_id
      WHERE c.id = ANY (${completions}::bigint[]) AND c.changed AND c.similarity IS NOT NULL`,
  );
  if (changed.length === 0) return new Map();
  const ids = new Set(changed.flatMap(({ id, before, known }) => [id, before, ...known]));
  const { rows } = await execute<StatementRow>(
    db,
    statement`SELECT m.completion_id, m.position, c.text, cardinality(m.link_ids) + cardinality(m.unresolved) > 0 AS "isCited"
      FROM strandline.completion_claims m JOIN strandline.claims c ON c.id = m.claim_id
      WHERE m.completion_id = ANY (${[...ids]}::bigint[]) ORDER BY m.completion_id, m.position`,
  );
  const statements = groupBy(rows, ({ completion_id }) => completion_id);
  const changes = new Map<Id, AnswerChange[]>();
  for (const { id, before, news, known, whole } of changed) {
    if (changes.size > 0) await setImmediate();
    const [earlier, after] = [statements.get(before) ?? [], statements.get(id) ?? []];
    const former = known.map((each) => statements.get(each) ?? []);
    const newPositions = news ?? findNews(after, [earlier, ...former]).map(({ position }) => position);
    const isNews = ({ position }: StatementRow) => newPositions.includes(position);
    const changesOfAnswer = whole
      ? listAnswerChanges(compareStatements(earlier, after), isNews)
      : after.filter(isNews).map(({ text }): AnswerChange => ({ change: 'added', text }));
    changes.set(id, changesOfAnswer);
  }
  return changes;
}
