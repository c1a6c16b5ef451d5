/** Sources that behave as a test wants. */
import type { Source } from '../../src/model/enumerations.ts';
import type { MicroblogPost } from '../../src/protocol/specification.ts';
import type { FoundItem, SourceQuery, SearchSource } from '../../src/service/sources/search-source.ts';

/** A live source of a tool that answers with what `find` gives. */
export function stubSource(
  source: Source,
  find: (query: SourceQuery) => Promise<readonly FoundItem[]>,
  name = `${source.replace('_', '-')}-of-the-test`,
): SearchSource {
  return { name, source, state: 'live', find };
}

/** A source that never answers, and does not hear the signal either. */
export function deafSource(source: Source, name = `deaf-${source}`): SearchSource {
  return stubSource(source, () => new Promise<never>(() => {}), name);
}

export function foundItem(link: string, more: Partial<FoundItem> = {}): FoundItem {
  const { source = 'web', publishedAt = new Date('2026-11-21T11:00:00.000Z') } = more;
  return {
    source,
    title: ownWords(link, 4),
    link,
    snippet: `${ownWords(link, 12)}.`,
    summaryDescription: '',
    ...more,
    publishedAt: 'publishedAt' in more ? more.publishedAt : publishedAt,
  };
}

/** Words that no other text has: near-doubles are folded, and these must not be. */
function ownWords(name: string, count: number): string {
  const own = name.replace(/\W/g, '').slice(-6);
  return Array.from({ length: count }, (_, n) => `tide${own}${n}`).join(' ');
}

/** A post as a microblog finds it, at so many minutes past eleven. */
export function foundPost(id: string, minute: number, more: Partial<MicroblogPost> = {}): FoundItem {
  const created_at = `2026-11-21T11:${String(minute).padStart(2, '0')}:00.000Z`;
  const link = `https://chirp.example/tove/status/${id}`;
  const post: MicroblogPost = {
    user: {
      id: '7',
      url: 'https://chirp.example/tove',
      name: 'Tove',
      username: 'tove',
      created_at: '2015-01-01T00:00:00.000Z',
      description: '',
      favourites_count: 1,
      followers_count: 2,
      listed_count: 0,
      media_count: 0,
      profile_image_url: 'https://chirp.example/tove.png',
      statuses_count: 9,
      verified: false,
      is_blue_verified: false,
      can_dm: false,
      can_media_tag: false,
      location: '',
    },
    id,
    text: `${ownWords(id, 12)}.`,
    reply_count: 0,
    repost_count: 0,
    like_count: 0,
    view_count: 0,
    quote_count: 0,
    impression_count: 0,
    bookmark_count: 0,
    url: link,
    created_at,
    media: [],
    is_quote_post: false,
    is_repost: false,
    lang: 'en',
    conversation_id: id,
    in_reply_to_screen_name: null,
    in_reply_to_status_id: null,
    in_reply_to_user_id: null,
    quoted_status_id: null,
    quote: null,
    entities: {},
    summary_description: '',
    ...more,
  };
  return foundItem(link, {
    source: 'microblog',
    snippet: post.text,
    publishedAt: new Date(created_at),
    post,
  });
}
