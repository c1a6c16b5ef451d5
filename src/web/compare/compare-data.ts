/** Everything that a comparison of topics shows, read concurrently. */

import { awaitMembers } from '../../lib/await-members.ts';
import { DAY } from '../../lib/time.ts';
import { computeShareByDay } from '../../monitor/trends/rules/share-by-day.ts';
import type { Database } from '../../store/db/database.ts';
import { readLeads } from '../../store/queries/first-finders.ts';
import { describeTitles } from '../../store/queries/named-posts.ts';
import { averageVoices, readVoiceDays } from '../../store/queries/share-of-voice.ts';
import type { TopicRow } from '../../store/queries/topic-list.ts';
import { type CommonKind, readCommonTops } from '../../store/queries/tops.ts';

export const COMPARE_RANGES = ['7d', '30d', '90d'] as const;
export type CompareRange = (typeof COMPARE_RANGES)[number];

const MAX_ROWS = 5_000;
const MAX_COMMON = 10;
/** Names in common are counted over the last days of the range. */
export const COMMON_DAYS = 7;

export type Comparison = Awaited<ReturnType<typeof readComparison>>;
export type ShareOfVoice = Comparison['shares'][number];

/** Shares cover whole days: today is incomplete; leads and names in common include it. */
export async function readComparison(
  db: Database,
  now: Date,
  chosen: { topics: readonly TopicRow[]; range: CompareRange; commonKind: CommonKind },
) {
  const { range, commonKind } = chosen;
  const days = Number.parseInt(range, 10);
  const until = new Date(Math.floor(now.getTime() / DAY) * DAY);
  const from = new Date(until.getTime() - days * DAY);
  const topics = chosen.topics.map(({ slug }) => slug);
  const commonFrom = new Date(until.getTime() - (COMMON_DAYS - 1) * DAY);
  const { rows, finders, common } = await awaitMembers({
    rows: readVoiceDays(db, { topics, from, until, limit: MAX_ROWS }),
    finders: readLeads(db, { topics, from, until: now }).then(async ({ leads, shared }) => ({
      leads,
      shared: await describeTitles(db, shared, ({ link_id }) => link_id),
    })),
    common: readCommonTops(db, commonKind, { topics, from: commonFrom, until: now, limit: MAX_COMMON }),
  });
  const means = averageVoices(rows);
  const shares = (['hosted', 'own', 'sandbox'] as const).flatMap((kind) => {
    const mine = means.filter((row) => row.service_kind === kind);
    if (mine.length === 0) return [];
    const series = computeShareByDay(
      rows.filter((row) => row.service_kind === kind),
      { topics: topics.filter((topic) => mine.some((row) => row.topic === topic)), from, days },
    );
    return [{ kind, means: mine, series, /** The first of `days` whole days (UTC). */ from, days }];
  });
  return { ...chosen, ...finders, shares, common, commonFrom };
}
