/** Share of voice of topics, per day and averaged over days. */

import { and, asc, inArray } from 'drizzle-orm';
import { groupBy } from '../../lib/group-by.ts';
import type { Orm } from '../db/database.ts';
import { shareOfVoiceView } from '../schema/analytics-views.ts';
import type { ServiceKind } from '../../model/closed-lists.ts';
import { within } from './view-conditions.ts';

export type VoiceDayRow = typeof shareOfVoiceView.$inferSelect;

type Days = {
  /** Whole days (UTC); `until` is excluded. */
  from: Date;
  until: Date;
  limit: number;
};

/** Topics per day, with their share among all topics of the same service kind that day. No row: not observed. */
export async function readVoiceDays(
  { orm }: Orm,
  filter: Days & { topics?: readonly string[] | undefined },
): Promise<VoiceDayRow[]> {
  const view = shareOfVoiceView;
  const { from: since, until, topics } = filter;
  return orm
    .select()
    .from(view)
    .where(
      and(
        within(view.bucket_at, { since, until }),
        topics === undefined ? undefined : inArray(view.topic, [...topics]),
      ),
    )
    .orderBy(asc(view.bucket_at), asc(view.service_kind), asc(view.topic))
    .limit(filter.limit);
}

export type VoiceRow = {
  topic: string;
  service_kind: ServiceKind;
  /** Counted posts, and the number of days with a row. */
  posts: number;
  days: number;
  /** Over days that were at least half observed; null if there are none. */
  normalised_per_day: number | null;
  normalised_days: number;
  /** Share of normalized posts per day among the requested topics of the same service kind, 0 to 1. */
  share: number | null;
  lower_bound: boolean;
};

/**
 * Averages topics over a range of days: each by the mean of its observed days, so that a gap does not lower it. By
 * service kind, highest first.
 */
export function averageVoices(days: readonly VoiceDayRow[]): VoiceRow[] {
  const groups = groupBy(days, ({ service_kind, topic }) => `${service_kind} ${topic}`);
  const rows = [...groups.values()].map((its) => {
    const [{ topic, service_kind }] = its;
    const normalised = its.flatMap(({ normalised_posts }) => normalised_posts ?? []);
    return {
      topic,
      service_kind,
      posts: its.reduce((sum, { posts }) => sum + posts, 0),
      days: its.length,
      normalised_per_day:
        normalised.length === 0 ? null : normalised.reduce((sum, n) => sum + n, 0) / normalised.length,
      normalised_days: normalised.length,
      lower_bound: its.some(({ lower_bound }) => lower_bound),
    };
  });
  const sumOf = (kind: ServiceKind) =>
    rows.reduce((sum, row) => sum + (row.service_kind === kind ? (row.normalised_per_day ?? 0) : 0), 0);
  return rows
    .map((row) => {
      const sum = sumOf(row.service_kind);
      return {
        ...row,
        share: row.normalised_per_day === null || sum === 0 ? null : row.normalised_per_day / sum,
      };
    })
    .toSorted(
      (a, b) =>
        compareNames(a.service_kind, b.service_kind) ||
        (b.normalised_per_day ?? -1) - (a.normalised_per_day ?? -1) ||
        compareNames(a.topic, b.topic),
    );
}

function compareNames(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}
