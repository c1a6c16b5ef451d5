/**
 * A digest as people read it: sections of lines, in one order, from which text, Markdown, mail and pages are made. Pure. At most
 * {@link MAX_WORDS} words, of which the first three sections fit on the screen of a phone.
 */
import { MAIN_COUNTERS, nameCounted } from '../../model/counters.ts';
import {
  type DateReader,
  formatCount,
  formatPercent,
  formatTenths,
  formatTimeOfDay,
  formatUsd,
  formatWhole,
  formatWithWeekday,
  nameZone,
} from '../../lib/display-format.ts';
import { groupBy } from '../../lib/group-by.ts';
import { cleanLine, truncateText } from '../../lib/text.ts';
import { KIND_NOUNS, RULE_KINDS } from '../../model/alerts.ts';
import { type BriefCite, listBriefSentences } from '../../model/value-shapes.ts';
import { type DigestAction, dismissAction } from './digest-actions.ts';
import { composeGapLines, nameDigestSearch } from './gap-lines.ts';
import type {
  Digest,
  DigestAnswer,
  DigestAttention,
  DigestGrowing,
  DigestItem,
  DigestTopic,
} from './digest-shapes.ts';

/**
 * `brief`: a sentence of a language model; `plus` and `minus`: statements that are new and gone; `thing`: a post or link; `note`: about
 * the line before.
 */
type LineStyle = 'title' | 'text' | 'brief' | 'name' | 'plus' | 'minus' | 'thing' | 'note';

export type DigestLine = {
  style: LineStyle;
  words: string;
  /** Path in the dashboard that the line is about; null: none. */
  path: string | null;
  /** Web address of a post or link; null: none. */
  url: string | null;
  /** What a person can do about it, behind its words; null: nothing. */
  action: DigestAction | null;
  /** What a sentence of a brief cites; empty for all other lines. */
  cites: readonly BriefCite[];
};

export type DigestSection = {
  id: 'collected' | 'attention' | 'answer' | 'new' | 'growing' | 'quiet' | 'held';
  heading: string | null;
  lines: readonly DigestLine[];
};

/** Words of a digest, without addresses: two minutes of reading. */
export const MAX_WORDS = 400;
/** How many of these words are left to the text around a digest, such as how to end it. */
const SURROUNDING_WORDS = 40;
/** Words of the first three sections, on a phone's screen. */
export const MAX_HEAD_WORDS = 140;

/** How much of the first three sections is shown. */
type HeadDetail = {
  /** UTF-16 code units of a statement or reason. */
  text: number;
  /** Number of new statements, and of removed statements, of all answers together. */
  statements: number;
  /** Sentences about what was not collected. */
  gaps: number;
  /** Names in a sentence. */
  names: number;
};

/** How much of the other sections is shown. */
type BodyDetail = {
  /** UTF-16 code units of a post or link. */
  text: number;
  topics: number;
  /** Of a topic. */
  items: number;
  growing: number;
  /** Names in a sentence. */
  names: number;
};

/** UTF-16 code units that a sentence has for names and times, next to a reason. */
const FACTS_LENGTH = 50;

/** From most to least detail: the first text that is short enough is shown. */
const HEAD_DETAILS: readonly HeadDetail[] = [
  { text: 160, statements: 4, gaps: 3, names: 8 },
  { text: 120, statements: 3, gaps: 2, names: 6 },
  { text: 90, statements: 2, gaps: 2, names: 4 },
  { text: 70, statements: 2, gaps: 1, names: 3 },
  { text: 50, statements: 1, gaps: 1, names: 2 },
  { text: 30, statements: 1, gaps: 1, names: 2 },
];
const BODY_DETAILS: readonly BodyDetail[] = [
  { text: 200, topics: 10, items: 3, growing: 3, names: 10 },
  { text: 140, topics: 10, items: 3, growing: 3, names: 10 },
  { text: 100, topics: 10, items: 3, growing: 2, names: 8 },
  { text: 100, topics: 10, items: 2, growing: 2, names: 8 },
  { text: 100, topics: 8, items: 1, growing: 2, names: 6 },
  { text: 80, topics: 6, items: 1, growing: 1, names: 5 },
  { text: 60, topics: 4, items: 1, growing: 1, names: 4 },
  { text: 50, topics: 4, items: 1, growing: 1, names: 2 },
  { text: 40, topics: 3, items: 1, growing: 1, names: 1 },
];

