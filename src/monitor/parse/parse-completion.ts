/** Parses the completion of operation A: its texts, key items and links. */

import type { Cooperative } from '../../lib/cooperative.ts';
import { wireName, type Dialect } from '../../protocol/dialect.ts';
import { CLAIM_ROLES, KEY_LISTS } from '../../model/enumerations.ts';
import { isPlain, isPoisonous, own, type Plain } from '../../lib/json-values.ts';
import { cleanText } from '../../lib/text.ts';
import { parseCitations } from './citations.ts';
import type { LinkRef, ParsedCompletion, ParsedKeyItem, StatementRole } from '../../model/parsed-results.ts';
import { hasAnyMember, readItems, type Item } from './response-generations.ts';
import { distinctLinks, parseLink, parseLinkRefs, readAddress } from './parse-links.ts';
import { readRoleText } from './parse-statements.ts';
import { parseWarnings, type Rejects } from './rejects-and-warnings.ts';
import { readNonEmptyText, readText } from './wire-values.ts';

const MAX_CHUNKS = 20_000;
const MAX_SCORES = 10_000;

/** Statements are parsed later, together with the results. */
type CompletionWithoutStatements = Omit<ParsedCompletion, 'claims'>;

/**
 * Parses the completion of a response (an object, or since the third generation a text with inline citations), with its
 * text chunks and links. Null if the response has none.
 */
export function* parseCompletion(
  answer: Plain,
  dialect: Dialect,
  rejects: Rejects,
): Cooperative<CompletionWithoutStatements | null> {
  const { completion } = answer;
  const written = yield* parseWrittenTexts(completion, dialect, rejects);
  const texts = isPlain(answer.texts) ? answer.texts : {};
  const roleText = (member: string) => readText(own(texts, wireName(dialect, member)));
  const sections = {
    summary: written.summary,
    microblog_summary: written.microblog_summary ?? roleText('microblog_summary'),
    discussion_board_summary: written.discussion_board_summary ?? roleText('discussion_board_summary'),
    news_forum_summary: written.news_forum_summary ?? roleText('news_forum_summary'),
    text_chunks: parseChunks(answer.text_chunks, wireName(dialect, 'microblog_summary'), rejects),
  };
  const links = yield* parseAddressList(answer, 'completion_links', rejects);
  for (const role of CLAIM_ROLES) {
    links.push(...(yield* parseCitations(readRoleText(sections, role))));
    yield;
  }
  const read: CompletionWithoutStatements = {
    ...sections,
    text: readNonEmptyText(answer.text),
    completion_links: distinctLinks(links),
    search_completion_links: yield* parseAddressList(answer, 'search_completion_links', rejects),
    key_items: written.key_items,
    miner_link_scores: parseScores(answer.miner_link_scores),
    warnings: parseWarnings(answer.warnings),
  };
  return isPlain(completion) || hasContent(read) ? read : null;
}

type WrittenTexts = Pick<ParsedCompletion, StatementRole | 'key_items'>;

function* parseWrittenTexts(
  completion: unknown,
  dialect: Dialect,
  rejects: Rejects,
): Cooperative<WrittenTexts> {
  const nothing: WrittenTexts = {
    summary: null,
    microblog_summary: null,
    discussion_board_summary: null,
    news_forum_summary: null,
    key_items: [],
  };
  if (completion === null || completion === undefined) return nothing;
  if (typeof completion === 'string') return { ...nothing, summary: cleanText(completion) };
  if (!isPlain(completion)) {
    rejects.add('completion', 'bad_shape', completion);
    return nothing;
  }
  const member = (name: string) => own(completion, wireName(dialect, name)) ?? own(completion, name);
  const keyItems: ParsedKeyItem[] = [];
  for (const list of KEY_LISTS) {
    const path = `completion.${wireName(dialect, list)}`;
    const { items, wrong } = readItems(path, member(list), hasAnyMember('text', 'url'));
    if (wrong !== undefined) rejects.add(path, 'bad_shape', wrong);
    for (const [position, item] of items.entries()) {
      keyItems.push(...parseKeyItem(list, position, item, rejects));
      yield;
    }
  }
  return {
    summary: readText(completion.summary),
    microblog_summary: readText(member('microblog_summary')),
    discussion_board_summary: readText(member('discussion_board_summary')),
    news_forum_summary: readText(member('news_forum_summary')),
    key_items: keyItems,
  };
}

function parseKeyItem(
  list: ParsedKeyItem['list'],
  position: number,
  { path, value }: Item,
  rejects: Rejects,
): ParsedKeyItem[] {
  if (typeof value === 'string') return [{ list, position, text: cleanText(value), url: null, link: null }];
  if (!isPlain(value)) {
    rejects.add(path, 'not_an_object', value);
    return [];
  }
  const text = readText(value.text);
  const address = own(value, 'url') ?? own(value, 'link');
  const link = parseLink(address).link ?? null;
  if (text === null && link === null) {
    rejects.add(path, 'bad_shape', value);
    return [];
  }
  return [{ list, position, text: text ?? '', url: readAddress(address), link }];
}

function parseChunks(chunks: unknown, member: string, rejects: Rejects): string[] | null {
  if (isEmptyMember(chunks)) return null;
  if (!isPlain(chunks)) {
    rejects.add('text_chunks', 'bad_shape', chunks);
    return null;
  }
  const pieces = own(chunks, member) ?? own(chunks, 'microblog_summary');
  if (typeof pieces === 'string') return [cleanText(pieces)];
  if (!Array.isArray(pieces)) {
    if (!isEmptyMember(pieces)) rejects.add(`text_chunks.${member}`, 'bad_shape', pieces);
    return null;
  }
  return pieces
    .slice(0, MAX_CHUNKS)
    .flatMap((piece) => (typeof piece === 'string' ? [cleanText(piece)] : []));
}

/** Whether a member is empty: null, missing or an empty list. */
function isEmptyMember(value: unknown): boolean {
  return value === null || value === undefined || (Array.isArray(value) && value.length === 0);
}

function parseAddressList(answer: Plain, member: string, rejects: Rejects): Cooperative<LinkRef[]> {
  const list = own(answer, member);
  const { items, wrong } = readItems(member, typeof list === 'string' ? [list] : list, () => false);
  if (wrong !== undefined) rejects.add(member, 'bad_shape', wrong);
  return parseLinkRefs(items, rejects);
}

function parseScores(scores: unknown): Record<string, string> | null {
  if (!isPlain(scores)) return null;
  const read = Object.entries(scores)
    .slice(0, MAX_SCORES)
    .flatMap(([thing, score]) =>
      typeof score === 'string' && !isPoisonous(thing)
        ? [[cleanText(thing, 2_048), cleanText(score, 50)]]
        : [],
    );
  return Object.fromEntries(read) as Record<string, string>; // Object.fromEntries loses the value type
}

function hasContent(read: CompletionWithoutStatements): boolean {
  return Object.values(read).some((part) => {
    if (part === null || part === '') return false;
    if (Array.isArray(part)) return part.length > 0;
    return typeof part === 'string' || Object.keys(part).length > 0;
  });
}
