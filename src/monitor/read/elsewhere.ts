import type { Source } from '../../contract/enumerations.ts';
import type { KeyList, LinkRef, ReadKeyItem, ReadPost } from './findings.ts';
import { readLink } from './link.ts';

/** What an answer says of an address outside its groups. */
export type SaidElsewhere = { source: Source; title: string | null };

/** Of which source a list of key items is; `key_sources` is of several, and says nothing of it. */
const SOURCE_OF_LIST: Partial<Record<KeyList, Source>> = {
  key_posts: 'discussion_board',
  key_microblog_posts: 'microblog',
  key_news: 'news_forum',
};

/**
 * Posts have no group in an answer of operation A: their addresses stand among its links alone, and what they say
 * among the key items of its completion. An address at the host of one that is known to be a post is one, too.
 * @returns what is said of an address; `web` without a title where nothing is
 */
export function saidElsewhere(
  posts: readonly ReadPost[],
  keyItems: readonly ReadKeyItem[],
): (link: LinkRef) => SaidElsewhere {
  const said = new Map<string, SaidElsewhere>();
  const hosts = new Set<string>();
  const add = ({ canonical, site }: LinkRef, source: Source | undefined, text: string) => {
    if (source === 'microblog') hosts.add(site);
    const before = said.get(canonical);
    said.set(canonical, {
      source: before === undefined || before.source === 'web' ? (source ?? 'web') : before.source,
      title: before?.title ?? (text === '' ? null : text),
    });
  };
  for (const { url, text } of posts) {
    const { link } = readLink(url);
    if (link !== undefined) add(link, 'microblog', text);
  }
  for (const { list, link, text } of keyItems) {
    if (link !== null) add(link, SOURCE_OF_LIST[list], text);
  }
  return ({ canonical, site }) => {
    const { source, title } = said.get(canonical) ?? { source: 'web', title: null };
    return { source: source === 'web' && hosts.has(site) ? 'microblog' : source, title };
  };
}