const line = (
  style: LineStyle,
  words: string,
  more: { path?: string; url?: string | null; action?: DigestAction; cites?: readonly BriefCite[] } = {},
): DigestLine => ({
  style,
  words,
  path: more.path ?? null,
  url: more.url ?? null,
  action: more.action ?? null,
  cites: more.cites ?? [],
});

/**
 * The sections with content, in order.
 * @param zone of times; default: that of the digest
 */
export function composeSections(digest: Digest, zone: string = digest.tz): DigestSection[] {
  // Dates of the year in which the span ends need no year: the first line has it.
  const reader = { zone, now: new Date(digest.until) };
  const head = addBrief(
    findFirst(HEAD_DETAILS, MAX_HEAD_WORDS, (detail) => composeHead(digest, reader, detail)),
    composeBrief(digest, reader),
  );
  const left = MAX_WORDS - SURROUNDING_WORDS - countWords(head);
  return [...head, ...findFirst(BODY_DETAILS, left, (detail) => composeBody(digest, reader, detail))];
}

/** Below what the digest is about. The rest of the head has its words for itself: a brief is never the only content. */
function addBrief(head: DigestSection[], brief: readonly DigestLine[]): DigestSection[] {
  const [first, ...others] = head;
  if (first === undefined || brief.length === 0) return head;
  const at = first.lines.findIndex(({ style }) => style === 'text') + 1;
  return [{ ...first, lines: first.lines.toSpliced(at, 0, ...brief) }, ...others];
}

function composeBrief({ brief }: Digest, reader: DateReader): DigestLine[] {
  if (brief === null) return [];
  const sentences = listBriefSentences(brief).map(({ text, cites }) => line('brief', text, { cites }));
  const at = formatWithWeekday(new Date(brief.written_at), reader, false);
  return [...sentences, line('note', `Written by a language model (${cleanLine(brief.model)}) on ${at}.`)];
}

/** Words of sections, without addresses. */
export function countWords(sections: readonly DigestSection[]): number {
  const texts = sections.flatMap(({ heading, lines }) => [
    heading ?? '',
    ...lines.map(({ words, action }) => `${words} ${action?.words ?? ''}`),
  ]);
  return texts.reduce((sum, text) => sum + text.split(/\s+/).filter((word) => word !== '').length, 0);
}

/** The first that is short enough; the last if none is. */
function findFirst<T>(
  details: readonly T[],
  most: number,
  compose: (detail: T) => DigestSection[],
): DigestSection[] {
  let sections: DigestSection[] = [];
  for (const detail of details) {
    sections = compose(detail);
    if (countWords(sections) <= most) break;
  }
  return sections;
}

function composeHead(digest: Digest, reader: DateReader, detail: HeadDetail): DigestSection[] {
  return keepFilled([
    {
      id: 'collected',
      heading: null,
      lines: [
        line('title', describeSubject(digest)),
        line('text', describeSpan(digest, reader.zone)),
        line('text', describeCollected(digest)),
        ...composeGapLines(digest, reader, detail.gaps).map((words) =>
          line('text', truncateText(words, detail.text + FACTS_LENGTH)),
        ),
      ],
    },
    {
      id: 'attention',
      heading: 'Needs you',
      lines: [
        // Stated, because whoever reads only this section cannot tell an empty section from a missing one.
        ...(digest.attention.length === 0 ? [line('text', 'Nothing.')] : []),
        ...digest.attention.map((attention) => composeAttention(attention, reader, detail.text)),
        ...(digest.attention_more === 0
          ? []
          : [line('note', `and ${digest.attention_more} more`, { path: '/' })]),
      ],
    },
    { id: 'answer', heading: 'Answers', lines: composeAnswers(digest.answers, detail) },
  ]);
}

