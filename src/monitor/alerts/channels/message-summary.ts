/** The part of a message that a person reads: its title and the few items that matter, for chat and mail. Nothing of a medium. */

import { formatAnswerLine } from '../../../model/statements/answer-change.ts';
import {
  MAIN_COUNTERS,
  ENGAGEMENT_COUNTERS,
  type MainCounter,
  nameCounted,
} from '../../../model/counters.ts';
import { formatCopies, formatCount, formatMinute, formatWhole } from '../../../lib/display-format.ts';
import { groupBy } from '../../../lib/group-by.ts';
import { parseWebUrl } from '../../../model/links/link.ts';
import { cleanLine, truncateText } from '../../../lib/text.ts';
import { KIND_NOUNS, RULE_KINDS } from '../../../model/alerts.ts';
import { type DigestAction, listRuleActions } from '../../digests/digest-actions.ts';
import { composeSections } from '../../digests/digest-sections.ts';
import type { ChannelMessage, MessageDiscovery, MessageProblem } from '../message.ts';
import { titleProblem } from '../problem-words.ts';

/** Items that a summary has in full; the address of the list leads to the others. */
const MAX_ITEMS = 5;
/** In UTF-16 code units. */
const MAX_TITLE_LENGTH = 150;
const MAX_TEXT_LENGTH = 400;
const MAX_AUTHOR_LENGTH = 60;

/** An item on one line per member. All texts are cleaned and well-formed, and not escaped for any format. */
export type SummaryItem = {
  kind: MessageDiscovery['kind'] | 'digest' | 'problem';
  /** Title of a link; null for an item without one. */
  title: string | null;
  /** Text of a post, snippet of a link, sentence about a spike, a trend or a problem, changes of an answer. */
  text: string | null;
  /** User name of the author of a post, without `@`; site of a link. */
  author: string | null;
  /** How often the topic has it, such as `×27, 3 authors`; null if once. */
  copies: string | null;
  /** Known counters above zero, such as `1,204 likes`. */
  counters: string[];
  /** When it was published or began; null if that is unknown. ISO 8601. */
  at: string | null;
  /** The thing itself; null for a spike, trend, answer or problem, and for what is not a web address. */
  url: string | null;
  /** Its page in the dashboard; null without `BASE_URL`. */
  page: string | null;
  /** What a person can do about it: a page with a button. */
  action: SummaryAction | null;
};

/** A link to a page with a button. */
type SummaryAction = { label: string; url: string };

export type MessageSummary = {
  /** One line, such as `Ferry news: 12 posts, 1 spike`. */
  title: string;
  /** A sentence above the items, such as why the message comes now; null if there is none. */
  lead: string | null;
  items: SummaryItem[];
  /** How many discoveries `items` lacks; null if none. */
  more: { count: number } | null;
  /** The list of all of them in the dashboard; null without `BASE_URL`. */
  url: string | null;
  /** What a person can do about the message. */
  actions: SummaryAction[];
};

/** Chooses and describes the items of a message. */
export function summarizeMessage(message: ChannelMessage): MessageSummary {
  if (message.type === 'strandline.test') {
    const title = `Test message for channel ${message.data.channel}`;
    return {
      title,
      lead: 'strandline can send messages here.',
      items: [],
      more: null,
      url: null,
      actions: [],
    };
  }
  if (message.type === 'strandline.digest') return summarizeDigest(message.data);
  if (message.type === 'strandline.system') return summarizeProblems(message.data);
  const { data } = message;
  const items = chooseItems(data.discoveries).map((discovery) =>
    addJudgement(describeItem(discovery), discovery),
  );
  const missing = data.total - items.length;
  return {
    title: describeTitle(data),
    lead: describeLead(data),
    items,
    more: missing > 0 ? { count: missing } : null,
    url: data.link,
    actions: [],
  };
}

/** Most sections of a digest in a chat; its page has all of them. */
const MAX_DIGEST_ITEMS = 10;

