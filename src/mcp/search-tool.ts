/** Full-text search over everything collected. */
import { formatWhole } from '../lib/display-format.ts';
import { findItems } from '../monitor/items/find-items.ts';
import { parseZone } from '../monitor/schedule/time-zone.ts';
import type { TextHit } from '../store/archive/find-text.ts';
import { describeBacklog } from '../store/archive/index-archive.ts';
import { textParam } from '../model/value-shapes.ts';
import { MAX_QUERY_LENGTH } from '../model/search-query.ts';
import { declareTool } from './tool.ts';
import { limit, since, topic, tz, until } from './tool-inputs.ts';
import {
  createTimeWriter,
  joinParts,
  quote,
  QUOTED_NOTICE,
  readTime,
  type TimeWriter,
  writeAddress,
} from './tool-text.ts';
import { z } from 'zod';

const MAX_EXCERPT = 280;

export const searchTool = declareTool({
  name: 'search',
  title: 'Search what was collected',
  description:
    'Full-text search over all collected posts and links, best first. All words must match, in any inflected form; also "phrases", -excluded, OR, author:name, domain:example.com, #tag, lang:en.',
  scope: 'read',
  input: z.strictObject({
    text: textParam(MAX_QUERY_LENGTH).min(1).describe('The query.'),
    topic,
    kind: z.enum(['post', 'link']).optional(),
    since: since.describe('Published from: yesterday, 7d, 2026-11-21, or an ISO time.'),
    until,
    tz,
    limit: limit(30, 8),
  }),
  run: async (call, { text, topic: slug, kind, since: from, until: to, tz: named, limit: most }) => {
    const { ctx, base } = call;
    const now = ctx.clock.now();
    const zone = parseZone(named);
    const at = { now, zone };
    const { hits, total, backlog } = await findItems(
      ctx,
      {
        text,
        topic: slug,
        kind,
        since: readTime(from, 'since', { ...at, as: 'start' }),
        until: readTime(to, 'until', { ...at, as: 'end' }),
        limit: most,
      },
      call.takeFind,
    );
    const write = createTimeWriter(zone, now);
    const all = `${base}/explore?${new URLSearchParams({ q: text }).toString()}`;
    return [
      total === 0
        ? 'No matches in what was collected; that is no proof that nothing was published.'
        : `${formatWhole(total)} matches, ${hits.length} shown, times in ${zone}; all: ${all}`,
      ...(backlog === null ? [] : [`${describeBacklog(backlog)}, so they cannot be found yet.`]),
      ...(total === 0 ? [] : [QUOTED_NOTICE]),
      ...hits.map((hit) => describeHit(hit, write, base)),
    ].join('\n');
  },
});

function describeHit(
  { post, link, at, title, excerpt, found_by }: TextHit,
  write: TimeWriter,
  base: string,
): string {
  const words = [title, excerpt]
    .map((pieces) => pieces.map(({ text }) => text).join(''))
    .filter((text) => text !== '');
  const author = post?.author_username ?? null;
  const [first] = found_by;
  const facts = [
    author === null ? null : `by ${quote(author, 60)}`,
    write(at),
    first === undefined ? null : `found by ${first.search}`,
  ];
  const path = post === null ? `/links/${link?.id}` : `/posts/${post.id}`;
  return joinParts([
    `- ${quote(words.join(' – '), MAX_EXCERPT)}`,
    joinParts(facts, ', '),
    writeAddress(post?.url ?? link?.url ?? null),
    `${base}${path}`,
  ]);
}
