/** What searches miss: posts between truncated responses, which no later response returns. */
import { SECOND } from '../../lib/time.ts';
import { type PaceRow, readActivePaces } from '../../store/runs/pace.ts';
import type { Context } from '../context.ts';
import { findSufficientInterval } from '../schedule/pace-forecast.ts';
import { toPace } from '../schedule/pace.ts';
import { describeInterval } from '../schedule/schedule.ts';

/** Below this, chance and the error of the estimate are as large. */
const LEAST_SHARE = 0.05;
/** Minimum number of posts for a share. */
const LEAST_POSTS = 20;

/** A search that misses posts. */
export type IncompleteSearch = {
  slug: string;
  topic: string;
  /** Estimated share of its posts of the last days that no response had. */
  missed_share: number;
  /** The longest usual interval that would find at least 98 %, in seconds; null: none of a minute or more. */
  sufficient_seconds: number | null;
  /** Whether its interval already adapts, so that its bounds or its calls per day are what is short. */
  adaptive: boolean;
};

/** Active searches that miss at least 5 % of their posts, most first; those of simulations that still run are left out. */
export async function judgeCompleteness({ db }: Pick<Context, 'db'>): Promise<IncompleteSearch[]> {
  return (await readActivePaces(db, {}))
    .flatMap((row) => judgeOne(row) ?? [])
    .sort((a, b) => b.missed_share - a.missed_share);
}

/** @returns null if it misses less than 5 %, or too little is known */
export function judgeOne(row: PaceRow): IncompleteSearch | null {
  const { seen, missed } = toPace(row);
  if (row.operation !== 'microblog' || seen + missed < LEAST_POSTS) return null;
  const missed_share = missed / (seen + missed);
  if (missed_share < LEAST_SHARE) return null;
  const ms = findSufficientInterval(toPace(row));
  return {
    slug: row.slug,
    topic: row.topic,
    missed_share,
    sufficient_seconds: ms === null ? null : ms / SECOND,
    adaptive: row.auto !== null,
  };
}

/** `misses about 65 % of its posts; every 5 minutes, or auto, would find nearly all`. */
export function describeMissed({ missed_share, sufficient_seconds, adaptive }: IncompleteSearch): string {
  const missed = `misses about ${Math.round(missed_share * 100)} % of its posts`;
  const every = sufficient_seconds === null ? null : `every ${describeInterval(sufficient_seconds)}`;
  if (adaptive)
    return `${missed}; ${every === null ? 'even calls every minute miss some' : `its calls per day or bounds do not allow ${every}`}`;
  return `${missed}; ${every === null ? '--every auto finds more' : `${every}, or --every auto, finds nearly all`}`;
}
