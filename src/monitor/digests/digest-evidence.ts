/** The evidence for the brief of a digest: its items, its spikes, and the new statements of its answers. Pure. */
import { formatCount } from '../../lib/display-format.ts';
import { type BriefItem, MAX_EVIDENCE } from '../../model/briefs.ts';
import type { Digest, DigestAnswer, DigestItem } from './digest-shapes.ts';

/** An item for the model, and what it is. @property search slug of the search that found it */
export type Evidence = BriefItem & { id: string; page: string; search: string };
/** The first item of a story, for all of them. */
export type StoryEvidence = Evidence & { story_id: string };

/**
 * Evidence of each topic in turn, the best first. Statements that an answer no longer makes are left out: a sentence that repeats such a
 * statement would be false, although its source supports it.
 * @param stories take the place of items of the digest that belong to them
 */
export function listDigestEvidence(
  { topics, growing, attention, answers }: Digest,
  stories: readonly StoryEvidence[] = [],
): Evidence[] {
  const told = new Set(stories.map(({ story_id }) => story_id));
  const isOwn = ({ story_id }: DigestItem) => story_id === null || !told.has(story_id);
  const spikes = attention.flatMap((each) =>
    each.kind === 'spike' ? [describeSpikeEvidence({ ...each, day: each.window_start.slice(0, 10) })] : [],
  );
  const rest = [
    answers.filter(({ changed }) => changed).flatMap(listAnswerEvidence),
    stories,
    ...topics.map(({ items }) => items.filter(isOwn).flatMap(listItemEvidence)),
    growing.flatMap((each) => (each.kind === 'item' ? listItemEvidence(each.item) : [])),
  ];
  const longest = Math.max(...rest.map(({ length }) => length));
  const inTurn = Array.from({ length: longest }, (_, i) => rest.flatMap((list) => list[i] ?? [])).flat();
  const all = [...spikes, ...inTurn];
  const isFirst = ({ kind, id }: Evidence, i: number) =>
    all.findIndex((other) => other.kind === kind && other.id === id) === i;
  return all.filter(isFirst).slice(0, MAX_EVIDENCE);
}

/** A spike: what was measured, and why, if that is known. */
export function describeSpikeEvidence({
  id,
  sentence,
  why,
  day,
  search,
}: {
  id: string;
  sentence: string;
  why: string | null;
  day: string;
  search: string;
}): Evidence {
  const text = [sentence, why ?? ''].join(' ').trim();
  return { kind: 'spike', id, text, day, page: `/evidence/spike/${id}`, search };
}

function listItemEvidence({ kind, id, text, copies, authors, published_at, page, search }: DigestItem) {
  if (text === null) return [];
  const said = describeCopies(copies, authors);
  return [{ kind, id, text: `${text}${said}`, day: published_at?.slice(0, 10) ?? null, page, search }];
}

/** Follows a text: ` (said 27 times by 3 authors)`; nothing if it was said once. */
export function describeCopies(copies: number, authors: number | null): string {
  const who = authors === null || authors < 2 ? '' : ` by ${formatCount(authors, 'author')}`;
  return copies < 2 ? '' : ` (said ${copies} times${who})`;
}

function listAnswerEvidence({ added, added_claims, at, search }: DigestAnswer): Evidence[] {
  return added.flatMap((text, i) => {
    const id = added_claims[i];
    const page = `/searches/${search}/completions`;
    return id === undefined ? [] : [{ kind: 'claim', id, text, day: at.slice(0, 10), page, search }];
  });
}