/** The lines of a digest as items; a post or link with the note about it. */
function summarizeDigest({ rule, rule_name, link, digest }: Digests): MessageSummary {
  const base = link === null ? null : link.replace(/\/digests\/\d+$/, '');
  const locate = ({ words, path }: DigestAction): SummaryAction[] =>
    base === null ? [] : [{ label: words, url: `${base}${path}` }];
  const items = composeSections(digest).flatMap(({ id, heading, lines }): SummaryItem[] =>
    lines.flatMap(({ style, words, path: own, url, cites }, i): SummaryItem[] => {
      const path = own ?? cites[0]?.path ?? null;
      const isNoted = style === 'note' && lines[i - 1]?.style === 'thing';
      // The title of the message says it; the item before has it.
      if (style === 'title' || isNoted) return [];
      const text = style === 'plus' ? `+ ${words}` : style === 'minus' ? `− ${words}` : words;
      const note = style === 'thing' && lines[i + 1]?.style === 'note' ? lines[i + 1] : undefined;
      return [
        {
          ...PLAIN_ITEM,
          title: i === 0 && id !== 'collected' ? heading : null,
          text: truncateText(cleanLine(text), MAX_TEXT_LENGTH),
          counters: note === undefined || note.words === '' ? [] : [cleanLine(note.words)],
          url: cleanUrl(url),
          page: base === null || path === null ? null : `${base}${path}`,
          action: note?.action ? (locate(note.action)[0] ?? null) : null,
        },
      ];
    }),
  );
  const shown = items.slice(0, MAX_DIGEST_ITEMS);
  const more = items.length - shown.length;
  const warning = digest.simulated ? ' (simulated data)' : '';
  return {
    title: `${truncateText(cleanLine(rule_name), MAX_TITLE_LENGTH - warning.length)}${warning}`,
    lead: null,
    items: shown,
    more: more > 0 ? { count: more } : null,
    url: link,
    actions: listRuleActions(rule).flatMap(locate),
  };
}

const PLAIN_ITEM = {
  kind: 'digest',
  title: null,
  author: null,
  copies: null,
  counters: [],
  at: null,
  url: null,
  page: null,
  action: null,
} satisfies Partial<SummaryItem>;

/** The newest first: they are what the message was sent for. */
function summarizeProblems({ rule_name, simulated, problems, total, link }: Problems): MessageSummary {
  const items = problems.toReversed().slice(0, MAX_ITEMS).map(describeProblemItem);
  const missing = total - items.length;
  const [only] = problems;
  const problemWords =
    only !== undefined && total === 1
      ? titleProblem({ ...only, subject: only.subject_name }, only.change)
      : describeProblemCounts(problems, total);
  return {
    title: addWarning(rule_name, problemWords, simulated),
    lead: null,
    items,
    more: missing > 0 ? { count: missing } : null,
    url: link,
    actions: [],
  };
}

type Digests = Extract<ChannelMessage, { type: 'strandline.digest' }>['data'];
type Problems = Extract<ChannelMessage, { type: 'strandline.system' }>['data'];

/** `2 new, 1 over`. */
function describeProblemCounts(problems: readonly MessageProblem[], total: number): string {
  if (problems.length < total) return formatCount(total, 'problem');
  const begun = problems.filter(({ change }) => change === 'began').length;
  const parts = [
    ...(begun === 0 ? [] : [`${begun} new`]),
    ...(begun === total ? [] : [`${total - begun} over`]),
  ];
  return parts.join(', ');
}

function describeProblemItem({ sentence, page }: MessageProblem): SummaryItem {
  const text = truncateText(cleanLine(sentence), MAX_TEXT_LENGTH);
  return { ...PLAIN_ITEM, kind: 'problem', text, page };
}

/** `and 7 more`; null if the summary has all items. */
export function describeMore({ more }: Pick<MessageSummary, 'more'>): string | null {
  return more === null ? null : `and ${formatWhole(more.count)} more`;
}

/** Author, counters and time of an item on one line: `by ada · ×27, 3 authors · 1,204 likes · 21 Nov 2026, 08:00 UTC`; empty if none is known. */
export function describeOrigin({ kind, author, copies, counters, at }: SummaryItem): string {
  const from = author === null ? [] : [kind === 'post' || kind === 'growth' ? `by ${author}` : author];
  return [
    ...from,
    ...(copies === null ? [] : [copies]),
    ...counters,
    ...(at === null ? [] : [describeTime(at)]),
  ].join(' · ');
}

/**
 * Renders a summary in the longest form that fits: first texts are shortened, then items move into `more`, the last first.
 * @param fits whether a rendering is within the limits of its medium
 * @throws RangeError if not even the title fits, which is a fault of the medium's code
 */
