/** Previews a rule, also one that is not saved, over past days. Nothing is written and nothing is sent. */

import { readNamesOf } from '../../store/queries/search-names.ts';
import { DAY } from '../../lib/time.ts';
import { createNotFound } from '../../model/errors.ts';
import { EVERYTHING, parseQuery } from '../../model/search-query.ts';
import type { WaitReason } from '../../model/alerts.ts';
import { isFirstOfThing, readEntries, readEntryCopies } from '../../store/alerts/reportable-discoveries.ts';
import {
  findPastMatches,
  type PastEntry,
  readEngagementSums,
  readPastEntries,
} from '../../store/alerts/past-entries.ts';
import { findRule, readScopeSlugs, type Rule, type RuleSettings } from '../../store/alerts/rule-rows.ts';
import type { Context } from '../context.ts';
import { MAX_SPAN_DAYS } from '../digests/digest-inputs.ts';
import { type Digest, saysSomething } from '../digests/digest-shapes.ts';
import { readDigest } from '../digests/read-digest.ts';
import { slotsBetween } from '../schedule/cadence.ts';
import { type SummaryItem, summarizeMessage } from './channels/message-summary.ts';
import { completeRule } from './manage-rules.ts';
import { createMessagePlan, type PlannedMessage } from './message-plan.ts';
import { describeDiscoveries } from './message.ts';
import { leaveOutIrrelevant } from '../../store/judgements/verdicts.ts';
import { DISCOVERY_KIND, isInScope, leaveOutKnown } from './rule-filter.ts';
import { DEFAULT_BACKTEST_DAYS, type NewRule } from './rule-shapes.ts';
import { assertPreviewable } from './system-rule.ts';

const BACKTEST_BATCH = 5_000;
/** Newest messages that are described with their items. */
const MAX_DESCRIBED = 100;
/** Items that the summary of a message chooses from, by kind. */
const MAX_CANDIDATES = 5;
/** Ids of discoveries in a reply. */
const MAX_IDS = 500;

