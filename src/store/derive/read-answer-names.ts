/**
 * Reads answers for the names that their topics list, and keeps a row for each answer (`answer_names`). The follower reads an answer
 * once, after the run that returned it, and all answers of a topic again after a change of its names, the newest first. An answer
 * without a text is not one. Topics without names cost a run nothing but a look into an empty table.
 */
import { createNameMatcher } from '../../model/answer-names.ts';
import type { NameChange } from '../../model/closed-lists.ts';
import { hasLetterOrDigit } from '../../lib/text.ts';
import { groupBy } from '../../lib/group-by.ts';
import type { Cooperative } from '../../lib/cooperative.ts';
import { runCooperatively } from '../../platform/run-cooperatively.ts';
import { type Id, type Transaction, writeRows } from '../db/database.ts';
import { execute, rowsOf, type Statement, statement, verbatim } from '../db/statement.ts';
import { DOMAIN_SQL } from '../volume/domain.ts';

/** An answer in a topic that lists names. */
type UnreadAnswer = {
  id: Id;
  search_id: Id;
  topic_id: Id;
  observed_at: Date;
  version: number;
  texts: string[];
  domains: string[];
};

type NameRow = { id: Id; topic_id: Id; name: string; aliases: string[]; domains: string[] };

type AnswerRow = Pick<UnreadAnswer, 'search_id' | 'observed_at' | 'version'> & {
  completion_id: Id;
  named: Id[];
  cited: Id[];
};

const DOMAIN = verbatim(DOMAIN_SQL);
/** The lock makes a purge that deletes an answer meanwhile end this transaction, which is repeated. */
const selectAnswers = (from: Statement) => statement`
  SELECT c.id, c.search_id, s.topic_id, c.observed_at, l.version,
    array_remove(ARRAY[c.summary, coalesce(nullif(c.microblog_summary, ''), array_to_string(c.text_chunks, '')),
      c.discussion_board_summary, c.news_forum_summary], NULL) AS texts,
    ARRAY(SELECT DISTINCT x.name FROM (SELECT url AS a FROM strandline.links WHERE id = ANY (c.completion_links)) k
      CROSS JOIN LATERAL (SELECT ${DOMAIN} AS name OFFSET 0) x WHERE x.name <> '') AS domains
  FROM ${from}
  WHERE EXISTS (SELECT FROM strandline.topic_names WHERE topic_id = l.topic_id)`;

/** Reads the answers of runs. @returns how many were read */
export async function readAnswersOfRuns(tx: Transaction, runs: readonly Id[]): Promise<number> {
  if (runs.length === 0) return 0;
  const answers = await rowsOf<UnreadAnswer>(
    tx,
    statement`${selectAnswers(statement`strandline.completions c
      JOIN strandline.searches s ON s.id = c.search_id JOIN strandline.topic_name_lists l ON l.topic_id = s.topic_id`)}
      AND c.run_id = ANY (${runs}::bigint[]) ORDER BY c.id FOR KEY SHARE OF c`,
    'unread_answers',
  );
  return saveAnswers(tx, answers);
}

/** Answers per transaction: about a tenth of a second. */
const BATCH_SIZE = 300;

/**
 * Reads answers again of one topic whose names changed. The caller is the only follower.
 * @returns whether there may be more
 */
export async function readAnswersAgain(tx: Transaction): Promise<boolean> {
  const [list] = await rowsOf<{ topic_id: Id; unread_below: Id }>(
    tx,
    statement`SELECT topic_id, unread_below FROM strandline.topic_name_lists
      WHERE unread_below IS NOT NULL ORDER BY topic_id LIMIT 1 FOR UPDATE`,
    'unread_names',
  );
  if (list === undefined) return false;
  const { topic_id, unread_below } = list;
  const answers = await rowsOf<UnreadAnswer>(
    tx,
    statement`${selectAnswers(statement`(
        SELECT n.* FROM strandline.searches o CROSS JOIN LATERAL (
          SELECT * FROM strandline.completions WHERE search_id = o.id AND id < ${unread_below} ORDER BY id DESC LIMIT ${BATCH_SIZE}
        ) n WHERE o.topic_id = ${topic_id} ORDER BY n.id DESC LIMIT ${BATCH_SIZE}
      ) c JOIN strandline.searches s ON s.id = c.search_id JOIN strandline.topic_name_lists l ON l.topic_id = s.topic_id`)}
      ORDER BY c.id DESC`,
  );
  await saveAnswers(tx, answers);
  const last = answers.length === BATCH_SIZE ? answers.at(-1) : undefined;
  await execute(
    tx,
    statement`UPDATE strandline.topic_name_lists SET unread_below = ${last?.id ?? null} WHERE topic_id = ${topic_id}`,
  );
  return true;
}