export function fitSummary<T>(
  summary: MessageSummary,
  render: (summary: MessageSummary) => T,
  fits: (rendered: T) => boolean,
): T {
  const { items } = summary;
  const shortened = [MAX_TEXT_LENGTH, 280, 200, 120].map((max) => ({ max, count: items.length }));
  const fewer = items.map((_, dropped) => ({ max: 120, count: items.length - dropped - 1 }));
  for (const { max, count } of [...shortened, ...fewer]) {
    const kept = items.slice(0, count).map((item) => shortenItem(item, max));
    const missing = (summary.more?.count ?? 0) + items.length - count;
    const rendered = render({ ...summary, items: kept, more: missing > 0 ? { count: missing } : null });
    if (fits(rendered)) return rendered;
  }
  throw new RangeError(`a message without items exceeds the limit of its medium: "${summary.title}"`);
}

function shortenItem(item: SummaryItem, max: number): SummaryItem {
  const shorten = (text: string | null) => (text === null ? null : truncateText(text, max));
  return { ...item, title: shorten(item.title), text: shorten(item.text) };
}

/**
 * Answers, names, spikes and trends first, because they are about many posts; then growing posts, and posts by engagement and links, in turn, so that
 * neither kind hides the other.
 */
function chooseItems(discoveries: readonly MessageDiscovery[]): MessageDiscovery[] {
  const groups = groupByKind(discoveries);
  const { answer = [], growth = [], name = [], spike = [], trend = [], post = [], link = [] } = groups;
  const posts = post.toSorted((a, b) => sumEngagement(b) - sumEngagement(a));
  const inTurn = Array.from({ length: Math.max(posts.length, link.length) }, (_, i) => [posts[i], link[i]]);
  const others = inTurn.flat().filter((each) => each !== undefined);
  return [...answer, ...name, ...spike, ...trend, ...growth, ...others].slice(0, MAX_ITEMS);
}

function groupByKind(discoveries: readonly MessageDiscovery[]): {
  [K in MessageDiscovery['kind']]?: MessageDiscovery[];
} {
  return Object.fromEntries(groupBy(discoveries, ({ kind }) => kind));
}

function sumEngagement(discovery: MessageDiscovery): number {
  if (discovery.kind !== 'post') return 0;
  return ENGAGEMENT_COUNTERS.reduce((sum, counter) => sum + (discovery.post[counter] ?? 0), 0);
}

/** Why it is relevant for the goal of its topic, or that nobody judged it. */
function addJudgement(item: SummaryItem, discovery: MessageDiscovery): SummaryItem {
  const judgement = 'judgement' in discovery ? discovery.judgement : undefined;
  if (judgement === undefined) return item;
  const words = judgement.relevant === null ? 'not judged' : judgement.why;
  return words === null ? item : { ...item, counters: [...item.counters, cleanLine(words)] };
}

function describeItem(discovery: MessageDiscovery): SummaryItem {
  const { kind, page } = discovery;
  const copies = 'copies' in discovery ? formatCopies(discovery) : null;
  const plain = { ...PLAIN_ITEM, kind, copies, page };
  switch (discovery.kind) {
    case 'post':
      return { ...plain, ...describePost(discovery.post), url: cleanUrl(discovery.post.url) };
    case 'link': {
      const { post, title, snippet, site, published_at: at, url } = discovery.link;
      const named = post === null ? null : describePost(post);
      return {
        ...plain,
        title: cleanShort(title, MAX_TEXT_LENGTH),
        text: named?.text ?? cleanShort(snippet, MAX_TEXT_LENGTH),
        author: named?.author ?? cleanShort(site, MAX_AUTHOR_LENGTH),
        counters: named?.counters ?? [],
        at: at ?? named?.at ?? null,
        url: cleanUrl(url),
      };
    }
    case 'spike':
      return {
        ...plain,
        text: cleanLine([discovery.spike.sentence, discovery.spike.why ?? ''].join(' ').trim()),
      };
    case 'trend':
      return {
        ...plain,
        text: cleanLine([discovery.trend.sentence, discovery.trend.why ?? ''].join(' ').trim()),
      };
    case 'name':
      return { ...plain, text: cleanLine(discovery.name.sentence) };
    case 'growth':
      return {
        ...plain,
        ...describePost(discovery.growth.post),
        title: discovery.growth.sentence,
        url: cleanUrl(discovery.growth.post.url),
      };
    case 'answer':
      return {
        ...plain,
        title: cleanShort(`Answer of ${discovery.search_name}`, MAX_TEXT_LENGTH),
        text: cleanShort(formatAnswerLine(discovery.answer.changes), MAX_TEXT_LENGTH),
      };
  }
}

type Post = Extract<MessageDiscovery, { kind: 'post' }>['post'];

