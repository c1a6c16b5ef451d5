/** What a completion says, sentence by sentence, and what it cites for each. */
import { createHash } from 'node:crypto';
import { CLAIM_ROLES } from '../../contract/enumerations.ts';
import { clean } from '../../contract/text.ts';
import type { Turns } from '../../contract/turns.ts';
import {
  type ClaimRole,
  type LinkRef,
  type ReadCitation,
  type ReadClaim,
  type ReadCompletion,
  type ReadLink,
  type ReadPost,
} from './findings.ts';
import { idInAddress } from './id.ts';
import { readLink } from './link.ts';
import { MARK, type Marked, readMarks, type Token, WHOLE } from './marks.ts';
import { splitSentences, withoutScaffold } from './sentences.ts';

/** No text of a completion says more than this. */
export const CLAIMS_MAX = 300;
/** The longest claim that is kept, in UTF-16 code units; what identifies it is the whole. */
const CLAIM_MAX = 2_000;
const CITED_MAX = 50;

type Texts = Pick<ReadCompletion, ClaimRole | 'text_chunks'>;
type Results = {
  links: readonly Pick<ReadLink, 'canonical'>[];
  posts: readonly Pick<ReadPost, 'external_id' | 'url'>[];
  nestedPosts: readonly Pick<ReadPost, 'external_id' | 'url'>[];
};

/**
 * The claims of all texts of a completion, in order; within a text each once. Never throws, in time linear in
 * the texts, with a pause behind each. A bare number (`[8, 17]`) is resolved where the same text says what it
 * stands for, by `[8](address)` or in a list of sources: no generation says in which order its results are numbered.
 */
export function* readClaims(texts: Texts, results: Results): Turns<ReadClaim[]> {
  const isReturned = returnedBy(results);
  const claims: Claim[] = [];
  for (const role of CLAIM_ROLES) {
    yield;
    claims.push(...claimsOf(role, textOf(texts, role), isReturned));
  }
  return claims.map((claim, position) => ({ ...claim, position }));
}

/** What makes two wordings one claim: compatibility forms, case and white space do not count, all else does. */
export function identityOf(text: string): string {
  const bare = text.normalize('NFKC').toLowerCase().replace(/\s+/gu, ' ').trim();
  return createHash('sha256').update(bare).digest('hex').slice(0, 32);
}

/** The summary of posts may stand in its pieces only. */
function textOf(texts: Texts, role: ClaimRole): string {
  const pieces = role === 'microblog_summary' ? (texts.text_chunks ?? []).join('') : '';
  return clean(texts[role] || pieces);
}

type Claim = Omit<ReadClaim, 'position'>;

function claimsOf(role: ClaimRole, text: string, isReturned: (link: LinkRef) => boolean): Claim[] {
  const marked = readMarks(withoutScaffold(text));
  const found = new Map<string, Claim>();
  let next = 0;
  for (const piece of splitSentences(joinedMarks(marked.text))) {
    const count = piece.split(/[\ue000\ue001]/).length - 1;
    const tokens = marked.tokens.slice(next, next + count);
    next += count;
    const said = wordsOf(piece, tokens);
    if (!isClaim(said)) continue;
    const identity = identityOf(said);
    const cited = citedBy(tokens, marked.numbered, isReturned);
    const before = found.get(identity);
    if (before === undefined && found.size >= CLAIMS_MAX) break;
    found.set(
      identity,
      before === undefined
        ? { role, text: clean(said, CLAIM_MAX), identity, ...cited }
        : {
            ...before,
            citations: distinct([...before.citations, ...cited.citations]),
            unresolved: [...new Set([...before.unresolved, ...cited.unresolved])].slice(0, CITED_MAX),
          },
    );
  }
  return [...found.values()];
}

/** Marks that stand together, and parentheses that hold nothing else, become marks side by side. */
function joinedMarks(text: string): string {
  return text
    .replace(/\ue000(?:\s?[,;]\s?\ue000)+/g, (marks) => marks.replace(/[^\ue000]/g, ''))
    .replace(/[([]\s?(\ue000+|\ue001)\s?[)\]]/g, (_, inside: string) =>
      inside.startsWith(MARK) ? inside : `(${inside})`,
    );
}

/** The piece as a sentence: what was whole is put back, marks, emphasis and signs of lists go. */
function wordsOf(piece: string, tokens: readonly Token[]): string {
  let next = 0;
  const bare = piece
    .replace(/\s+/gu, ' ')
    .replace(/^ ?(?:(?:[-+•>–]|\*(?!\*)|\d{1,3}[.)])\s+)+/u, '')
    .replace(/\*\*|__/g, '')
    .replace(/(?<![\p{L}\p{N}*])\*(?=\S)|(?<=\S)\*(?![\p{L}\p{N}*])/gu, '');
  return (
    bare
      .replace(/[\ue000\ue001]/g, (holder) => {
        const words = tokens[next++]?.words ?? '';
        return holder === WHOLE ? words : MARK;
      })
      // From the first of a row on: begun anew at each of them, a long row would take the square of its length.
      .replace(/(?:(?<!\s)\s+)?(?<!\ue000)\ue000+(?=[.,;:!?)。！？]|\s|$)/gu, '')
      .replace(/(?:(?<!\s)\s+)?\ue000+\s*/g, ' ')
      .replace(/\s+/gu, ' ')
      .trim()
  );
}

/** A scrap, a lead-in or a line of signs says nothing that could be new. */
function isClaim(text: string): boolean {
  const words = text.split(' ').filter((word) => /[\p{L}\p{N}]/u.test(word));
  if (!/\p{L}/u.test(text)) return false;
  if (
    /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]{4}/u.test(text)
  )
    return true;
  return words.length >= 3 || (words.length === 2 && /[.!?؟।]["'”’»)]*$/u.test(text));
}

function citedBy(
  tokens: readonly Token[],
  numbered: Marked['numbered'],
  isReturned: (link: LinkRef) => boolean,
): Pick<Claim, 'citations' | 'unresolved'> {
  const links: LinkRef[] = [];
  const unresolved = new Set<number>();
  for (const token of tokens) {
    links.push(...token.links);
    for (const n of token.numbers) {
      const link = numbered.get(n);
      if (link === undefined || link === null) unresolved.add(n);
      else links.push(link);
    }
  }
  return {
    citations: distinct(links.map((link) => ({ ...link, returned: isReturned(link) }))),
    unresolved: [...unresolved].slice(0, CITED_MAX),
  };
}

function distinct(citations: readonly ReadCitation[]): ReadCitation[] {
  return [...new Map(citations.map((one) => [one.canonical, one])).values()].slice(0, CITED_MAX);
}

/** Whether a link is a result of the answer, or the address of a post that stands in it. */
function returnedBy({ links, posts, nestedPosts }: Results): (link: LinkRef) => boolean {
  const all = [...posts, ...nestedPosts];
  const ids = new Set(all.map(({ external_id }) => external_id));
  const addresses = new Set([
    ...links.map(({ canonical }) => canonical),
    ...all.flatMap(({ url }) => readLink(url).link?.canonical ?? []),
  ]);
  return ({ canonical }) => {
    const id = idInAddress(canonical);
    return addresses.has(canonical) || (id !== null && ids.has(id));
  };
}
