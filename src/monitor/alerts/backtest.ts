/** Previews a rule over past days. Nothing is written and nothing is sent. */

import { DAY } from '../../domain/time.ts';
import { createNotFound, InvalidInput } from '../../domain/errors.ts';
import { parseQuery } from '../../domain/search-query.ts';
import {
  isFirstOfThing,
  readEntryThings,
  readFeedBetween,
  type FeedEntry,
} from '../../store/alerts/feed-entries.ts';
import type { Id } from '../../store/database.ts';
import { findRule, readRuleCreation } from '../../store/alerts/rule-rows.ts';
import type { Context } from '../context.ts';
import { slotsBetween } from '../schedule/cadence.ts';
import { DEFAULT_BACKTEST_DAYS, MAX_BACKTEST_DAYS } from './rule-shapes.ts';
import { matchRules } from './rule-filter.ts';
import { MAX_WHOLE_DISCOVERIES } from './message.ts';
import { assertPreviewable } from './system-rule.ts';

const BACKTEST_BATCH = 1_000;
/** Discoveries beyond these are only counted. */
const MAX_BACKTEST_SHOWN = 500;

/** One message that would have been sent. */
type BacktestMessage = { at: Date; discoveries: number };
export type Backtest = {
  since: Date;
  until: Date;
  messages: BacktestMessage[];
  total: number;
  found: FeedEntry[];
  /** Whether all discoveries of the days were read. */
  isWhole: boolean;
  /** From when on it is known which posts grew, because no rule asked before; null if that is known of all days. */
  growth_since: Date | null;
};

/** What a new rule would have done. */
export type RulePreview = {
  days: number;
  messages: number;
  discoveries: number;
  at_least: boolean;
  growth_since: Date | null;
};

/** Some seconds. */
const MAX_PREVIEW_DISCOVERIES = 50_000;

/** Counts the messages of a rule in the past {@link DEFAULT_BACKTEST_DAYS} days. @throws Refused `not_found` */
export async function previewRule(ctx: Context, slug: string): Promise<RulePreview> {
  const days = DEFAULT_BACKTEST_DAYS;
  const trial = await backtestRule(ctx, slug, days, MAX_PREVIEW_DISCOVERIES);
  const { messages, total, isWhole, growth_since } = trial;
  return { days, messages: messages.length, discoveries: total, at_least: !isWhole, growth_since };
}

/**
 * @param days how far back, from 1 to {@link MAX_BACKTEST_DAYS}
 * @param most discoveries to read, the oldest first
 * @returns the messages in order, the number of discoveries, and the first 500 of them
 * @throws InvalidInput @throws Refused `not_found`; `conflict` for the rule `system`
 */
export async function backtestRule(
  ctx: Context,
  slug: string,
  days: number,
  most = Number.POSITIVE_INFINITY,
): Promise<Backtest> {
  if (!Number.isInteger(days) || days < 1 || days > MAX_BACKTEST_DAYS)
    throw new InvalidInput([
      { path: 'days', given: days, expected: `a whole number from 1 to ${MAX_BACKTEST_DAYS}` },
    ]);
  const until = ctx.clock.now();
  const trial: Backtest = {
    since: new Date(until.getTime() - days * DAY),
    until,
    messages: [],
    total: 0,
    found: [],
    isWhole: true,
    growth_since: null,
  };
  const stored = await findRule(ctx.db.pool, slug);
  if (stored === null) throw createNotFound('rule', slug);
  assertPreviewable(slug);
  parseQuery(stored.filter, 'filter');
  if (stored.digest !== null) {
    const schedule = { kind: 'cron', cron: stored.digest, tz: stored.tz } as const;
    const slots = [...slotsBetween(schedule, trial.since, until)];
    return { ...trial, messages: slots.map((at) => ({ at: new Date(at), discoveries: 0 })) };
  }
  if (stored.kinds.includes('growth')) {
    const asked = await readRuleCreation(ctx.db.pool, stored.id);
    if (asked > trial.since) trial.growth_since = asked;
  }
  // As if the rule had been active all the time.
  const rule = { ...stored, state: 'active' as const };
  const counting = createMessageCounter(rule.cooldown_seconds);
  const seen = new Set<Id>();
  let before: Id | undefined;
  let read = 0;
  for (let after = 0n; ; ) {
    const { found, last } = await readFeedBetween(ctx.db.pool, { ...trial, after, limit: BACKTEST_BATCH });
    // What was found before counts as known.
    before ??= found[0] === undefined ? undefined : found[0].id - 1n;
    const trialRule = { ...rule, after: before ?? 0n };
    const [{ matching } = { matching: [] }] = await matchRules(ctx.db.pool, [trialRule], found, until);
    const isNew = isFirstOfThing(await readEntryThings(ctx.db.pool, matching), seen);
    for (const entry of matching.filter(isNew)) {
      counting.add(entry);
      trial.total += 1;
      if (trial.found.length < MAX_BACKTEST_SHOWN) trial.found.push(entry);
    }
    if (last === null) break;
    after = last;
    read += BACKTEST_BATCH;
    trial.isWhole = read < most;
    if (!trial.isWhole) break;
  }
  trial.messages = counting.end(until);
  return trial;
}

/** Counts messages as gathering would have created them, assuming that every delivery succeeds. */
function createMessageCounter(cooldownSeconds: number) {
  const messages: BacktestMessage[] = [];
  const cooldownMs = cooldownSeconds * 1_000;
  let open: (BacktestMessage & { run: bigint }) | undefined;
  return {
    add: (entry: FeedEntry) => {
      const joins =
        cooldownMs > 0
          ? open !== undefined && entry.at <= open.at
          : open?.run === entry.run_id && open.discoveries < MAX_WHOLE_DISCOVERIES;
      if (open !== undefined && joins) {
        open.discoveries += 1;
        return;
      }
      const ends = open === undefined || cooldownMs === 0 ? 0 : open.at.getTime() + cooldownMs;
      open = { at: new Date(Math.max(entry.at.getTime(), ends)), discoveries: 1, run: entry.run_id };
      messages.push(open);
    },
    end: (until: Date) =>
      messages.filter(({ at }) => at <= until).map(({ at, discoveries }) => ({ at, discoveries })),
  };
}
