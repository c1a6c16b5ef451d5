/** Counts of the items of searches: quarters, days, and frequent names; for readings, and for days on which something was deleted. */
import type { Id, Transaction } from '../db/database.ts';
import { rowsOf, statement, verbatim } from '../db/statement.ts';
import { countedAtSql } from '../volume/post-time.ts';
import { countPostNames, countSites, listLinkDays, takeDaysToName } from './count-names.ts';
import { countDays, countVolume, type Day, type ObservedReach } from './count-volume.ts';
import type { Coverage } from './derive-coverage.ts';
import type { WaitingFigures } from './pending-derivations.ts';

/** The day (UTC) of a sighting's post by its publication time, as in volume; without one, by the sighting. */
export const dayOfPostSql = (sighting: string) => `date_trunc('day', ${countedAtSql(sighting)}, 'UTC')`;

/** What is counted besides the items of a batch: days, and observed time that was cleared. */
export type Recount = { days: readonly Day[]; observed: readonly ObservedReach[] };

/**
 * Counts what is new in the readings.
 * @param names which names in posts are counted now
 */
export async function countItems(
  tx: Transaction,
  { readings, coverage, again }: { readings: readonly Id[]; coverage: readonly Coverage[]; again: Recount },
  names: WaitingFigures,
): Promise<void> {
  const changed = await countVolume(tx, readings, coverage, again);
  const emptied = await countDays(tx, changed, names.now);
  await countWaitingNames(tx, names, emptied);
  await countSites(tx, [...(await listLinkDays(tx, readings)), ...again.days]);
}

/** @param emptied days without posts, whose names are removed */
export async function countWaitingNames(
  tx: Transaction,
  names: WaitingFigures,
  emptied: readonly Day[] = [],
): Promise<void> {
  await countPostNames(tx, [...(await takeDaysToName(tx, names)), ...emptied]);
}

/** The days on which searches count these items. */
export function listCountedDays(
  tx: Transaction,
  postIds: readonly Id[],
  linkIds: readonly Id[],
): Promise<Day[]> {
  return rowsOf(
    tx,
    statement`SELECT g.search_id, ${verbatim(dayOfPostSql('g'))} AS day_at FROM strandline.post_sightings g WHERE g.post_id = ANY (${postIds}::bigint[])
      UNION SELECT g.search_id, date_trunc('day', g.first_seen_at, 'UTC') FROM strandline.link_sightings g WHERE g.link_id = ANY (${linkIds}::bigint[])`,
  );
}

/**
 * Counts days again from the remaining sightings, after items were deleted. The transaction holds the lock of the follower, and blocks
 * saves.
 */
export async function recountDays(tx: Transaction, days: readonly Day[]): Promise<void> {
  if (days.length === 0) return;
  const nothing = { readings: [], coverage: [], again: { days, observed: [] } };
  await countItems(tx, nothing, { which: 'all', now: null });
}
