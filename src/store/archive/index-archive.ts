/**
 * Filling the archive, behind the save: a `tsvector` inside it would cost a quarter of its speed
 * (docs/ranking.md). What was found is read from the feed, whose ids are in the order of commits, so that
 * none is missed; what changed its words later is read from what the triggers wrote down.
 */
import { indexWords } from '../../relevance/words.ts';
import { type Database, type Id, inTransaction, type Transaction } from '../database.ts';
import { configOf } from './language.ts';
import { CHANGES, FEED, LINKS, MOVE, POSTS, PROGRESS, WRITE } from './statements.ts';

/** Entries of the feed in one transaction: under a second, also where each is an abstract. */
const BATCH = 1_000;
/** Longer words are no words. */
const WORD_MOST = 64;
/** A `tsvector` remembers no place beyond 16,383. */
const WORDS_MOST = 10_000;

type Thing = { kind: string; thing: Id };
type Source = Thing & {
  at: Date;
  sandbox: boolean;
  lang: string | null;
  title: string | null;
  body: string | null;
};

/**
 * Brings the archive up to date with what was found until now.
 * @param options.batches the most of 1,000 findings at once; the rest is left to the next call
 * @returns whether nothing is left that this call could see; false too where another one is at it
 */
export async function fillArchive(
  db: Database,
  { batches, signal }: { batches: number; signal?: AbortSignal | undefined },
): Promise<boolean> {
  for (let n = 0; n < batches; n += 1) {
    signal?.throwIfAborted();
    const step = await inTransaction(db, fillBatch);
    if (step !== 'more') return step === 'done';
  }
  return false;
}

/** The row of the progress is locked while a batch is written: one writer, so that counts of lexemes are exact. */
async function fillBatch(tx: Transaction): Promise<'more' | 'done' | 'busy'> {
  const { rows: progress } = await tx.query<{ discovery_id: Id }>(PROGRESS);
  const before = progress[0]?.discovery_id;
  if (before === undefined) return 'busy';
  const { rows: feed } = await tx.query<Thing & { id: Id }>(FEED, [before, BATCH]);
  const { rows: changes } = await tx.query<Thing>(CHANGES, [BATCH]);
  const things = [...feed, ...changes];
  const posts = idsOf(things, 'post');
  const links = idsOf(things, 'link');
  const found = [
    ...(posts.length === 0 ? [] : (await tx.query<Source>(POSTS, [posts])).rows),
    ...(links.length === 0 ? [] : (await tx.query<Source>(LINKS, [links])).rows),
  ];
  if (found.length > 0) await tx.query(WRITE, [JSON.stringify(found.map(documentOf))]);
  const after = feed.at(-1)?.id;
  if (after !== undefined) await tx.query(MOVE, [after]);
  return feed.length === BATCH || changes.length === BATCH ? 'more' : 'done';
}

function idsOf(things: readonly Thing[], kind: 'post' | 'link'): Id[] {
  return [...new Set(things.filter((one) => one.kind === kind).map(({ thing }) => thing))];
}

/**
 * Words are cut here and not by Postgres: under the locale C, which ours has, it takes every character
 * beyond ASCII for a letter (quotation marks too), leaves `É` as it is, and knows no words of Japanese.
 */
function documentOf({ thing, lang, title, body, ...rest }: Source): object {
  const text = `${title ?? ''} ${body ?? ''}`;
  return {
    ...rest,
    thing: String(thing),
    config: configOf(lang, text),
    title: words(title),
    body: words(body),
  };
}

function words(text: string | null): string {
  return indexWords(text ?? '')
    .filter(({ length }) => length <= WORD_MOST)
    .slice(0, WORDS_MOST)
    .join(' ');
}
