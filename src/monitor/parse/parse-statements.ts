/** Parses a completion into statements with their citations. */

import { readIdFromAddress } from '../../model/links/link.ts';
import type { Cooperative } from '../../lib/cooperative.ts';
import { CLAIM_ROLES } from '../../model/enumerations.ts';
import type {
  LinkRef,
  ParsedCitation,
  ParsedCompletion,
  ParsedLink,
  ParsedPost,
  ParsedStatement,
  StatementRole,
} from '../../model/parsed-results.ts';
import { hashStatement, MARK, splitSentences, unwrapLines } from '../../lib/sentences.ts';
import { cleanText, hasLetterOrDigit, UNSPACED_SCRIPTS } from '../../lib/text.ts';
import { extractMarks, KEPT_WHOLE, type MarkedText, type MarkToken } from './citations.ts';
import { distinctLinks, parseLink } from './parse-links.ts';

/** Maximum statements per text. */
export const MAX_STATEMENTS = 300;
/** Maximum stored length of a statement, in UTF-16 code units; its identity uses the full text. */
const MAX_STATEMENT_LENGTH = 2_000;
const MAX_CITED = 50;
/** Sentences that are read without a pause. */
const PIECES_AT_ONCE = 200;

type CompletionTexts = Pick<ParsedCompletion, StatementRole | 'text_chunks'>;
type CitableResults = {
  links: readonly Pick<ParsedLink, 'canonical'>[];
  posts: readonly Pick<ParsedPost, 'external_id' | 'url'>[];
  nestedPosts: readonly Pick<ParsedPost, 'external_id' | 'url'>[];
};

/**
 * Parses the statements of all texts of a completion, in order, distinct within a text. Never throws; linear in the
 * length of the texts, with pauses. Bare numbers (`[8, 17]`) are resolved only if the same text defines
 * them, by `[8](address)` or a list of sources: no generation specifies how its results are numbered.
 * @param toCitation see {@link createCitationResolver}
 */
export function* parseStatements(
  texts: CompletionTexts,
  toCitation: CitationResolver,
): Cooperative<ParsedStatement[]> {
  const claims: Statement[] = [];
  for (const role of CLAIM_ROLES) {
    yield;
    claims.push(...(yield* parseTextStatements(role, readRoleText(texts, role), toCitation)));
  }
  return claims.map((claim, position) => ({ ...claim, position }));
}

/** The text of a section. The microblog summary may exist only as pieces. */
export function readRoleText(texts: CompletionTexts, role: StatementRole): string {
  const pieces = role === 'microblog_summary' ? (texts.text_chunks ?? []).join('') : '';
  return cleanText(texts[role] || pieces);
}

type Statement = Omit<ParsedStatement, 'position'>;

function* parseTextStatements(
  role: StatementRole,
  text: string,
  toCitation: CitationResolver,
): Cooperative<Statement[]> {
  const marked = yield* extractMarks(stripHeadings(text));
  const statements = new Map<string, Statement>();
  let next = 0;
  const lines = unwrapLines(joinMarks(marked.text));
  yield;
  for (const [i, piece] of splitSentences(lines).entries()) {
    if (i % PIECES_AT_ONCE === 0) yield;
    const count = piece.split(/[\ue000\ue001]/).length - 1;
    const tokens = marked.tokens.slice(next, next + count);
    next += count;
    const sentence = restoreSentence(piece, tokens);
    if (!isStatement(sentence)) continue;
    const identity = hashStatement(sentence);
    const cited = resolveCitations(tokens, marked.numbered, toCitation);
    const before = statements.get(identity);
    if (before === undefined && statements.size >= MAX_STATEMENTS) break;
    statements.set(
      identity,
      before === undefined
        ? { role, text: cleanText(sentence, MAX_STATEMENT_LENGTH), identity, ...cited }
        : {
            ...before,
            citations: distinctLinks([...before.citations, ...cited.citations]).slice(0, MAX_CITED),
            unresolved: [...new Set([...before.unresolved, ...cited.unresolved])].slice(0, MAX_CITED),
          },
    );
  }
  return [...statements.values()];
}

/** Joins adjacent marks and parentheses that contain only marks. */
function joinMarks(text: string): string {
  return text
    .replace(/\ue000(?:\s?[,;]\s?\ue000)+/g, (marks) => marks.replace(/[^\ue000]/g, ''))
    .replace(/[([]\s?(\ue000+|\ue001)\s?[)\]]/g, (_, inside: string) =>
      inside.startsWith(MARK) ? inside : `(${inside})`,
    );
}

/** Turns a piece into a sentence: restores placeholders, removes marks, emphasis and list bullets. */
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
      // Only from the first mark of a run: retrying at each would take quadratic time.
      .replace(/(?:(?<!\s)\s+)?(?<!\ue000)\ue000+(?=[.,;:!?)。！？]|\s|$)/gu, '')
      .replace(/(?:(?<!\s)\s+)?\ue000+\s*/g, ' ')
      .replace(/\s+/gu, ' ')
      .trim()
  );
}

const UNSPACED_RUN = new RegExp(`[${UNSPACED_SCRIPTS}]{4}`, 'u');

/** Excludes fragments, lead-ins and lines of symbols. */
function isStatement(text: string): boolean {
  const words = text.split(' ').filter(hasLetterOrDigit);
  if (!/\p{L}/u.test(text)) return false;
  if (UNSPACED_RUN.test(text)) return true;
  return words.length >= 3 || (words.length === 2 && /[.!?؟।]["'”’»)]*$/u.test(text));
}

function resolveCitations(
  tokens: readonly MarkToken[],
  numbered: MarkedText['numbered'],
  toCitation: (link: LinkRef) => ParsedCitation,
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
    citations: distinctLinks(links.map(toCitation)).slice(0, MAX_CITED),
    unresolved: [...unresolved].slice(0, MAX_CITED),
  };
}

/** Marks that could end a citation, which services escape in its address and nowhere else. */
const ESCAPED_MARK = /%(?:2[789]|5[BDE]|7C)/gi;

export type CitationResolver = (link: LinkRef) => ParsedCitation;

/**
 * Resolves a cited link: whether it is a result of the response, or the address of one of its posts, and if so as it is
 * spelled there.
 */
export function* createCitationResolver({
  links,
  posts,
  nestedPosts,
}: CitableResults): Cooperative<CitationResolver> {
  const all = [...posts, ...nestedPosts];
  const ids = new Set(all.map(({ external_id }) => external_id));
  const addresses = new Set(links.map(({ canonical }) => canonical));
  for (const { url } of all) {
    const { link } = parseLink(url);
    if (link !== undefined) addresses.add(link.canonical);
    yield;
  }
  const isReturned = ({ canonical }: LinkRef) => {
    const id = readIdFromAddress(canonical);
    return addresses.has(canonical) || (id !== null && ids.has(id));
  };
  return (link) => {
    if (isReturned(link)) return { ...link, returned: true };
    const { link: plain } = parseLink(link.address.replace(ESCAPED_MARK, decodeURIComponent));
    return plain !== undefined && isReturned(plain)
      ? { ...plain, returned: true }
      : { ...link, returned: false };
  };
}

/** `# Title`, or a line that is entirely bold and no sentence. */
const HEADING =
  /^[^\S\n]{0,3}#{1,6}[^\S\n][^\n]*$|^[^\S\n]*(?:[-*+•][^\S\n]+)?(\*\*|__)[^*_\n]{1,300}(?<![.!?。！？])\1:?[^\S\n]*$/gmu;
/** Removes headings, which are no statements. */
function stripHeadings(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(HEADING, '');
}