/** One message that would have been sent, as a person would have read it. */
export type BacktestMessage = {
  at: Date;
  discoveries: number;
  /** Why it was not sent at once; null if nothing held it back. */
  waits_for: WaitReason | null;
  title: string;
  /** The sentence above its items; null if there is none. */
  lead: string | null;
  /** The few that matter most; none for messages before the newest 100. */
  items: Omit<SummaryItem, 'action'>[];
};
export type Backtest = {
  since: Date;
  until: Date;
  /** Number of discoveries that match, also of those that would still wait. */
  total: number;
  /** How many of them would wait at the end. */
  waiting: number;
  /** Newest first. */
  messages: BacktestMessage[];
  /** The first 500 discoveries, oldest first. */
  discovery_ids: bigint[];
  /** Whether all discoveries of the days were read. */
  is_whole: boolean;
  /** Since when growth of posts is recorded, because no rule asked for it before; null if it is recorded for all days. */
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

/** A second or two. */
const MAX_PREVIEW_DISCOVERIES = 50_000;

/** Counts the messages of a rule in the past {@link DEFAULT_BACKTEST_DAYS} days. @throws Refused `not_found` */
export async function previewRule(ctx: Context, slug: string): Promise<RulePreview> {
  const days = DEFAULT_BACKTEST_DAYS;
  const { messages, total, is_whole, growth_since } = await backtestStored(ctx, slug, {
    days,
    most: MAX_PREVIEW_DISCOVERIES,
    described: 0,
  });
  return { days, messages: messages.length, discoveries: total, at_least: !is_whole, growth_since };
}

/** @throws Refused `not_found`; InvalidInput for the rule `system` */
export async function backtestRule(ctx: Context, slug: string, days: number): Promise<Backtest> {
  return backtestStored(ctx, slug, { days });
}

/**
 * A rule that is not saved.
 * @param described how many of the newest messages have their items: 0 if only their number is of interest
 * @throws Refused `not_found` for its topic or search
 */
export async function backtestNewRule(
  ctx: Context,
  written: Omit<NewRule, 'channels' | 'slug'>,
  days: number,
  described = MAX_DESCRIBED,
): Promise<Backtest> {
  return backtest(ctx, await completeRule(ctx.db.pool, 'new-rule', written), {
    days,
    described,
    growthSince: ctx.clock.now(),
  });
}

async function backtestStored(
  ctx: Context,
  slug: string,
  options: Omit<BacktestOptions, 'growthSince'>,
): Promise<Backtest> {
  const stored = await findRule(ctx.db.pool, slug);
  if (stored === null) throw createNotFound('rule', slug);
  assertPreviewable(slug);
  return backtest(ctx, stored, { ...options, growthSince: stored.created_at });
}

async function backtest(
  ctx: Context,
  rule: RuleSettings & { slug: string },
  { days, most = Number.POSITIVE_INFINITY, described = MAX_DESCRIBED, growthSince }: BacktestOptions,
): Promise<Backtest> {
  const until = ctx.clock.now();
  const since = new Date(until.getTime() - days * DAY);
  const query = parseQuery(rule.filter, 'filter');
  if (rule.digest !== null) return planDigests(ctx, rule, rule.digest, { since, until, described });
  // As if the rule had been active all the time.
  const always = { ...rule, id: 0n, state: 'active' as const, after: 0n, muted_until: null };
  const plan = createMessagePlan<PastEntry>(rule);
  const kinds = rule.kinds.flatMap((kind) => DISCOVERY_KIND[kind] ?? []);
  const seen = new Set<string>();
  const ids: bigint[] = [];
  let total = 0;
  let isWhole = true;
  let before: bigint | undefined;
  for (let after = 0n, read = 0; ; read += BACKTEST_BATCH) {
    isWhole = read < most;
    if (!isWhole) break;
    const span = { since, until, after, limit: BACKTEST_BATCH };
    const { found, last } = await readPastEntries(ctx.db.pool, { ...rule, kinds }, span);
    const pastEntries = await leaveOutIrrelevant(ctx.db.pool, found, until);
    // Items found before count as known.
    before ??= pastEntries[0] === undefined ? undefined : pastEntries[0].id - 1n;
    const inScope = pastEntries.filter((entry) => isInScope(always, entry));
    const matching =
      query === EVERYTHING ? inScope : await findPastMatches(ctx.db.pool, query, inScope, until);
    const known = { rule: { ...rule, after: before ?? 0n }, query, now: until };
    const unknown = await leaveOutKnown(ctx.db.pool, known, matching);
    const reported = unknown.filter(isFirstOfThing(await readEntryCopies(ctx.db.pool, unknown), seen));
    plan.add(reported);
    total += reported.length;
    ids.push(...reported.slice(0, MAX_IDS - ids.length).map(({ id }) => id));
    if (last === null) break;
    after = last;
  }
  const { messages, waiting } = plan.end(until);
  return {
    since,
    until,
    total,
    waiting: waiting.length,
    // Of two that are close, the feed may have the later first: figures follow from what runs saved meanwhile.
    messages: await describeMessages(
      ctx,
      rule,
      messages.toReversed().sort((a, b) => b.at.getTime() - a.at.getTime()),
      described,
    ),
    discovery_ids: ids,
    is_whole: isWhole,
    growth_since: rule.kinds.includes('growth') && growthSince > since ? growthSince : null,
  };
}

/** Newest digests that are described: each takes a few hundred milliseconds. */
const MAX_DESCRIBED_DIGESTS = 3;

/** When digests would have been sent, at most, and what the newest would have said. */
async function planDigests(
  ctx: Context,
  rule: RuleSettings & { slug: string },
  cron: string,
  { since, until, described }: { since: Date; until: Date; described: number },
): Promise<Backtest> {
  const { name, tz } = rule;
  const scope = await readScopeSlugs(ctx.db.pool, rule);
  // A slot before them, where the first of them begins.
  const earlier = since.getTime() - MAX_SPAN_DAYS * DAY;
  const slots = [...slotsBetween({ kind: 'cron', cron, tz }, earlier, until)].toReversed();
  const messages: BacktestMessage[] = [];
  for (const [n, at] of slots.entries()) {
    if (at <= since.getTime()) break;
    const message = { at: new Date(at), discoveries: 0, waits_for: null, title: `${name}: digest` };
    if (n >= Math.min(described, MAX_DESCRIBED_DIGESTS)) {
      messages.push({ ...message, lead: null, items: [] });
      continue;
    }
    const from = new Date(slots[n + 1] ?? at - DAY);
    const digest = await readDigest(ctx, { ...scope, from, until: message.at, tz });
    const lead = saysSomething(digest)
      ? 'Counters, and what needs a person, are as of now.'
      : 'Nothing new: sent to nobody.';
    messages.push({ ...message, lead, items: describeDigestItems(rule, digest) });
  }
  return {
    since,
    until,
    total: 0,
    waiting: 0,
    messages,
    discovery_ids: [],
    is_whole: true,
    growth_since: null,
  };
}

function describeDigestItems(
  { slug, name }: { slug: string; name: string },
  digest: Digest,
): BacktestMessage['items'] {
  const { items } = summarizeMessage({
    type: 'strandline.digest',
    timestamp: digest.until,
    data: { rule: slug, rule_name: name, id: '0', link: null, digest },
  });
  return items.map(({ action: _action, title, text, ...item }) => ({
    ...item,
    title: null,
    text: title === null ? text : `${title}: ${text ?? ''}`,
  }));
}

type BacktestOptions = {
  days: number;
  most?: number;
  described?: number;
  /** Since when the rule has asked for growth. */
  growthSince: Date;
};

async function describeMessages(
  ctx: Context,
  { slug, name }: Pick<Rule, 'slug' | 'name'>,
  planned: readonly PlannedMessage<PastEntry>[],
  described: number,
): Promise<BacktestMessage[]> {
  const newest = planned.slice(0, described);
  const engagement = await readEngagementSums(
    ctx.db.pool,
    newest.flatMap(({ entries }) => entries),
  );
  const chosen = newest.map(({ entries }) => chooseCandidates(entries, engagement));
  const whole = await readEntries(
    ctx.db.pool,
    chosen.flat().map(({ id }) => id),
  );
  const names = await readNamesOf(
    ctx.db.pool,
    whole.map(({ search }) => search),
  );
  const byId = new Map(whole.map((entry) => [entry.id, entry]));
  return planned.map(({ at, waitsFor, entries, limit }, n) => {
    const wholeEntries = (chosen[n] ?? []).flatMap(({ id }) => byId.get(id) ?? []);
    const message = describeDiscoveries({
      rule: { slug, name },
      entries: wholeEntries,
      names,
      ids: entries.map(({ id }) => id),
      counts: countKinds(entries),
      muted: null,
      limit,
      at,
      baseUrl: ctx.config.http.baseUrl,
    });
    const { title, lead, items } = summarizeMessage(message);
    return {
      at,
      discoveries: entries.length,
      waits_for: waitsFor,
      title,
      lead,
      items: items.map(({ action: _action, ...item }) => item),
    };
  });
}

/** The first discoveries of each kind, and the posts with most engagement. */
function chooseCandidates(
  entries: readonly PastEntry[],
  engagement: ReadonlyMap<bigint, number>,
): PastEntry[] {
  const weigh = ({ kind, thing }: PastEntry) => (kind === 'post' ? (engagement.get(thing) ?? 0) : 0);
  const best = entries.toSorted((a, b) => weigh(b) - weigh(a));
  const taken = new Map<string, number>();
  return best.filter(({ kind }) => {
    const n = (taken.get(kind) ?? 0) + 1;
    taken.set(kind, n);
    return n <= MAX_CANDIDATES;
  });
}

function countKinds(entries: readonly PastEntry[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { kind } of entries) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}
