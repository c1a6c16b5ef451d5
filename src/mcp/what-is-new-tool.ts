/** What was found, changed and failed in a span of time. */
import { DAY } from '../lib/time.ts';
import { formatCount } from '../lib/display-format.ts';
import { getDigest } from '../monitor/digests/digest-operations.ts';
import type { Digest, DigestItem } from '../monitor/digests/digest-shapes.ts';
import { parseZone } from '../monitor/schedule/time-zone.ts';
import { type DescribedDiscovery, describeDiscoveries } from '../store/queries/described-discoveries.ts';
import { readNewestDiscoveries } from '../store/queries/discoveries.ts';
import {
  describeAnswer,
  describeAttention,
  describeFound,
  describeGrowing,
  describeItem,
  describeObserved,
  isNews,
  type Page,
} from './news-text.ts';
import { declareTool, type ToolCall } from './tool.ts';
import { limit, search, since, topic, tz, until } from './tool-inputs.ts';
import { createTimeWriter, describeSpan, joinParts, quote, QUOTED_NOTICE, readTime } from './tool-text.ts';
import { z } from 'zod';

const MAX_ANSWERS = 5;

export const whatIsNewTool = declareTool({
  name: 'what_is_new',
  title: 'What is new',
  description:
    'What a span of time brought, of everything or of one topic or search: how much was observed, spikes and failures, changed answers, and new posts and links, the best first. For what happened yesterday, since and until are both yesterday.',
  scope: 'read',
  input: z.strictObject({
    topic,
    search,
    since: since.describe(
      'Start: yesterday, today, an age such as 12h or 7d, 2026-11-21, or an ISO time. Default: 24h; at most 31d.',
    ),
    until,
    tz,
    limit: limit(50, 10),
  }),
  run: async (call, { since: from, until: to, tz: named, limit: most, ...scope }) => {
    const { ctx, base } = call;
    const now = ctx.clock.now();
    const zone = parseZone(named);
    const at = { now, zone };
    const end = readTime(to, 'until', { ...at, as: 'end' }) ?? now;
    const start = readTime(from, 'since', { ...at, as: 'start' }) ?? new Date(end.getTime() - DAY);
    const digest = await getDigest.run(call, { ...scope, since: start, until: end, tz: zone });
    const write = createTimeWriter(zone, now);
    const page: Page = (path) => `${base}${path}`;
    const isLimited = digest.topic !== null || digest.search !== null;
    const best = pickBest(digest, most);
    const others = isLimited ? await readOthers(call, digest, best, most) : [];
    const news = digest.answers.filter(isNews);
    return [
      joinParts([
        `${digest.search ?? digest.topic ?? 'All topics'}${digest.simulated ? ' (simulated)' : ''},`,
        `${describeSpan(digest.from, digest.until, zone)}.`,
      ]),
      ...describeObserved(digest, now),
      QUOTED_NOTICE,
      ...digest.attention.map((entry) => `- ${describeAttention(entry, write, page)}`),
      ...news.slice(0, MAX_ANSWERS).flatMap((answer) => describeAnswer(answer, page)),
      ...(news.length > MAX_ANSWERS
        ? [`and ${formatCount(news.length - MAX_ANSWERS, 'more changed answer')}`]
        : []),
      ...digest.topics.flatMap((found) => [
        describeTopic(found, digest, page),
        ...best.filter((item) => item.topic === found.topic).map((item) => describeItem(item, write, page)),
      ]),
      ...others.map((row) => describeFound(row, write, page)),
      ...(digest.growing.length === 0 ? [] : ['Still growing:']),
      ...digest.growing.map((growing) => describeGrowing(growing, write, page)),
      ...describeQuiet(digest),
    ].join('\n');
  },
});

/** Of each topic in turn, so that the limit leaves none out before it has its best. */
function pickBest({ topics }: Digest, most: number): DigestItem[] {
  const places = Math.max(0, ...topics.map(({ items }) => items.length));
  const inTurn = Array.from({ length: places }, (_, place) =>
    topics.flatMap(({ items }) => items[place] ?? []),
  );
  return inTurn.flat().slice(0, most);
}

/** The newest others of a topic or search. */
async function readOthers(
  { ctx: { db } }: ToolCall,
  { topic: slug, search: of, from, until: to }: Digest,
  best: readonly DigestItem[],
  most: number,
): Promise<DescribedDiscovery[]> {
  if (best.length >= most) return [];
  const rows = await readNewestDiscoveries(db, {
    topic: slug ?? undefined,
    search: of ?? undefined,
    view: 'topic',
    baseline: false,
    kind: ['post', 'link'],
    since: new Date(from),
    until: new Date(to),
    limit: most,
  });
  const known = new Set(best.map(({ kind, id }) => `${kind} ${id}`));
  const isKnown = ({ post_id, named_post_id, link_id }: DescribedDiscovery) =>
    known.has(`post ${named_post_id ?? post_id}`) || known.has(`link ${link_id}`);
  const described = await describeDiscoveries(db, rows);
  return described.filter((row) => !isKnown(row)).slice(0, most - best.length);
}

/** `harbour-ferry "Harbour ferry": 47 posts, 12 links new; all: http://…`. */
function describeTopic(
  { topic: slug, topic_name, posts, links, least }: Digest['topics'][number],
  { from, until: to }: Digest,
  page: Page,
): string {
  const range = new URLSearchParams({ since: from, until: to }).toString();
  const counts = `${least ? 'at least ' : ''}${formatCount(posts, 'post')}, ${formatCount(links, 'link')}`;
  return `${slug} ${quote(topic_name, 80)}: ${counts} new; all: ${page(`/topics/${slug}/discoveries?${range}`)}`;
}

/** Not observed is not the same as nothing. */
function describeQuiet({ topics, quiet, muted }: Digest): string[] {
  const name = (checked: boolean) =>
    quiet.filter((each) => each.checked === checked).map((each) => each.topic);
  const list = (words: string, slugs: readonly string[]) =>
    slugs.length === 0
      ? []
      : [`${words}: ${slugs.slice(0, MAX_QUIET).join(', ')}${slugs.length > MAX_QUIET ? ', …' : ''}.`];
  return [
    ...list('Checked, nothing new', name(true)),
    ...(topics.length === 0 ? [FIRST_RUNS] : []),
    ...list('Not checked, so unknown', name(false)),
    ...list(
      'Left out, because muted',
      muted.map((each) => each.topic),
    ),
  ];
}

const MAX_QUIET = 20;
const FIRST_RUNS =
  'What the first run of a search found was there before and is not new; the tool search finds it.';
