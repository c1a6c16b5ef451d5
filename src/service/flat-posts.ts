/** Posts as a flat dialect shows them: whole quoted posts, and entities with their places in the text. */

import { parseUrl, trimEndSlashes } from '../model/links/link.ts';
import type { ServedPost } from '../protocol/extensions.ts';
import { type FlatEntities, type FlatPost, REQUIRED_COUNTERS } from '../protocol/flat-response.ts';
import type { MicroblogPost } from '../protocol/specification.ts';
import { fillUnknownCounters, toServedPosts } from './microblog-search.ts';
import type { FoundItem } from './sources/search-source.ts';
import { z } from 'zod';

/** The post of an item in an array; empty if it has none. */
export function toFlatPosts({ post, quoted, popular }: FoundItem): FlatPost[] {
  if (post === undefined) return [];
  const quote = quoted === undefined ? null : flatten(quoted);
  return [{ ...flatten(post), quote, ...(popular && { popular }) }];
}

/**
 * The post of an item as the specification shows it, which clients of the flat dialect accept as well: with places of
 * entities, and without the quoted post, a text here and a post there.
 */
export function toCommonPosts(item: FoundItem): ServedPost[] {
  return toServedPosts(item).map((post) => ({
    ...post,
    entities: locateEntities(post.text, post.entities),
    quote: null,
  }));
}

function flatten(post: MicroblogPost): FlatPost & { quote: null } {
  const { impression_count: _, summary_description: __, ...shown } = post;
  return {
    ...fillUnknownCounters(shown, REQUIRED_COUNTERS),
    entities: locateEntities(post.text, post.entities),
    quote: null,
  };
}

// Entities: sources say what a post names; where it stands is read from the text.

/** Of each kind in one post. */
const MAX_ENTITIES = 50;

const name = z.string().min(1);
const listOf = <T extends z.ZodType>(entity: T) =>
  z
    .array(entity.nullable().catch(null))
    .catch([])
    .transform((all) => all.slice(0, MAX_ENTITIES).filter((each) => each !== null));
const sourceEntities = z.object({
  hashtags: listOf(z.object({ text: name })),
  urls: listOf(z.object({ url: name, expanded_url: name })),
  user_mentions: listOf(
    z.object({
      screen_name: name,
      id_str: z.string().catch(''),
      name: z.string().optional().catch(undefined),
    }),
  ),
});

/** Each occurrence of each entity; with empty `indices` if the text does not show it, such as a link card. */
function locateEntities(text: string, entities: MicroblogPost['entities']): FlatEntities {
  const named = sourceEntities.parse(entities);
  const locate = createLocator(text);
  return {
    hashtags: named.hashtags.flatMap((tag) =>
      locate([`#${tag.text}`, `＃${tag.text}`]).map((indices) => ({ text: tag.text, indices })),
    ),
    urls: named.urls.flatMap(({ url, expanded_url }) => {
      const bare = trimEndSlashes(expanded_url).replace(/^https?:\/\/(?:www\.)?/, '');
      const display_url = shortenAddress(bare);
      const shortened = findShortened(text, bare);
      return locate([url, trimEndSlashes(expanded_url), bare, ...shortened]).map((indices) => ({
        url,
        expanded_url,
        display_url,
        indices,
      }));
    }),
    user_mentions: named.user_mentions.flatMap(({ screen_name, id_str, name: shown = screen_name }) =>
      // Texts show accounts of other servers without their host.
      locate([`@${screen_name}`, `@${screen_name.replace(/@.*$/s, '')}`]).map((indices) => ({
        id_str,
        name: shown,
        screen_name,
        indices,
      })),
    ),
  };
}

/** As the hosted service shows addresses: without scheme, 30 characters of path at most. */
function shortenAddress(bare: string): string {
  const pathStart = bare.indexOf('/');
  const most = (pathStart === -1 ? bare.length : pathStart) + 30;
  return bare.length <= most ? bare : `${bare.slice(0, most)}…`;
}

/** Shortened spellings of an address in a text: its host and the beginning of its path, then an ellipsis. */
function findShortened(text: string, bare: string): string[] {
  const { host = '' } = parseUrl(`https://${bare}`) ?? {};
  return Array.from(text.matchAll(/\S+/g), ([word]) =>
    /^(?:https?:\/\/)?(?:www\.)?(.*?)(?:…|\.\.\.)$/s.exec(word),
  )
    .filter((match) => {
      const beginning = match?.[1] ?? '';
      return beginning.startsWith(host) && beginning.length > host.length && bare.startsWith(beginning);
    })
    .map((match) => match?.[0] ?? '');
}

/** Matches where the word goes on: a longer word begins like this word. */
const WORD_GOES_ON = /^[\p{L}\p{N}_]/u;

/** @returns finds the first spelling that a text has, at each of its places; one empty place if it has none */
function createLocator(text: string): (spellings: readonly string[]) => number[][] {
  const lower = text.toLowerCase();
  // Lower case has another length in a few scripts.
  const searched = lower.length === text.length ? lower : text;
  const characters = new Uint32Array(text.length + 1);
  for (let at = 0; at < text.length; at++) {
    const isSecondHalf = /[\udc00-\udfff]/.test(text.charAt(at));
    characters[at + 1] = (characters[at] ?? 0) + (isSecondHalf ? 0 : 1);
  }
  return (spellings) => {
    for (const spelling of spellings.map((each) => (searched === lower ? each.toLowerCase() : each))) {
      const places: number[][] = [];
      let at = spelling === '' ? -1 : searched.indexOf(spelling);
      for (; at !== -1 && places.length < MAX_ENTITIES; at = searched.indexOf(spelling, at + 1)) {
        const end = at + spelling.length;
        if (!WORD_GOES_ON.test(text.slice(end, end + 2)))
          places.push([characters[at] ?? 0, characters[end] ?? 0]);
      }
      if (places.length > 0) return places;
    }
    return [[]];
  };
}
