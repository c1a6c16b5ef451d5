import { and, asc, gte, inArray, lt, sql } from 'drizzle-orm';
import type { Database } from '../database.ts';
import { shareOfVoiceView } from '../schema/analytics.ts';
import type { ServiceKind } from '../services.ts';

export type VoiceDayRow = typeof shareOfVoiceView.$inferSelect;

type Days = {
  /** Whole days (UTC): from this one on, and before that one. */
  from: Date;
  until: Date;
  limit: number;
};

/** Topics per day, each with its share among all topics of its kind of service that day. No row: nobody looked. */
export async function readVoiceDays(
  { orm }: Pick<Database, 'orm'>,
  filter: Days & { topics?: readonly string[] | undefined },
): Promise<VoiceDayRow[]> {
  return orm
    .select()
    .from(shareOfVoiceView)
    .where(within(filter))
    .orderBy(asc(shareOfVoiceView.bucket_at), asc(shareOfVoiceView.service_kind), asc(shareOfVoiceView.topic))
    .limit(filter.limit);
}

export type VoiceRow = {
  topic: string;
  service_kind: ServiceKind;
  /** As counted, and how many of the days have any row. */
  posts: number;
  days: number;
  /** Of the days on which at least half was observed; null where there is none. */
  normalised_per_day: number | null;
  normalised_days: number;
  /** Of the normalised posts per day of the topics that are asked for, of the same kind of service, 0 to 1. */
  share: number | null;
  lower_bound: boolean;
};

/**
 * Topics over a range of days, compared with each other: each by its mean over the days on which it was observed,
 * so that a topic which was not looked at for a week is not the quieter for it.
 */
export async function readShareOfVoice(
  { orm }: Pick<Database, 'orm'>,
  filter: Days & { topics?: readonly string[] | undefined },
): Promise<VoiceRow[]> {
  const v = shareOfVoiceView;
  const mean = sql`avg(${v.normalised_posts})`;
  return orm
    .select({
      topic: v.topic,
      service_kind: v.service_kind,
      posts: sql<number>`sum(${v.posts})`.mapWith(Number),
      days: sql<number>`count(*)`.mapWith(Number),
      normalised_per_day: sql<number | null>`${mean}`,
      normalised_days: sql<number>`count(${v.normalised_posts})`.mapWith(Number),
      share: sql<number | null>`${mean} / nullif(sum(${mean}) over (partition by ${v.service_kind}), 0)`,
      lower_bound: sql<boolean>`bool_or(${v.lower_bound})`,
    })
    .from(v)
    .where(within(filter))
    .groupBy(v.topic, v.service_kind)
    .orderBy(asc(v.service_kind), sql`${mean} desc nulls last`, asc(v.topic))
    .limit(filter.limit);
}

function within({ from, until, topics }: Days & { topics?: readonly string[] | undefined }) {
  return and(
    gte(shareOfVoiceView.bucket_at, from),
    lt(shareOfVoiceView.bucket_at, until),
    topics === undefined ? undefined : inArray(shareOfVoiceView.topic, [...topics]),
  );
}
