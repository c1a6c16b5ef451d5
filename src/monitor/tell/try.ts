/** What a rule would have told of the past. Nothing is written and nothing is sent. */
import { DAY } from '../../engine/clock.ts';
import { InvalidInput } from '../../errors.ts';
import { feedBetween, type Found } from '../../store/tell/feed.ts';
import { findRule } from '../../store/tell/rules.ts';
import type { Context } from '../context.ts';
import { ready, tells } from './judge.ts';
import { WHOLE_MAX } from './message.ts';
import { noRule } from './rules.ts';

export const DAYS_MAX = 90;
const BATCH = 1_000;
/** More than these are only counted. */
const SHOWN_MAX = 500;

/** One message that would have been sent. */
export type TriedMessage = { at: Date; discoveries: number };
export type Trial = { since: Date; until: Date; messages: TriedMessage[]; total: number; found: Found[] };

/**
 * @param days how far back, from 1 to {@link DAYS_MAX}
 * @returns messages in their order, how many discoveries in all, and the first 500 of them
 * @throws InvalidInput @throws Refused `not_found`
 */
export async function tryRule(ctx: Context, slug: string, days: number): Promise<Trial> {
  if (!Number.isInteger(days) || days < 1 || days > DAYS_MAX)
    throw new InvalidInput([{ path: 'days', given: days, expected: `a whole number from 1 to ${DAYS_MAX}` }]);
  const until = ctx.clock.now();
  const trial: Trial = {
    since: new Date(until.getTime() - days * DAY),
    until,
    messages: [],
    total: 0,
    found: [],
  };
  const stored = await findRule(ctx.db.pool, slug);
  if (stored === null) throw noRule(slug);
  // As if it had been there, and active, all the time.
  const rule = ready({ ...stored, state: 'active', after: 0n });
  const counting = counter(rule.cooldown_seconds);
  for (let after = 0n; ; ) {
    const { found, last } = await feedBetween(ctx.db.pool, { ...trial, after, limit: BATCH });
    for (const one of found.filter((each) => tells(rule, each))) {
      counting.add(one);
      trial.total += 1;
      if (trial.found.length < SHOWN_MAX) trial.found.push(one);
    }
    if (last === null) break;
    after = last;
  }
  trial.messages = counting.end(until);
  return trial;
}

/** Counts messages as gathering would have made them, without what a receiver did. */
function counter(cooldownSeconds: number): { add(one: Found): void; end(until: Date): TriedMessage[] } {
  const messages: TriedMessage[] = [];
  const cooldownMs = cooldownSeconds * 1_000;
  let open: (TriedMessage & { run: bigint }) | undefined;
  return {
    add: (one) => {
      const joins =
        cooldownMs > 0
          ? open !== undefined && one.at <= open.at
          : open?.run === one.run_id && open.discoveries < WHOLE_MAX;
      if (open !== undefined && joins) {
        open.discoveries += 1;
        return;
      }
      const ends = open === undefined || cooldownMs === 0 ? 0 : open.at.getTime() + cooldownMs;
      open = { at: new Date(Math.max(one.at.getTime(), ends)), discoveries: 1, run: one.run_id };
      messages.push(open);
    },
    end: (until) =>
      messages.filter(({ at }) => at <= until).map(({ at, discoveries }) => ({ at, discoveries })),
  };
}