function describePost(post: Post): Pick<SummaryItem, 'text' | 'author' | 'counters' | 'at'> {
  return {
    text: cleanShort(post.text, MAX_TEXT_LENGTH),
    author: cleanShort(post.author_username, MAX_AUTHOR_LENGTH),
    counters: MAIN_COUNTERS.flatMap((counter) => describeCounter(counter, post[counter])),
    at: post.created_at,
  };
}

function describeCounter(counter: MainCounter, count: number | null): string[] {
  if (count === null || count <= 0) return [];
  return [`${formatWhole(count)} ${nameCounted(counter, count)}`];
}

/** Null if nothing remains that can be seen. */
function cleanShort(text: string | null, max: number): string | null {
  return text === null ? null : truncateText(cleanLine(text), max) || null;
}

/** Characters that end an address in some format, although they are allowed in a path or query. */
const FORMAT_CHARACTERS = /[|()*'"<>`\\[\]{}^~\s]/g;

/** A web address that no format needs to escape, except for `&` and `_`; null for any other. */
function cleanUrl(address: string | null): string | null {
  const url = address === null ? null : parseWebUrl(address);
  if (url === null) return null;
  const { origin, pathname, search, hash } = url;
  return `${origin}${`${pathname}${search}${hash}`.replace(FORMAT_CHARACTERS, encodeCharacter)}`;
}

function encodeCharacter(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;
}

type Discoveries = Extract<ChannelMessage, { type: 'strandline.discoveries' }>['data'];

/** The copies of a group, if all of it is known. */
function describeGroup(discoveries: readonly MessageDiscovery[], count: number): string {
  return discoveries.length === count ? describeWithCopies(discoveries) : '';
}

/** ` (29 with copies)`, of all things in a list; empty if none has copies. */
function describeWithCopies(discoveries: readonly MessageDiscovery[]): string {
  const copied = discoveries.flatMap((each) => ('copies' in each ? [each] : []));
  const all = copied.reduce((sum, { copies }) => sum + copies, 0);
  if (all <= copied.length) return '';
  const least = copied.some(({ copies_at_least }) => copies_at_least) ? 'at least ' : '';
  return ` (${least}${formatWhole(all)} with copies)`;
}

function describeTitle(data: Discoveries): string {
  return addWarning(
    data.rule_name,
    describeCounts(data),
    data.discoveries.some((each) => each.simulated),
  );
}

/** `43 posts, 2 spikes` */
function describeCounts({ counts, total, discoveries }: Discoveries): string {
  const groups = groupByKind(discoveries);
  const kinds = RULE_KINDS.flatMap((kind) => {
    const count = counts[kind] ?? 0;
    return count === 0
      ? []
      : [`${formatCount(count, KIND_NOUNS[kind])}${describeGroup(groups[kind] ?? [], count)}`];
  });
  return kinds.length > 0 ? kinds.join(', ') : formatCount(total, 'result');
}

function addWarning(name: string, text: string, isSimulated: boolean): string {
  const warning = isSimulated ? ' (simulated data)' : '';
  const shortText = truncateText(cleanLine(text), MAX_TITLE_LENGTH / 2);
  const most = MAX_TITLE_LENGTH - shortText.length - warning.length - 2;
  return `${truncateText(cleanLine(name), most)}: ${shortText}${warning}`;
}

/** Why the message comes now, and whether more messages can come today; null if neither needs saying. */
function describeLead(data: Discoveries): string | null {
  const { muted, daily_limit: limit } = data;
  const sentences = [
    ...(muted === null ? [] : [describeMute(muted, describeCounts(data))]),
    ...(limit === null ? [] : describeLimit(limit)),
  ];
  return sentences.length === 0 ? null : sentences.join(' ');
}

function describeMute({ topic_name, until }: NonNullable<Discoveries['muted']>, counts: string): string {
  const what = topic_name === null ? 'Muted' : `Topic ${cleanLine(topic_name)} muted`;
  return `${what} until ${describeTime(until)}: ${counts}.`;
}

function describeLimit({ per_day, number, waited, rest_of_day }: NonNullable<Discoveries['daily_limit']>) {
  const most = `${formatCount(per_day, 'message')} a day`;
  const rest = {
    any: [],
    spikes: ['until tomorrow, only spikes are sent.'],
    none: ['the next comes tomorrow.'],
  };
  return [
    ...(waited ? [`Collected since the limit of ${most} was reached.`] : []),
    ...rest[rest_of_day].map((words) => `Message ${number} of at most ${per_day} today: ${words}`),
  ];
}

/** Writes a time with its year, because messages are read later. */
function describeTime(at: string): string {
  return `${formatMinute(new Date(at), { zone: 'UTC', now: null })} UTC`;
}