function composeBody(digest: Digest, reader: DateReader, detail: BodyDetail): DigestSection[] {
  const shown = digest.topics.slice(0, detail.topics);
  return keepFilled([
    {
      id: 'new',
      heading: 'New',
      lines: [
        ...shown.flatMap((topic) => composeTopic(topic, digest, detail)),
        ...(digest.topics.length > shown.length
          ? [
              line('note', `and ${formatCount(digest.topics.length - shown.length, 'more topic')}`, {
                path: '/',
              }),
            ]
          : []),
      ],
    },
    {
      id: 'growing',
      heading: 'Still growing',
      lines: digest.growing
        .slice(0, detail.growing)
        .flatMap((growing) => composeGrowing(growing, detail.text)),
    },
    { id: 'quiet', heading: null, lines: composeQuiet(digest, reader, detail.names) },
    { id: 'held', heading: 'Held while muted', lines: composeHeld(digest, reader, detail.names) },
  ]);
}

function keepFilled(sections: readonly DigestSection[]): DigestSection[] {
  return sections.filter(({ lines }) => lines.length > 0);
}

/** `All topics`, `Night trains`, `Night trains: Posts`, and that it is simulated. */
function describeSubject({ topic, topic_name, search, search_name, simulated }: Digest): string {
  const subject =
    search === null ? (topic_name ?? topic ?? 'All topics') : nameDigestSearch({ search, search_name });
  return simulated ? `${subject} (simulated data)` : subject;
}

/** `Fri, 27 Nov 2026, 08:00 to Mon, 30 Nov 2026, 08:00, Europe/Berlin time`. */
function describeSpan({ from, until }: Digest, zone: string): string {
  const [first, last] = [from, until].map((at) =>
    formatWithWeekday(new Date(at), { zone, now: null }, false),
  );
  return `${first} to ${last}, ${nameZone(zone)}`;
}

function describeCollected({ collected }: Digest): string {
  const { runs, coverage, searches, calls } = collected;
  const ended = runs.succeeded + runs.failed;
  const failed = runs.failed === 0 ? '' : `, ${formatWhole(runs.failed)} failed`;
  const observed = coverage === null ? '' : `; ${formatPercent(coverage)} of the time observed`;
  return `${formatCount(searches, 'search', 'searches')}: ${formatCount(ended, 'run')}${failed}${observed}; ${formatCount(calls, 'call')}${describeCost(collected)}.`;
}

/** A missing price is not zero. */
function describeCost({ calls, cost_usd, calls_without_cost, free }: Digest['collected']): string {
  if (calls === 0) return '';
  if (free) return cost_usd === null || cost_usd === 0 ? ', free' : `, ${formatUsd(cost_usd)}`;
  if (cost_usd === null) return ', cost not reported';
  return `, ${formatUsd(cost_usd)}${calls_without_cost === 0 ? '' : `; cost of ${formatCount(calls_without_cost, 'call')} not reported`}`;
}

function composeAttention(attention: DigestAttention, reader: DateReader, most: number): DigestLine {
  if (attention.kind === 'search') {
    const since =
      attention.since === null ? '' : ` since ${formatWithWeekday(new Date(attention.since), reader, false)}`;
    const words = `${nameDigestSearch(attention)}: ${attention.status_name}${since}${attention.reason === null ? '' : `: ${attention.reason}`}`;
    return line('text', truncateText(words, most + FACTS_LENGTH), { path: `/searches/${attention.search}` });
  }
  if (attention.kind === 'problem') {
    const since = formatWithWeekday(new Date(attention.since), reader, false);
    const words = `${attention.title.charAt(0).toUpperCase()}${attention.title.slice(1)} since ${since}${attention.reason === null ? '' : `: ${attention.reason}`}`;
    return line('text', truncateText(words, most + FACTS_LENGTH), { path: attention.page });
  }
  const start = formatWithWeekday(new Date(attention.window_start), reader, false);
  const end = formatTimeOfDay(new Date(attention.window_end), reader.zone);
  const n = `${attention.lower_bound ? 'at least ' : ''}${formatWhole(attention.n)}`;
  const what =
    attention.measure === 'posts' ? `${n} posts` : `${n} likes, reposts, replies and quotes gained`;
  const ratio = attention.ratio === null ? '' : `, ${formatTenths(attention.ratio)}x the usual`;
  const over =
    attention.over === null ? 'nothing observed since' : attention.over ? 'over' : 'still going on';
  const others = attention.spikes === 1 ? '' : `; the strongest of ${attention.spikes} spikes`;
  return line(
    'text',
    `${attention.topic_name}: spike, ${what} ${start} to ${end}${ratio}; ${over}${others}${attention.why === null ? '' : `. ${attention.why}`}`,
    {
      path: `/searches/${attention.search}#spikes`,
    },
  );
}

