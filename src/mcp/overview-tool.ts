/** What is watched, how it is doing, and what needs a person. */
import { DAY } from '../lib/time.ts';
import { formatCount, formatWhole } from '../lib/display-format.ts';
import { getDigest } from '../monitor/digests/digest-operations.ts';
import type { Digest } from '../monitor/digests/digest-shapes.ts';
import { readTopicStatuses, type TopicStatus } from '../monitor/status/search-status.ts';
import { nameTopicStatus } from '../monitor/status/status-names.ts';
import { readStatus, type Status } from '../monitor/status/system-status.ts';
import { parseZone } from '../monitor/schedule/time-zone.ts';
import { readTopics, type TopicRow } from '../store/queries/topic-list.ts';
import { describeAttention, isNews, type Page } from './news-text.ts';
import { declareTool } from './tool.ts';
import { createTimeWriter, joinParts, quote, QUOTED_NOTICE, type TimeWriter } from './tool-text.ts';
import { tz } from './tool-inputs.ts';
import { z } from 'zod';

const MAX_TOPICS = 50;
const MAX_CHECKS = 5;
const MAX_ANSWERS = 5;

export const overviewTool = declareTool({
  name: 'overview',
  title: 'Overview',
  description:
    'All topics with their slugs, whether each is doing well, how much was new in the last 24 hours, and what needs a person. Call it first.',
  scope: 'read',
  input: z.strictObject({ tz }),
  run: async (call, { tz: named }) => {
    const zone = parseZone(named);
    const { ctx, base, embedded } = call;
    const now = ctx.clock.now();
    const write = createTimeWriter(zone, now);
    const page: Page = (path) => `${base}${path}`;
    const topics = await readTopics(ctx.db, { limit: MAX_TOPICS + 1 });
    const [digest, statuses, status] = await Promise.all([
      getDigest.run(call, { since: new Date(now.getTime() - DAY), until: now, tz: zone }),
      readTopicStatuses(ctx),
      readStatus(ctx, embedded, write),
    ]);
    const shown = topics.slice(0, MAX_TOPICS);
    return [
      `strandline at ${write(now)} (${zone}): ${page('/')}`,
      ...(ctx.kind === 'sandbox' ? ['Everything here is simulated.'] : []),
      QUOTED_NOTICE,
      ...listAttention(digest, status, write, page),
      ...listChanged(digest, page),
      ...(topics.length === 0
        ? ['Nothing is watched yet. To watch something: the tool watch.']
        : ['Topics:']),
      ...shown.map((topic) => describeTopic(topic, statuses.get(topic.slug), digest, write, page)),
      ...(topics.length > shown.length ? [`and more than ${MAX_TOPICS} topics; see ${page('/topics')}`] : []),
      describeCalls(status),
    ].join('\n');
  },
});

/** Searches, problems and spikes as in a digest, then checks of the installation that say something else. */
function listAttention(digest: Digest, { checks }: Status, write: TimeWriter, page: Page): string[] {
  const entries = digest.attention.map((entry) => describeAttention(entry, write, page));
  const failed = checks
    .filter(({ state, page: about }) => (state === 'failed' || state === 'attention') && about === null)
    .slice(0, MAX_CHECKS)
    .map(({ facts, advice }) => joinParts([quote(facts), advice]));
  const lines = [...entries, ...failed].map((line) => `- ${line}`);
  if (lines.length === 0) return ['Nothing needs a person.'];
  const more = digest.attention_more;
  return ['Needs a person:', ...lines, ...(more === 0 ? [] : [`and ${formatWhole(more)} more`])];
}

/** Answers that changed, by their searches; `what_is_new` says how. */
function listChanged({ answers }: Digest, page: Page): string[] {
  const changed = answers.filter(isNews).map(({ search }) => page(`/searches/${search}/completions`));
  if (changed.length === 0) return [];
  const more = changed.length - MAX_ANSWERS;
  const shown = changed.slice(0, MAX_ANSWERS).join(' ');
  return [`Answers that changed in 24 h: ${shown}${more > 0 ? ` and ${formatWhole(more)} more` : ''}`];
}

/** `- harbour-ferry "Harbour ferry": OK; new in 24 h: 12 posts, 3 links; next run …; http://…`. */
function describeTopic(
  { slug, name }: TopicRow,
  status: TopicStatus | undefined,
  { topics }: Digest,
  write: TimeWriter,
  page: Page,
): string {
  const news = topics.find(({ topic }) => topic === slug);
  const found =
    news === undefined
      ? 'nothing'
      : `${news.least ? 'at least ' : ''}${formatCount(news.posts, 'post')}, ${formatCount(news.links, 'link')}`;
  const next = status?.next_due_at ?? null;
  const facts = [
    status === undefined ? 'no searches' : nameTopicStatus(status, write),
    `new in 24 h: ${found}`,
    next === null ? null : `next run ${write(next)}`,
    page(`/topics/${slug}`),
  ];
  return `- ${slug} ${quote(name, 80)}: ${joinParts(facts, '; ')}`;
}

/** What today's calls cost, and their limit. */
function describeCalls({ services }: Status): string {
  const used = services.filter(({ kind, calls_today: n }) => n > 0 || kind === 'hosted');
  const words = used.map(
    ({ name, calls_today: n, calls_per_day: most }) =>
      `${name} ${formatWhole(n)}${most === null ? '' : ` of at most ${formatWhole(most)}`}`,
  );
  return words.length === 0 ? 'No calls today (UTC).' : `Calls today (UTC): ${words.join('; ')}.`;
}
