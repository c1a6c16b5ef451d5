/** What a brief of a digest is written from: its items, spikes, and new statements of answers. Pure. */
import { formatCount } from '../../lib/display-format.ts';
import { type BriefItem, MAX_EVIDENCE } from '../../model/briefs.ts';
import type { Digest, DigestAnswer, DigestItem } from './digest-shapes.ts';

/** An item for the model, and what it is. @property search slug of the search that found it */
export type Evidence = BriefItem & { id: string; page: string; search: string };

/**
 * Of each topic in turn, the best first. Statements that are gone are none of it: a sentence that repeats one would be false, though
 * its source says so.
 */
export function listDigestEvidence({ topics, growing, attention, answers }: Digest): Evidence[] {
  const spikes = attention.flatMap((each): Evidence[] =>
    each.kind === 'spike'
      ? [
          {
            kind: 'spike',
            id: each.id,
            text: [each.sentence, each.why ?? ''].join(' ').trim(),
            day: each.window_start.slice(0, 10),
            page: `/evidence/spike/${each.id}`,
            search: each.search,
          },
        ]
      : [],
  );
  const rest = [
    answers.filter(({ changed }) => changed).flatMap(listAnswerEvidence),
    ...topics.map(({ items }) => items.flatMap(listItemEvidence)),
    growing.flatMap((each) => (each.kind === 'item' ? listItemEvidence(each.item) : [])),
  ];
  const longest = Math.max(...rest.map(({ length }) => length));
  const inTurn = Array.from({ length: longest }, (_, i) => rest.flatMap((list) => list[i] ?? [])).flat();
  const all = [...spikes, ...inTurn];
  const isFirst = ({ kind, id }: Evidence, i: number) =>
    all.findIndex((other) => other.kind === kind && other.id === id) === i;
  return all.filter(isFirst).slice(0, MAX_EVIDENCE);
}

function listItemEvidence({ kind, id, text, copies, authors, published_at, page, search }: DigestItem) {
  if (text === null) return [];
  const who = authors === null || authors < 2 ? '' : ` by ${formatCount(authors, 'author')}`;
  const said = copies < 2 ? '' : ` (said ${copies} times${who})`;
  return [{ kind, id, text: `${text}${said}`, day: published_at?.slice(0, 10) ?? null, page, search }];
}

function listAnswerEvidence({ added, added_claims, at, search }: DigestAnswer): Evidence[] {
  return added.flatMap((text, i) => {
    const id = added_claims[i];
    const page = `/searches/${search}/completions`;
    return id === undefined ? [] : [{ kind: 'claim', id, text, day: at.slice(0, 10), page, search }];
  });
}