function composeAnswers(
  answers: readonly DigestAnswer[],
  { text, statements, names }: HeadDetail,
): DigestLine[] {
  const changed = answers.filter((answer) => answer.changed);
  const lines: DigestLine[] = [];
  let left = { plus: statements, minus: Math.ceil(statements / 2) };
  for (const answer of changed) {
    const added = answer.added.slice(0, left.plus);
    const removed = answer.removed.slice(0, left.minus);
    left = { plus: left.plus - added.length, minus: left.minus - removed.length };
    if (added.length === 0) break;
    const missing =
      answer.added.length -
      added.length +
      answer.removed.length -
      removed.length +
      answer.more_added +
      answer.more_removed;
    lines.push(
      line('name', nameAnswer(answer, answers), { path: `/searches/${answer.search}/completions` }),
      ...added.map((words) => line('plus', truncateText(words, text))),
      ...removed.map((words) => line('minus', truncateText(words, text))),
      ...(missing === 0 ? [] : [line('note', `and ${formatCount(missing, 'more change')}`)]),
    );
  }
  const shown = new Set(lines.flatMap(({ path }) => path ?? []));
  const others = changed.filter(({ search }) => !shown.has(`/searches/${search}/completions`));
  const first = answers.filter((answer) => answer.text !== null);
  const same = answers.filter((answer) => !answer.changed && answer.text === null);
  const join = (these: readonly DigestAnswer[]) =>
    joinNames(
      these.map((answer) => nameAnswer(answer, answers)),
      names,
    );
  return [
    ...lines,
    ...(others.length === 0 ? [] : [line('text', `Also changed: ${join(others)}.`)]),
    ...first.slice(0, 2).map((answer) =>
      line('text', `${nameAnswer(answer, answers)}, first answer: ${truncateText(answer.text ?? '', text)}`, {
        path: `/searches/${answer.search}`,
      }),
    ),
    ...(first.length > 2 ? [line('text', `First answers, too: ${join(first.slice(2))}.`)] : []),
    ...(same.length === 0 ? [] : [line('text', `Unchanged: ${join(same)}.`)]),
  ];
}

/** Names an answer by its topic, or by its search if a topic has several answers. */
function nameAnswer(answer: DigestAnswer, answers: readonly DigestAnswer[]): string {
  const { topic, topic_name } = answer;
  return answers.filter((each) => each.topic === topic).length > 1 ? nameDigestSearch(answer) : topic_name;
}

function composeTopic(
  { topic, topic_name, posts, links, least, items }: DigestTopic,
  { from, until }: Digest,
  { items: most, text }: BodyDetail,
): DigestLine[] {
  const counts = [
    ...(posts === 0 ? [] : [formatCount(posts, 'post')]),
    ...(links === 0 ? [] : [formatCount(links, 'link')]),
  ];
  const range = new URLSearchParams({ since: from, until }).toString();
  return [
    line('name', `${topic_name}: ${least ? 'at least ' : ''}${counts.join(', ')}`, {
      path: `/topics/${topic}/discoveries?${range}`,
    }),
    ...items.slice(0, most).flatMap((item) => composeItem(item, text, describeOrigin(item))),
  ];
}

function composeItem(item: DigestItem, most: number, note: string): DigestLine[] {
  const words = truncateText(item.text ?? item.url ?? `${item.kind} ${item.id}`, most);
  const where = { path: item.page, url: item.url };
  return [
    line('thing', words, where),
    ...composeTranslation(item, most),
    line('note', note, { action: dismissAction(item) }),
  ];
}

