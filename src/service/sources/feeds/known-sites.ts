/** Sites whose pages have feeds at known addresses: YouTube, Reddit and Bluesky. */

import { parseUrl } from '../../../model/links/link.ts';

const YOUTUBE_HOST = /^(?:(?:www|m|music)\.)?youtube\.com$/;
const CHANNEL_PATH = /^\/channel\/(UC[\w-]{22})(?:\/|$)/;
const PLAYLIST_ID = /^[\w-]{10,60}$/;
const REDDIT_HOST = /^(?:(?:www|old|new|m|np)\.)?reddit\.com$/;
const BLUESKY_PROFILE = /^\/profile\/([\w.:-]{1,300})\/?$/;
const BOARD_PATH = /^\/(r|user|u)\/([\w-]{2,40})(?:\/(?:new|submitted))?\/?$/;

/** The feed of a channel, a playlist, a subreddit, a user or a profile; undefined for any other address. */
export function findKnownFeed({ hostname, pathname, searchParams }: URL): string | undefined {
  if (YOUTUBE_HOST.test(hostname)) {
    const feed = 'https://www.youtube.com/feeds/videos.xml';
    const channel = CHANNEL_PATH.exec(pathname)?.[1];
    if (channel !== undefined) return `${feed}?channel_id=${channel}`;
    const list = /^\/playlist\/?$/.test(pathname) ? (searchParams.get('list') ?? '') : '';
    return PLAYLIST_ID.test(list) ? `${feed}?playlist_id=${list}` : undefined;
  }
  if (hostname === 'bsky.app') {
    const account = BLUESKY_PROFILE.exec(pathname.replace(/%3a/gi, ':'))?.[1];
    return account === undefined ? undefined : `https://bsky.app/profile/${account}/rss`;
  }
  const [, kind = '', name = ''] = (REDDIT_HOST.test(hostname) && BOARD_PATH.exec(pathname)) || [];
  if (name === '') return undefined;
  return `https://www.reddit.com/${kind === 'r' ? `r/${name}/new` : `user/${name}/submitted`}/.rss`;
}

/** What Bluesky writes in place of pictures, links and quoted posts. */
const BLUESKY_FOOTER = '[contains quote post or other embedded content]';
/** What Reddit adds to each text of its feeds: `submitted by /u/name [link] [9 comments]`. */
const REDDIT_FOOTER = /^submitted by \S{1,60}(?: to \S{1,60})? \[link\] \[(?:\d{1,9} )?comments?\]$/;

/** The text of an entry without what its site adds to all of them. */
export function removeSiteFooter(link: string, text: string): string {
  const host = parseUrl(link)?.hostname ?? '';
  if (host === 'bsky.app')
    return text.endsWith(BLUESKY_FOOTER) ? text.slice(0, -BLUESKY_FOOTER.length).trimEnd() : text;
  if (!REDDIT_HOST.test(host)) return text;
  const at = text.lastIndexOf('submitted by ');
  const footer = at === -1 ? '' : text.slice(at).replace(/\s+/g, ' ').trim();
  return REDDIT_FOOTER.test(footer) ? text.slice(0, at).trim() : text;
}
