/** The discussion board found with a web search, where the board itself cannot be asked. */
import { urlOf } from '../../../contract/url.ts';
import type { Found, SearchSource } from '../../source.ts';

/** Any of the board's own hosts; the path of a thread, or of a comment in it. */
const HOST = /^(?:(?:www|old|new|np|m|amp|[a-z]{2})\.)?reddit\.com$/;
const THREAD = /^\/r\/(\w+)\/comments\/(\w+)(?:\/([^/]*))?/i;
/** What search engines put behind the title of a thread: ` : r/rust`, ` - Reddit`. */
const TAIL = /(?<!\s)\s+[:|\-–]\s+(?:r\/\w+|reddit)\s*$/i;

export function boardThroughWeb(web: SearchSource): SearchSource {
  return {
    // What holds of asking the web holds of this.
    ...web,
    name: `reddit-through-${web.name}`,
    source: 'discussion_board',
    async find(query) {
      // In front, so that it stays where a long prompt is cut.
      const found = await web.find({ ...query, prompt: `site:reddit.com ${query.prompt}` });
      const threads = new Map<string, Found>();
      for (const item of found) {
        const thread = threadOf(item.link);
        if (thread !== undefined && !threads.has(thread.id))
          threads.set(thread.id, asThread(item, thread.link));
      }
      return [...threads.values()];
    },
  };
}

function threadOf(address: string): { id: string; link: string } | undefined {
  const url = urlOf(address);
  if (url === undefined) return undefined;
  const { hostname, pathname } = url;
  const match = HOST.test(hostname) ? THREAD.exec(pathname) : null;
  if (match === null) return undefined;
  const [, board = '', thread = '', slug = ''] = match;
  const path = [board, 'comments', thread, slug].filter((part) => part !== '').join('/');
  return { id: thread.toLowerCase(), link: `https://www.reddit.com/r/${path}/` };
}

function asThread(item: Found, link: string): Found {
  return { ...item, source: 'discussion_board', link, title: item.title.replace(TAIL, '') || item.title };
}
