/**
 * Stand-ins for the sources that need no key: the adapters are the real ones, what they ask is answered from the held
 * items in the form of each provider, and by its own rule which words must match.
 */
import { encodeXML } from 'entities';
import { Headers } from 'undici';
import { foldLetters } from '../../src/lib/folded-words.ts';
import { hasUnspacedScript } from '../../src/model/relevance.ts';
import { createLogger } from '../../src/platform/logger.ts';
import { steppedClock } from '../../src/platform/clock.ts';
import { searchEntries } from '../../src/service/sources/feeds/feed-search.ts';
import type { Adapter, AdapterContext } from '../../src/service/sources/adapter.ts';
import { arxiv } from '../../src/service/sources/providers/arxiv.ts';
import { gdelt } from '../../src/service/sources/providers/gdelt.ts';
import { github } from '../../src/service/sources/providers/github.ts';
import { hackerNews } from '../../src/service/sources/providers/hacker-news.ts';
import { mastodon } from '../../src/service/sources/providers/mastodon.ts';
import { mediawiki } from '../../src/service/sources/providers/mediawiki.ts';
import { stackExchange } from '../../src/service/sources/providers/stack-exchange.ts';
import type { PageOpener, PageOutcome } from '../../src/service/sources/pages/page-opener.ts';
import type { SearchSource } from '../../src/service/sources/search-source.ts';
import { ASKED_AT, type HeldItem } from './asked.ts';

/** @param counted what every counter is multiplied by: items stay the same when it moves */
export function openStandIns(held: readonly HeldItem[], counted: number): SearchSource[] {
  const of = (kind: string) => held.filter((item) => item.kind === kind);
  const points = (item: HeldItem) => ((item.number * 37) % 101) * counted + (item.number % counted);
  const adapters: [Adapter, (url: URL) => unknown][] = [
    [hackerNews(), (url) => answerHackerNews(of('hn'), url, points)],
    [mediawiki({ dates: 'none' }), (url) => answerMediaWiki(of('wiki'), url)],
    [arxiv(), (url) => answerArxiv(of('arxiv'), url)],
    [
      mastodon({ server: 'https://mastodon.social', token: undefined }),
      (url) => answerMastodon(of('mastodon'), url, points),
    ],
    [stackExchange({ sites: ['stackoverflow'] }), (url) => answerStackExchange(of('stack'), url, points)],
    [github({ token: undefined }), (url) => answerGitHub(of('github'), url, points)],
    [gdelt(), (url) => answerGdelt(of('gdelt'), url)],
  ];
  return [...adapters.map(([adapter, answer]) => toSource(adapter, answer)), createFeedSource(of('feed'))];
}

function toSource(adapter: Adapter, answer: (url: URL) => unknown): SearchSource {
  const clock = steppedClock(ASKED_AT);
  const context: AdapterContext = {
    ask: async ({ url }) => {
      const body = answer(url);
      return {
        status: 200,
        headers: new Headers(),
        text: typeof body === 'string' ? body : JSON.stringify(body),
      };
    },
    clock,
    log: createLogger('silent'),
    who: 'strandline-bench',
    leftMs: () => 6_000,
    spend: async () => {},
    unspend: async () => {},
    cutShort: () => {},
    rest: () => {},
    report: () => {},
  };
  const { name, source, wordings } = adapter;
  const find: SearchSource['find'] = (query) => adapter.find(query, context);
  return { name, source, state: 'live', find, ...(wordings && { wordings }) };
}

/** The entries of the feeds, searched as the real source searches them. */
function createFeedSource(held: readonly HeldItem[]): SearchSource {
  const entries = held.map((item) => ({
    title: item.title,
    link: linkOf(item),
    text: item.text,
    publishedAt: item.publishedAt?.toISOString() ?? null,
  }));
  return {
    name: 'feeds',
    source: 'web',
    state: 'live',
    find: (query) => searchEntries({ entries, isShown: () => true, isCurrent: true }, query),
  };
}

/** The pages behind the links. Of one of which nothing is known, the service is told what it would be told of a page that fails. */
export function openHeldPages(held: readonly HeldItem[]): PageOpener {
  const known = new Map(held.filter(({ page }) => page !== '').map((item) => [linkOf(item), item]));
  const read = (address: string): PageOutcome => {
    const item = known.get(address);
    if (item === undefined) return { why: 'HTTP 404', isFault: true };
    const { title, page, publishedAt } = item;
    const date = publishedAt?.toISOString() ?? null;
    return { page: { title, author: null, language: null, publishedAt: date, paragraphs: [page] } };
  };
  return {
    open: async (addresses) => new Map(addresses.map((address) => [address, read(address)])),
    prepare: () => {},
    close: async () => {},
  };
}

