import { wireName, type Dialect } from '../../contract/dialect.ts';
import { KEY_LISTS } from '../../contract/enumerations.ts';
import { isPlain, isPoisonous, own, type Plain } from '../../contract/plain.ts';
import { clean } from '../../contract/text.ts';
import { readCitations } from './citations.ts';
import type { LinkRef, ReadCompletion, ReadKeyItem } from './findings.ts';
import { hasAny, itemsOf, type Item } from './items.ts';
import { readAddress, readLink } from './link.ts';
import { readLinkRefs } from './links.ts';
import type { Rejects } from './reject.ts';
import { readText } from './text.ts';
import { readWarnings } from './warnings.ts';

const CHUNKS_MAX = 20_000;
const SCORES_MAX = 10_000;

/** What is read of a completion by itself; its claims are read beside what was found. */
export type ReadWriting = Omit<ReadCompletion, 'claims'>;

/**
 * What the service wrote, out of a whole answer: the completion (an object, or since the third generation
 * a text that cites inline), its text chunks and links. Null where the answer says nothing of the kind.
 */
export function readCompletion(answer: Plain, dialect: Dialect, rejects: Rejects): ReadWriting | null {
  const { completion } = answer;
  const written = readWritten(completion, dialect, rejects);
  const texts = isPlain(answer.texts) ? answer.texts : {};
  const roleText = (member: string) => readText(own(texts, wireName(dialect, member)));
  const read: ReadWriting = {
    summary: written.summary,
    microblog_summary: written.microblog_summary ?? roleText('microblog_summary'),
    discussion_board_summary: written.discussion_board_summary ?? roleText('discussion_board_summary'),
    news_forum_summary: written.news_forum_summary ?? roleText('news_forum_summary'),
    text_chunks: readChunks(answer.text_chunks, wireName(dialect, 'microblog_summary'), rejects),
    completion_links: mergedRefs(addressList(answer, 'completion_links', rejects), written.cited),
    search_completion_links: addressList(answer, 'search_completion_links', rejects),
    key_items: written.key_items,
    miner_link_scores: readScores(answer.miner_link_scores),
    warnings: readWarnings(answer.warnings),
  };
  return isPlain(completion) || saysAnything(read) ? read : null;
}

type Written = Pick<
  ReadCompletion,
  'summary' | 'microblog_summary' | 'discussion_board_summary' | 'news_forum_summary' | 'key_items'
> & { cited: LinkRef[] };

function readWritten(completion: unknown, dialect: Dialect, rejects: Rejects): Written {
  const nothing: Written = {
    summary: null,
    microblog_summary: null,
    discussion_board_summary: null,
    news_forum_summary: null,
    key_items: [],
    cited: [],
  };
  if (completion === null || completion === undefined) return nothing;
  if (typeof completion === 'string') {
    const summary = clean(completion);
    return { ...nothing, summary, cited: readCitations(summary) };
  }
  if (!isPlain(completion)) {
    rejects.add('completion', 'bad_shape', completion);
    return nothing;
  }
  const member = (name: string) => own(completion, wireName(dialect, name)) ?? own(completion, name);
  return {
    summary: readText(completion.summary),
    microblog_summary: readText(member('microblog_summary')),
    discussion_board_summary: readText(member('discussion_board_summary')),
    news_forum_summary: readText(member('news_forum_summary')),
    key_items: KEY_LISTS.flatMap((list) => {
      const path = `completion.${wireName(dialect, list)}`;
      const { items, wrong } = itemsOf(path, member(list), hasAny('text', 'url'));
      if (wrong !== undefined) rejects.add(path, 'bad_shape', wrong);
      return items.flatMap((item, position) => readKeyItem(list, position, item, rejects));
    }),
    cited: [],
  };
}

function readKeyItem(
  list: ReadKeyItem['list'],
  position: number,
  { path, value }: Item,
  rejects: Rejects,
): ReadKeyItem[] {
  if (typeof value === 'string') return [{ list, position, text: clean(value), url: null, link: null }];
  if (!isPlain(value)) {
    rejects.add(path, 'not_an_object', value);
    return [];
  }
  const text = readText(value.text);
  const address = own(value, 'url') ?? own(value, 'link');
  const link = readLink(address).link ?? null;
  if (text === null && link === null) {
    rejects.add(path, 'bad_shape', value);
    return [];
  }
  return [{ list, position, text: text ?? '', url: readAddress(address), link }];
}

function readChunks(chunks: unknown, member: string, rejects: Rejects): string[] | null {
  if (isNothing(chunks)) return null;
  if (!isPlain(chunks)) {
    rejects.add('text_chunks', 'bad_shape', chunks);
    return null;
  }
  const pieces = own(chunks, member) ?? own(chunks, 'microblog_summary');
  if (typeof pieces === 'string') return [clean(pieces)];
  if (!Array.isArray(pieces)) {
    if (!isNothing(pieces)) rejects.add(`text_chunks.${member}`, 'bad_shape', pieces);
    return null;
  }
  return pieces.slice(0, CHUNKS_MAX).flatMap((piece) => (typeof piece === 'string' ? [clean(piece)] : []));
}

/** What a member holds where there is nothing to say: null, absent or an empty list. */
function isNothing(value: unknown): boolean {
  return value === null || value === undefined || (Array.isArray(value) && value.length === 0);
}

function addressList(answer: Plain, member: string, rejects: Rejects): LinkRef[] {
  const list = own(answer, member);
  const { items, wrong } = itemsOf(member, typeof list === 'string' ? [list] : list, () => false);
  if (wrong !== undefined) rejects.add(member, 'bad_shape', wrong);
  return readLinkRefs(items, rejects);
}

function mergedRefs(...lists: LinkRef[][]): LinkRef[] {
  return [...new Map(lists.flat().map((link) => [link.canonical, link])).values()];
}

function readScores(scores: unknown): Record<string, string> | null {
  if (!isPlain(scores)) return null;
  const read = Object.entries(scores)
    .slice(0, SCORES_MAX)
    .flatMap(([thing, score]) =>
      typeof score === 'string' && !isPoisonous(thing) ? [[clean(thing, 2_048), clean(score, 50)]] : [],
    );
  return Object.fromEntries(read) as Record<string, string>; // pairs of two texts, which flatMap forgets
}

function saysAnything(read: ReadWriting): boolean {
  return Object.values(read).some((part) => {
    if (part === null || part === '') return false;
    if (Array.isArray(part)) return part.length > 0;
    return typeof part === 'string' || Object.keys(part).length > 0;
  });
}
