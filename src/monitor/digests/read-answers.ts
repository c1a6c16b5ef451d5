/** The answers of AI searches at the end of a span, against those before it. */
import { showFigures } from '../../model/statements/answer-change.ts';
import { cleanLine, truncateText } from '../../lib/text.ts';
import {
  type CompletionDiff,
  type DiffedClaim,
  readCompletionDiff,
} from '../../store/queries/completion-diff.ts';
import { readSpanAnswers, type SearchSpan, type SpanAnswer } from '../../store/queries/span-activity.ts';
import { readClaims, readRunCompletion } from '../../store/queries/completions.ts';
import type { SearchRow } from '../../store/queries/search-list.ts';
import type { Context } from '../context.ts';
import {
  type DigestAnswer,
  type DigestNames,
  MAX_DIGEST_TEXT,
  MAX_ROWS,
  MAX_STATEMENTS,
} from './digest-shapes.ts';

/** Answers that are compared with each other at the same time: each comparison takes a few statements. */
const COMPARED_AT_ONCE = 4;

/**
 * Reads the answer of each AI search that has one: changed answers first, then first answers, then unchanged ones, each in
 * the order of the searches.
 */
export async function readAnswers(
  { db }: Pick<Context, 'db'>,
  searches: readonly SearchRow[],
  span: SearchSpan,
  names: DigestNames,
): Promise<DigestAnswer[]> {
  const ai = searches.filter(({ operation }) => operation === 'ai').slice(0, MAX_ROWS);
  const rows = new Map(
    (await readSpanAnswers(db, { ...span, searchIds: ai.map(({ id }) => id) })).map((row) => [
      row.search_id,
      row,
    ]),
  );
  const known = ai.flatMap((search) => {
    const row = rows.get(search.id);
    return row === undefined ? [] : [{ search, row }];
  });
  const answers: DigestAnswer[] = [];
  for (let n = 0; n < known.length; n += COMPARED_AT_ONCE) {
    const batch = known.slice(n, n + COMPARED_AT_ONCE);
    answers.push(
      ...(await Promise.all(batch.map(({ search, row }) => describeAnswer(db, search, names, row, span)))),
    );
  }
  return answers.toSorted((a, b) => rank(a) - rank(b));
}

const rank = ({ changed, text }: DigestAnswer) => (changed ? 0 : text === null ? 2 : 1);

async function describeAnswer(
  db: Context['db'],
  search: SearchRow,
  names: DigestNames,
  { run_id, observed_at, changed, before_run_id, before_at }: SpanAnswer,
  { from }: SearchSpan,
): Promise<DigestAnswer> {
  const answer: DigestAnswer = {
    ...names.search({ topic: search.topic, search: search.slug }),
    at: observed_at.toISOString(),
    before_at: before_at?.toISOString() ?? null,
    changed: false,
    added: [],
    added_claims: [],
    removed: [],
    more_added: 0,
    more_removed: 0,
    text: null,
  };
  if (before_run_id === null) return { ...answer, text: await readFirstStatement(db, run_id) };
  // Two changes may cancel each other, so the two ends are compared.
  if (!changed || observed_at < from) return answer;
  const diff = await readCompletionDiff(db, search, { from: before_run_id, to: run_id });
  if (typeof diff === 'string' || !diff.changed) return answer;
  const added = listStatements(findNews(diff));
  const removed = listStatements(diff.gone_claims);
  return {
    ...answer,
    changed: true,
    added: added.slice(0, MAX_STATEMENTS).map(({ text }) => text),
    added_claims: added.slice(0, MAX_STATEMENTS).map(({ id }) => id),
    removed: removed.slice(0, MAX_STATEMENTS).map(({ text }) => text),
    more_added: Math.max(0, added.length - MAX_STATEMENTS),
    more_removed: Math.max(0, removed.length - MAX_STATEMENTS),
  };
}

/** In an answer with citations, a statement without one is an introduction or a conclusion. The best supported first. */
function findNews({ new_claims, revised_claims }: CompletionDiff): DiffedClaim[] {
  const isCited = ({ cited, unresolved }: DiffedClaim) => cited.length + unresolved.length > 0;
  const revised = revised_claims.map((claim) => ({ ...claim, text: showFigures(claim.text, claim.figures) }));
  const news = [...revised, ...new_claims];
  const cited = news.filter(isCited);
  return (cited.length > 0 ? cited : news).toSorted((a, b) => b.cited.length - a.cited.length);
}

function listStatements(claims: readonly DiffedClaim[]): { id: string; text: string }[] {
  return claims
    .map(({ claim_id, text }) => ({ id: String(claim_id), text: shorten(text) }))
    .filter(({ text }) => text !== '');
}

async function readFirstStatement(db: Context['db'], runId: bigint): Promise<string | null> {
  const completion = await readRunCompletion(db, runId);
  if (completion === undefined) return null;
  const claims = await readClaims(db, [completion.id]);
  const first = claims.find(({ cited_links }) => cited_links.length > 0) ?? claims[0];
  return first === undefined ? null : shorten(first.text) || null;
}

function shorten(text: string): string {
  return truncateText(cleanLine(text), MAX_DIGEST_TEXT);
}
