/** Sentences about a source. Pure. */
import { formatCount, formatFullTime } from '../../lib/display-format.ts';
import { parseUrl, maskUrl } from '../../model/links/link.ts';
import { cleanText } from '../../lib/text.ts';
import type { TopicSourceKind } from '../../model/topic-sources.ts';
import { type CheckedSource, normalizeOwnAddress, takesWords } from '../../protocol/own-sources.ts';

export const EXPECTED_ADDRESS =
  'the address of a feed, a site or a page, such as https://news.example, or of a search with {query} for its words; at most 500 characters, without user and password';

/** An address as people write it: also `feed:`, and without `https:`. Undefined if it is none. */
export function readSourceAddress(input: string): string | undefined {
  const text = input
    .trim()
    .replace(/^feed:(?:\/\/)?(?=https?:)/i, '')
    .replace(/^feed:\/\//i, 'https://');
  const isHost = /^(?:[\p{L}\p{N}-]{1,63}\.){1,10}\p{L}{2,63}(?:[/:?]|$)/u.test(text);
  return normalizeOwnAddress(isHost ? `https://${text}` : text);
}

/** An address as everybody may see it: parameters that look like secrets are hidden. */
export function showSourceAddress(kind: TopicSourceKind, address: string): string {
  if (kind === 'service' || parseUrl(address) === undefined) return address;
  const shown = maskUrl(address);
  // As it was given, unless something is hidden: an address of a search would be encoded.
  return shown === new URL(address).href ? address : shown.replaceAll('%7Bquery%7D', '{query}');
}

/** What the address was recognized as. */
export function classifyChecked(address: string, { found: kind, feed }: CheckedSource): TopicSourceKind {
  if (takesWords(address)) return 'search';
  if (kind === 'page') return 'page';
  return feed === null ? 'feed' : 'site';
}

/** `a feed ("Harbor news"): 40 entries, the newest "Ferry strike ends" of Sat, 21 Nov 2026, 09:00:00 UTC` */
export function describeChecked(address: string, checked: CheckedSource): string {
  const { title, entries, newest, problem } = checked;
  if (checked.found === 'none') return describeProblem(problem ?? 'could not be read');
  const kind = classifyChecked(address, checked);
  const what = {
    feed: 'a feed',
    site: `a page whose feed is ${showSourceAddress('feed', checked.feed ?? '')}`,
    page: 'a page without a feed, whose text is watched',
    search: 'a search, asked for "news" as a test',
    service: '',
  }[kind];
  const name = title === '' ? '' : ` ("${cleanText(title, 80)}")`;
  const count = formatCount(
    entries,
    kind === 'page' ? 'text' : 'entry',
    kind === 'page' ? 'texts' : 'entries',
  );
  return `${what}${name}: ${count}${describeNewest(newest)}${problem === null ? '' : `; ${problem}`}`;
}

function describeNewest(newest: CheckedSource['newest']): string {
  if (newest === null) return '';
  const { title, at } = newest;
  if (at === null) return ', without dates: what is new counts from when it was first seen';
  return `, the newest "${cleanText(title, 80)}" of ${formatFullTime(new Date(at), 'UTC')}`;
}

/** What to do about a problem, by what is wrong. */
const ADVICE: readonly (readonly [problem: RegExp, advice: string])[] = [
  [/^HTTP (?:401|403)/, 'The site requires a login, or refuses programs: choose another address.'],
  [/^HTTP 404|^gone/, 'Nothing is there: open the address in a browser and copy it again.'],
  [/^HTTP 429/, 'The site has too many requests: try again later.'],
  [/^HTTP/, 'The site failed: try again later.'],
  [/ENOTFOUND|has no address/, 'There is no such host: check the address.'],
  [/^no (?:complete )?response/, 'The site does not respond: try again later.'],
  [/^not parsed/, 'This computer is busy: try again.'],
  [/neither a feed nor a page/, 'Choose the address of a feed, or of a page with text.'],
  [/has no text/, 'Scripts write this page: look for its feed.'],
];

/** `cannot be read: HTTP 404. Nothing is there: open the address in a browser and copy it again.` */
export function describeProblem(problem: string): string {
  const advice = ADVICE.find(([pattern]) => pattern.test(problem))?.[1];
  return `cannot be read: ${problem.replace(/\.$/, '')}.${advice === undefined ? '' : ` ${advice}`}`;
}