/** A name with whether each of the newest answers has it, and the last change that was reported. */
export type NameHistory = {
  name_id: Id;
  name: string;
  service: string;
  /** Oldest first; the last is the answer of the run. */
  has: boolean[];
  reported: NameChange | null;
};

/** The names of the topic of a run, with its answer and those of the same request before it. Empty if it has no answer. */
export async function readNameHistories(tx: Transaction, runId: Id, most: number): Promise<NameHistory[]> {
  return rowsOf<NameHistory>(
    tx,
    statement`WITH last AS MATERIALIZED (
        SELECT a.search_id, a.version, a.observed_at, c.run_id, r.request_version, s.topic_id, v.name AS service
        FROM strandline.completions c JOIN strandline.answer_names a ON a.completion_id = c.id
        JOIN strandline.runs r ON r.id = c.run_id
        JOIN strandline.searches s ON s.id = c.search_id JOIN strandline.services v ON v.id = s.service_id
        WHERE c.run_id = ${runId}
      ), compared AS MATERIALIZED (
        SELECT a.names, a.observed_at, c.run_id
        FROM last l CROSS JOIN LATERAL (
          SELECT completion_id, observed_at, named || cited AS names FROM strandline.answer_names
          WHERE search_id = l.search_id AND version = l.version AND observed_at <= l.observed_at
          ORDER BY observed_at DESC, completion_id DESC LIMIT ${most}
        ) a
        CROSS JOIN LATERAL (SELECT run_id FROM strandline.completions WHERE id = a.completion_id OFFSET 0) c
        CROSS JOIN LATERAL (SELECT request_version FROM strandline.runs WHERE id = c.run_id OFFSET 0) r
        WHERE r.request_version = l.request_version AND (a.observed_at, c.run_id) <= (l.observed_at, l.run_id)
      )
      SELECT n.id AS name_id, n.name, l.service, ARRAY(SELECT n.id = ANY (names) FROM compared ORDER BY observed_at, run_id) AS has,
        (SELECT change FROM strandline.name_changes WHERE search_id = l.search_id AND name_id = n.id ORDER BY id DESC LIMIT 1) AS reported
      FROM last l JOIN strandline.topic_names n ON n.topic_id = l.topic_id ORDER BY n.id`,
    'name_histories',
  );
}

async function saveAnswers(tx: Transaction, answers: readonly UnreadAnswer[]): Promise<number> {
  if (answers.length === 0) return 0;
  const names = await rowsOf<NameRow>(
    tx,
    statement`SELECT id, topic_id, name, aliases, domains FROM strandline.topic_names
      WHERE topic_id = ANY (${[...new Set(answers.map(({ topic_id }) => topic_id))]}::bigint[]) ORDER BY id`,
  );
  const rows = await runCooperatively(
    matchInSteps(
      answers,
      groupBy(names, ({ topic_id }) => topic_id),
    ),
  );
  const read = new Set(rows.map(({ completion_id }) => completion_id));
  const empty = answers.flatMap(({ id }) => (read.has(id) ? [] : [id]));
  // A response that is parsed again may turn an answer into none.
  if (empty.length > 0)
    await execute(
      tx,
      statement`DELETE FROM strandline.answer_names WHERE completion_id = ANY (${empty}::bigint[])`,
    );
  await execute(
    tx,
    statement`INSERT INTO strandline.answer_names (completion_id, search_id, observed_at, version, named, cited)
      SELECT completion_id, search_id, observed_at, version, named, cited FROM json_to_recordset(${writeRows(rows)}::json)
        AS r(completion_id bigint, search_id bigint, observed_at timestamptz, version int, named bigint[], cited bigint[])
      ORDER BY completion_id
      ON CONFLICT (completion_id) DO UPDATE
      SET observed_at = excluded.observed_at, version = excluded.version, named = excluded.named, cited = excluded.cited`,
  );
  return rows.length;
}

/** In steps of one answer. */
function* matchInSteps(
  answers: readonly UnreadAnswer[],
  namesOfTopics: ReadonlyMap<Id, readonly NameRow[]>,
): Cooperative<AnswerRow[]> {
  const matchers = new Map(
    [...namesOfTopics].map(([topicId, names]) => [topicId, createNameMatcher(names)] as const),
  );
  const rows: AnswerRow[] = [];
  for (const { id, search_id, topic_id, observed_at, version, texts, domains } of answers) {
    yield;
    const matcher = matchers.get(topic_id);
    if (matcher === undefined || !texts.some(hasLetterOrDigit)) continue;
    rows.push({
      completion_id: id,
      search_id,
      observed_at,
      version,
      named: inOrder(matcher.findNamed(texts)),
      cited: inOrder(matcher.findCited(domains)),
    });
  }
  return rows;
}

const inOrder = (ids: ReadonlySet<Id>) => [...ids].toSorted((a, b) => (a < b ? -1 : 1));
