/** What a search does not say of authors, by their profiles; each is good for an hour. */
import { z } from 'zod';
import { HOUR } from '../../../../engine/clock.ts';
import { SourceDown } from '../../../outage.ts';
import type { Asking } from '../../adapter.ts';
import type { BlueskySession } from './session.ts';
import { count, id, wordsOrNull } from '../../reading/post-of.ts';
import { fitting, readAnswer } from '../../reading/read-answer.ts';

/** The most of one request. */
const AT_ONCE = 25;
const KEPT_MS = HOUR;
const KEPT_MOST = 5_000;

const answer = z.object({ profiles: z.array(z.unknown()) });
const profile = z.object({
  did: id,
  handle: id,
  description: wordsOrNull,
  followersCount: count,
  postsCount: count,
});
export type BlueskyProfile = z.infer<typeof profile>;
export type BlueskyProfiles = ReadonlyMap<string, BlueskyProfile>;

/** @returns asks for the profiles of accounts; who has none (any more) is not among them */
export function blueskyProfiles(session: BlueskySession) {
  const kept = new Map<string, { at: number; profile: BlueskyProfile }>();

  async function load(dids: readonly string[], asking: Asking): Promise<void> {
    const actors = dids.map((did) => ['actors', did] as const);
    const { text } = await session.get('app.bsky.actor.getProfiles', actors, asking);
    const at = asking.clock.now().getTime();
    for (const one of fitting(readAnswer(text, answer).profiles, profile)) {
      // Behind the others: those that were asked for longest ago go first.
      kept.delete(one.did);
      kept.set(one.did, { at, profile: one });
    }
  }

  return async (dids: readonly string[], asking: Asking): Promise<BlueskyProfiles> => {
    const wanted = [...new Set(dids)];
    const now = asking.clock.now().getTime();
    const isFresh = (did: string) => now - (kept.get(did)?.at ?? Number.NEGATIVE_INFINITY) < KEPT_MS;
    const missing = wanted.filter((did) => !isFresh(did));
    const batches = Array.from({ length: Math.ceil(missing.length / AT_ONCE) }, (_, i) =>
      missing.slice(i * AT_ONCE, (i + 1) * AT_ONCE),
    );
    await Promise.all(batches.map((batch) => load(batch, asking).catch(leaveUnknown)));
    const found = wanted.flatMap((did) => {
      const one = isFresh(did) ? kept.get(did) : undefined;
      return one === undefined ? [] : [[did, one.profile] as const];
    });
    for (const did of Array.from(kept.keys()).slice(0, Math.max(0, kept.size - KEPT_MOST))) kept.delete(did);
    return new Map(found);
  };
}

/** Posts are worth showing without their authors' counters, which are unknown then and said to be. */
function leaveUnknown(error: unknown): void {
  if (!(error instanceof SourceDown)) throw error;
}