function composeTranslation({ translation }: DigestItem, most: number): DigestLine[] {
  if (translation === undefined) return [];
  const { text, model } = translation;
  return [line('note', `${truncateText(text, 2 * most)} (translated by ${cleanLine(model)})`)];
}

/** `by ada · 1,204 likes · ×27, 3 authors · a ruling of the court`. */
function describeOrigin({ kind, author, copies, authors, judgement, ...counters }: DigestItem): string {
  const from = author === null ? [] : [kind === 'post' ? `by ${author}` : author];
  const best = MAIN_COUNTERS.flatMap((counter) => {
    const n = counters[counter];
    return n === null || n <= 0 ? [] : [`${formatWhole(n)} ${nameCounted(counter, n)}`];
  }).slice(0, 2);
  const many = authors === null || authors < 2 ? '' : `, ${formatCount(authors, 'author')}`;
  const judged = judgement?.relevant === null ? 'not judged' : (judgement?.why ?? '');
  return [
    ...from,
    ...best,
    ...(copies === 1 ? [] : [`×${formatWhole(copies)}${many}`]),
    ...(judged === '' ? [] : [judged]),
  ].join(' · ');
}

function composeGrowing(growing: DigestGrowing, most: number): DigestLine[] {
  if (growing.kind === 'search')
    return [
      line('text', `${growing.topic_name}: ${growing.sentence}`, {
        path: `/searches/${growing.search}#volume`,
      }),
    ];
  const { item, gained, hours, typical_per_hour: typical } = growing;
  const rate = formatTenths(roundRate(gained / hours));
  const compared = typical === null ? '' : `, typical ${formatTenths(roundRate(typical))}`;
  const by = item.author === null ? '' : `by ${item.author} · `;
  return composeItem(item, most, `${by}${item.topic_name}: ${rate} reactions an hour${compared}`);
}

const roundRate = (perHour: number) => (perHour >= 10 ? Math.round(perHour) : perHour);

/** Each has a list of its own. */
const MAX_HELD = 3;

/** `Ferry, since Fri, 27 Nov, 18:00: 12 posts, 1 spike`. The list is behind it. */
function composeHeld({ held }: Digest, reader: DateReader, most: number): DigestLine[] {
  const shown = Math.min(most, MAX_HELD);
  const more = held.length - shown;
  return [
    ...held.slice(0, shown).map(({ rule, name, since, counts, page }) => {
      const from = since === null ? '' : `, since ${formatWithWeekday(new Date(since), reader, false)}`;
      const kindCounts = RULE_KINDS.flatMap((kind) => {
        const n = counts[kind] ?? 0;
        return n === 0 ? [] : [formatCount(n, KIND_NOUNS[kind])];
      });
      const subject = rule === null ? name : `Messages of ${name}`;
      return line('text', `${subject}${from}: ${kindCounts.join(', ') || 'nothing'}`, { path: page });
    }),
    ...(more <= 0 ? [] : [line('note', `and ${more} more`)]),
  ];
}

function composeQuiet({ quiet, muted }: Digest, reader: DateReader, most: number): DigestLine[] {
  const nameMuted = ({ topic_name, until }: Digest['muted'][number]) =>
    muted.length > 1
      ? topic_name
      : `${topic_name}, until ${formatWithWeekday(new Date(until), reader, false)}`;
  const names = (checked: boolean) =>
    quiet.flatMap((quietTopic) => (quietTopic.checked === checked ? [quietTopic.topic_name] : []));
  const [checked, unchecked] = [names(true), names(false)];
  return [
    ...(checked.length === 0 ? [] : [line('text', `Checked, nothing new: ${joinNames(checked, most)}.`)]),
    ...(unchecked.length === 0 ? [] : [line('text', `Not checked: ${joinNames(unchecked, most)}.`)]),
    ...(muted.length === 0 ? [] : [line('text', `Muted: ${joinNames(muted.map(nameMuted), most)}.`)]),
  ];
}

function joinNames(names: readonly string[], most: number): string {
  const unique = [...groupBy(names, (name) => name).keys()];
  const more = unique.length - most;
  return more <= 0 ? unique.join(', ') : `${unique.slice(0, most).join(', ')} and ${more} more`;
}
