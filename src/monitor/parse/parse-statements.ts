/** What a completion says, sentence by sentence, and what it cites for each. */

import { readIdFromAddress } from '../../domain/link.ts';
import type { Cooperative } from '../../domain/cooperative.ts';
import { CLAIM_ROLES } from '../../domain/enumerations.ts';
import type {
  LinkRef,
  ParsedCitation,
  ParsedCompletion,
  ParsedLink,
  ParsedPost,
  ParsedStatement,
  StatementRole,
} from '../../domain/parsed-results.ts';
import { hashStatement, MARK, splitSentences, unwrapLines } from '../../domain/sentences.ts';
import { cleanText } from '../../domain/text.ts';
import { extractMarks, KEPT_WHOLE, type MarkedText, type MarkToken } from './citations.ts';
import { parseLink } from './parse-links.ts';

/** No text of a completion says more than this. */
export const MAX_STATEMENTS = 300;
/** The longest claim that is kept, in UTF-16 code units; what identifies it is the whole. */
const MAX_STATEMENT_LENGTH = 2_000;
const MAX_CITED = 50;

type CompletionTexts = Pick<ParsedCompletion, StatementRole | 'text_chunks'>;
type CitableResults = {
  links: readonly Pick<ParsedLink, 'canonical'>[];
  posts: readonly Pick<ParsedPost, 'external_id' | 'url'>[];
  nestedPosts: readonly Pick<ParsedPost, 'external_id' | 'url'>[];
};

/**
 * The claims of all texts of a completion, in order; within a text each once. Never throws, in time linear in
 * the texts, with a pause behind each. A bare number (`[8, 17]`) is resolved where the same text says what it
 * stands for, by `[8](address)` or in a list of sources: no generation says in which order its results are numbered.
 */
export function* parseStatements(
  texts: CompletionTexts,
  results: CitableResults,
): Cooperative<ParsedStatement[]> {
  const isReturned = createReturnedCheck(results);
  const claims: Statement[] = [];
  for (const role of CLAIM_ROLES) {
    yield;
    claims.push(...parseTextStatements(role, readRoleText(texts, role), isReturned));
  }
  return claims.map((claim, position) => ({ ...claim, position }));
}

/** The summary of posts may stand in its pieces only. */
function readRoleText(texts: CompletionTexts, role: StatementRole): string {
  const pieces = role === 'microblog_summary' ? (texts.text_chunks ?? []).join('') : '';
  return cleanText(texts[role] || pieces);
}

type Statement = Omit<ParsedStatement, 'position'>;

function parseTextStatements(
  role: StatementRole,
  text: string,
  isReturned: (link: LinkRef) => boolean,
): Statement[] {
  const marked = extractMarks(stripScaffold(text));
  const found = new Map<string, Statement>();
  let next = 0;
  for (const piece of splitSentences(unwrapLines(joinMarks(marked.text)))) {
    const count = piece.split(/[\ue000\ue001]/).length - 1;
    const tokens = marked.tokens.slice(next, next + count);
    next += count;
    const sentence = restoreSentence(piece, tokens);
    if (!isStatement(sentence)) continue;
    const identity = hashStatement(sentence);
    const cited = resolveCitations(tokens, marked.numbered, isReturned);
    const before = found.get(identity);
    if (before === undefined && found.size >= MAX_STATEMENTS) break;
    found.set(
      identity,
      before === undefined
        ? { role, text: cleanText(sentence, MAX_STATEMENT_LENGTH), identity, ...cited }
        : {
            ...before,
            citations: distinctCitations([...before.citations, ...cited.citations]),
            unresolved: [...new Set([...before.unresolved, ...cited.unresolved])].slice(0, MAX_CITED),
          },
    );
  }
  return [...found.values()];
}

/** Marks that stand together, and parentheses that hold nothing else, become marks side by side. */
function joinMarks(text: string): string {
  return text
    .replace(/\ue000(?:\s?[,;]\s?\ue000)+/g, (marks) => marks.replace(/[^\ue000]/g, ''))
    .replace(/[([]\s?(\ue000+|\ue001)\s?[)\]]/g, (_, inside: string) =>
      inside.startsWith(MARK) ? inside : `(${inside})`,
    );
}

/** The piece as a sentence: what was whole is put back, marks, emphasis and signs of lists go. */
function restoreSentence(piece: string, tokens: readonly MarkToken[]): string {
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
        return holder === KEPT_WHOLE ? words : MARK;
      })
      // From the first of a row on: begun anew at each of them, a long row would take the square of its length.
      .replace(/(?:(?<!\s)\s+)?(?<!\ue000)\ue000+(?=[.,;:!?)。！？]|\s|$)/gu, '')
      .replace(/(?:(?<!\s)\s+)?\ue000+\s*/g, ' ')
      .replace(/\s+/gu, ' ')
      .trim()
  );
}

/** A scrap, a lead-in or a line of signs says nothing that could be new. */
function isStatement(text: string): boolean {
  const words = text.split(' ').filter((word) => /[\p{L}\p{N}]/u.test(word));
  if (!/\p{L}/u.test(text)) return false;
  if (
    /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]{4}/u.test(text)
  )
    return true;
  return words.length >= 3 || (words.length === 2 && /[.!?؟।]["'”’»)]*$/u.test(text));
}

function resolveCitations(
  tokens: readonly MarkToken[],
  numbered: MarkedText['numbered'],
  isReturned: (link: LinkRef) => boolean,
): Pick<Statement, 'citations' | 'unresolved'> {
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
    citations: distinctCitations(links.map((link) => ({ ...link, returned: isReturned(link) }))),
    unresolved: [...unresolved].slice(0, MAX_CITED),
  };
}

function distinctCitations(citations: readonly ParsedCitation[]): ParsedCitation[] {
  return [...new Map(citations.map((one) => [one.canonical, one])).values()].slice(0, MAX_CITED);
}

/** Whether a link is a result of the answer, or the address of a post that stands in it. */
function createReturnedCheck({ links, posts, nestedPosts }: CitableResults): (link: LinkRef) => boolean {
  const all = [...posts, ...nestedPosts];
  const ids = new Set(all.map(({ external_id }) => external_id));
  const addresses = new Set([
    ...links.map(({ canonical }) => canonical),
    ...all.flatMap(({ url }) => parseLink(url).link?.canonical ?? []),
  ]);
  return ({ canonical }) => {
    const id = readIdFromAddress(canonical);
    return addresses.has(canonical) || (id !== null && ids.has(id));
  };
}

const FENCED = /```[\s\S]*?(?:```|$)/g;
/** `# Title`, and a line that is bold as a whole and no sentence. */
const HEADING =
  /^[^\S\n]{0,3}#{1,6}[^\S\n][^\n]*$|^[^\S\n]*(?:[-*+•][^\S\n]+)?(\*\*|__)[^*_\n]{1,300}(?<![.!?。！？])\1:?[^\S\n]*$/gmu;
/** A text without code blocks and headings, which say nothing of their own. */
function stripScaffold(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(FENCED, '\n').replace(HEADING, '');
}