/** The page of an item, as the sources link it. */
export function linkOf({ kind, language, title, number }: HeldItem): string {
  const slug = encodeURIComponent(title.replaceAll(' ', '_')).replace(/[()'!*]/g, '');
  if (kind === 'wiki') return `https://${language}.wikipedia.org/wiki/${slug}`;
  if (kind === 'hn') return `https://news.ycombinator.com/item?id=${number}`;
  if (kind === 'feed') return `https://news.example/${number}`;
  return `https://press.example/${number}`;
}

const words = (text: string) =>
  foldLetters(text)
    .normalize('NFC')
    .match(/[\p{L}\p{N}]+/gu) ?? [];

/** Whether a text has a word, in a form of it. */
function hasWord(text: string, word: string, isExact = false): boolean {
  const [wanted = ''] = words(word);
  if (hasUnspacedScript(wanted)) return text.includes(word);
  const stem = isExact ? wanted : wanted.slice(0, Math.max(4, wanted.length - 2));
  return words(text).some((each) =>
    isExact ? each === wanted || each === `${wanted}s` : each.startsWith(stem),
  );
}

const countWords = (text: string, asked: string) =>
  asked.split(/\s+/).filter((word) => word !== '' && hasWord(text, word)).length;
const hasAll = (text: string, asked: string) =>
  countWords(text, asked) === asked.split(/\s+/).filter(Boolean).length;
const seconds = ({ publishedAt }: HeldItem) => Math.floor((publishedAt?.getTime() ?? 0) / 1_000);
const byDate = (a: HeldItem, b: HeldItem) => seconds(b) - seconds(a);

function answerHackerNews(held: readonly HeldItem[], url: URL, points: (item: HeldItem) => number) {
  const param = (name: string) => url.searchParams.get(name) ?? '';
  const from = Number(/created_at_i>=(\d+)/.exec(param('numericFilters'))?.[1] ?? 0);
  const inTime = held.filter((item) => seconds(item) >= from);
  const asked = param('query').replaceAll('"', '');
  const textOf = ({ title, text }: HeldItem) => `${title} ${text}`;
  let hits = inTime.filter((item) => hasAll(textOf(item), asked));
  if (hits.length === 0 && param('removeWordsIfNoResults') === 'allOptional')
    hits = inTime.filter((item) => countWords(textOf(item), asked) > 0);
  const sorted = url.pathname.endsWith('search_by_date')
    ? hits.toSorted(byDate)
    : hits.toSorted(
        (a, b) => countWords(textOf(b), asked) - countWords(textOf(a), asked) || points(b) - points(a),
      );
  return {
    hits: sorted.slice(0, Number(param('hitsPerPage'))).map((item) => ({
      objectID: String(item.number),
      created_at_i: seconds(item),
      title: item.title,
      url: item.text.includes(' ') || item.text === '' ? null : `https://${item.text}/`,
      story_text: item.text.includes(' ') ? item.text : null,
      points: points(item),
      num_comments: points(item) % 41,
    })),
  };
}

/** It searches whole articles, of which only the beginning is held here: half of the words is enough. */
function answerMediaWiki(held: readonly HeldItem[], url: URL) {
  const language = url.hostname.split('.', 1).join('');
  const asked = url.searchParams.get('gsrsearch') ?? '';
  const count = asked.split(/\s+/).filter(Boolean).length;
  const found = held
    .filter((item) => item.language === language)
    .map((item) => ({
      item,
      all: countWords(`${item.title} ${item.text} ${item.page}`, asked),
      inTitle: countWords(item.title, asked),
    }))
    .filter(({ all }) => all * 2 >= count && all > 0)
    .sort((a, b) => b.inTitle + b.all - a.inTitle - a.all || a.item.number - b.item.number);
  return {
    query: {
      pages: found.slice(0, Number(url.searchParams.get('gsrlimit'))).map(({ item }, i) => ({
        pageid: item.number,
        title: item.title,
        index: i + 1,
        fullurl: linkOf(item),
        extract: item.text,
        description: '',
      })),
    },
  };
}

function answerArxiv(held: readonly HeldItem[], url: URL): string {
  const asked = url.searchParams.get('search_query') ?? '';
  const from = /submittedDate:\[(\d{4})(\d\d)(\d\d)/.exec(asked)?.slice(1).join('-') ?? '0';
  const conditions = asked.replace(/ AND submittedDate:\[[^\]]*\]/, '');
  const found = held
    .filter(
      (item) =>
        (item.publishedAt?.toISOString() ?? '') >= from && meets(`${item.title} ${item.text}`, conditions),
    )
    .toSorted(byDate);
  const entries = found.slice(0, Number(url.searchParams.get('max_results'))).map(
    (item) => `<entry><id>http://arxiv.org/abs/2611.${String(item.number).padStart(5, '0')}v1</id>
<title>${encodeXML(item.title)}</title><published>${item.publishedAt?.toISOString()}</published><summary>${encodeXML(item.text)}</summary></entry>`,
  );
  return `<?xml version="1.0" encoding="UTF-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom"><id>https://arxiv.org/api/x</id>${entries.join('')}</feed>`;
}

/** `all:"x y" AND (all:a OR all:b)`, with brackets of one or two levels. */
function meets(text: string, asked: string): boolean {
  const terms: string[] = [];
  const flat = asked
    .replace(/all:"([^"]*)"/g, (_, phrase: string) => ` ${terms.push(phrase) - 1} `)
    .replace(/all:([^\s()]+)/g, (_, word: string) => ` ${terms.push(word) - 1} `);
  const value = (part: string) => hasAll(text, terms[Number(part.trim())] ?? '');
  const any = (part: string) =>
    part
      .split(' OR ')
      .some((each) => (each.trim() === 'true' ? true : each.trim() === 'false' ? false : value(each)));
  const all = (part: string) => part.split(' AND ').every(any);
  let rest = flat;
  while (/\([^()]*\)/.test(rest))
    rest = rest.replace(/\(([^()]*)\)/g, (_, inside: string) => ` ${all(inside)} `);
  return all(rest);
}

function answerMastodon(held: readonly HeldItem[], url: URL, points: (item: HeldItem) => number) {
  const tags = new Set(
    [decodeURIComponent(url.pathname.split('/').at(-1) ?? ''), ...url.searchParams.getAll('any[]')].map(
      foldLetters,
    ),
  );
  const idOf = (item: HeldItem) => (BigInt(seconds(item) * 1_000) << 16n) + BigInt(item.number);
  const after = BigInt(url.searchParams.get('since_id') ?? '0');
  const before = BigInt(url.searchParams.get('max_id') ?? '9223372036854775807');
  return held
    .map((item) => ({
      item,
      names: [item.title, ...Array.from(item.text.matchAll(/#([\p{L}\p{N}_]+)/gu), ([, tag = '']) => tag)],
    }))
    .filter(
      ({ item, names }) =>
        names.some((name) => tags.has(foldLetters(name))) && idOf(item) > after && idOf(item) < before,
    )
    .toSorted((a, b) => byDate(a.item, b.item))
    .map(({ item, names }) => ({
      id: String(idOf(item)),
      created_at: item.publishedAt?.toISOString(),
      content: `<p>${encodeXML(item.text)}</p>`,
      spoiler_text: '',
      visibility: 'public',
      language: null,
      url: `https://mastodon.social/@someone${item.number}/${idOf(item)}`,
      uri: `https://mastodon.social/users/someone${item.number}/statuses/${idOf(item)}`,
      replies_count: 1,
      reblogs_count: points(item) % 23,
      favourites_count: points(item),
      quotes_count: 0,
      tags: [...new Set(names)].map((name) => ({ name })),
      mentions: [],
      media_attachments: [],
      account: {
        id: String(item.number),
        acct: `someone${item.number}`,
        username: `someone${item.number}`,
        display_name: `Someone ${item.number}`,
        url: `https://mastodon.social/@someone${item.number}`,
        created_at: '2022-11-01T00:00:00.000Z',
        note: '',
        avatar: 'https://mastodon.social/avatar.png',
        followers_count: 100,
        following_count: 100,
        statuses_count: 100,
        locked: false,
        bot: false,
      },
    }));
}

function answerStackExchange(held: readonly HeldItem[], url: URL, points: (item: HeldItem) => number) {
  const from = Number(url.searchParams.get('fromdate') ?? 0);
  const asked = url.searchParams.get('q') ?? '';
  return {
    items: held
      .filter((item) => seconds(item) >= from && hasAll(`${item.title} ${item.text}`, asked))
      .toSorted(byDate)
      .map((item) => ({
        title: encodeXML(item.title),
        link: `https://stackoverflow.com/questions/${item.number}`,
        body: `<p>${encodeXML(item.text)}</p>`,
        creation_date: seconds(item),
        score: points(item) % 17,
        answer_count: 1,
      })),
    quota_remaining: 290,
  };
}

function answerGitHub(held: readonly HeldItem[], url: URL, points: (item: HeldItem) => number) {
  const asked = (url.searchParams.get('q') ?? '').replace(/ in:title.*$/, '');
  return {
    items: held
      .filter((item) => hasAll(item.title, asked))
      .toSorted(byDate)
      .map((item) => ({
        title: item.title,
        html_url: `https://github.com/someone/something/issues/${item.number}`,
        created_at: item.publishedAt?.toISOString(),
        body: item.text,
        comments: points(item) % 7,
        reactions: { total_count: points(item) % 5 },
      })),
  };
}

/** Its words must be in the article as they are. */
function answerGdelt(held: readonly HeldItem[], url: URL) {
  const from = url.searchParams.get('startdatetime') ?? '';
  const digits = ({ publishedAt }: HeldItem) =>
    (publishedAt?.toISOString() ?? '').replace(/\D/g, '').slice(0, 14);
  const asked = (url.searchParams.get('query') ?? '').replaceAll('"', '').split(/\s+/);
  return {
    articles: held
      .filter(
        (item) =>
          digits(item) >= from && asked.every((word) => hasWord(`${item.title} ${item.page}`, word, true)),
      )
      .toSorted(byDate)
      .map((item) => ({
        url: linkOf(item),
        title: item.title,
        seendate: `${digits(item).slice(0, 8)}T${digits(item).slice(8)}Z`,
        domain: 'press.example',
        language: 'English',
      })),
  };
}
