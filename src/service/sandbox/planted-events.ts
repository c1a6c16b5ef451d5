/**
 * What is planted in a topic's volume: events, which raise the attention for it, one every two to four days, and changes of
 * what is usual. Three of ten events are bursts, large enough to report. The others are ripples, too small to report; ambiguous
 * ones, which may be reported or not; and floods by one author and campaigns of one text, which are large and not to be reported.
 */

import { DAY, HOUR, MINUTE } from '../../lib/time.ts';
import { createDraw, deriveKey, type Draw } from './random.ts';
import type { TopicInWorld } from './simulated-topic.ts';
import {
  computeBusiestRate,
  computeLevel,
  computeUsualRate,
  isShowTime,
  type LongChange,
  type Rhythm,
} from './usual-volume.ts';

type EventShape = keyof typeof EVENT_SHAPES;
type PlantedEvent = {
  kind: 'burst' | 'ambiguous' | 'ripple' | 'flood' | 'campaign';
  shape: EventShape;
  /** Time zero of the shape, in ms since 1970: its start, or the time of the announced event. */
  origin: number;
  /** Additional rate at the peak, in multiples of the topic's base rate. */
  size: number;
};

/**
 * Attention from 0 to 1 at a time relative to the origin (ms); its peak; integrals, in hours, of its best hour and best
 * six hours; and the ratio of the largest burst to the smallest.
 */
const EVENT_SHAPES = {
  /** A headline: immediate, then decays by a power law. */
  news: {
    at: (ms: number) => (ms < 0 ? 0 : (1 + ms / HOUR) ** -1.2),
    peak: 0,
    hour: 0.647,
    sixHours: 1.612,
    most: 6,
  },
  /** An announced event: rises for two days, ends abruptly. */
  scheduled: {
    at: (ms: number) => (ms < 0 ? Math.exp(ms / (10 * HOUR)) : Math.exp(-ms / HOUR)),
    peak: 0,
    hour: 0.951,
    sixHours: 4.512,
    most: 2.5,
  },
  /** Word of mouth: rises and falls over several days. */
  slow: {
    at: (ms: number) => (ms <= 0 ? 0 : Math.exp(-((Math.log(ms / DAY) / 0.7) ** 2) / 2)),
    peak: DAY,
    hour: 0.999,
    sixHours: 5.96,
    most: 1.4,
  },
  /** Over within two hours. */
  flash: {
    at: (ms: number) => (ms < 0 || ms > 2 * HOUR ? 0 : 1 - ms / (2 * HOUR)),
    peak: 0,
    hour: 0.75,
    sixHours: 1,
    most: 6,
  },
} as const;
/** Weighted by repetition; most trends are news (Kwak 2010). */
const SHAPE_ODDS = ['news', 'news', 'news', 'flash', 'flash', 'scheduled', 'scheduled', 'slow'] as const;

/** Days around its origin during which an event has an effect. */
const EVENT_DAYS_BEFORE = 2;
const EVENT_DAYS_AFTER = 5;
/** Minimum distance from an earlier burst, so that bursts do not overlap. */
const QUIET_DAYS = 4;
const BURST_SHARE = 0.3;
/** Shares among the events that are no bursts, floods and campaigns where a topic has them; the rest are ripples. */
const AMBIGUOUS_SHARE = 0.25;
const FLOOD_SHARE = 0.15;
const CAMPAIGN_SHARE = 0.1;
/** Maximum size of a ripple, in multiples of the base rate: far from doubling the volume. */
const MAX_RIPPLE_SIZE = 0.35;
/** Ambiguous events add between these parts of the usual in their best hour: it is 1.3 to 2 times the usual. */
const AMBIGUOUS_SIZES = [0.3, 1] as const;
/** Bursts exceed twice the usual volume of an hour by this factor. */
const BURST_MARGIN = 1.5;
/** Expected additional posts in six hours from which something is to be reported. */
const EXTRA_POSTS = 5;
/** Those of the least burst, in its best six hours: it must stand out of 14 posts a day, which vary. */
const LEAST_BURST_POSTS = 20;
/** Maximum additional posts of a burst in two minutes: ids have room for 127. */
const MAX_CELL_EXTRA = 50;

/** Separates the key of a topic's events from the keys of its posts. */
const EVENT_KEY_PART = 0x62757273;

/** The event with its origin on a day (days since 1970, UTC), if any. */
export function findPlantedEvent(topic: TopicInWorld, day: number): PlantedEvent | undefined {
  const draw = drawEventStart(topic, day);
  if (draw === undefined) return undefined;
  const chance = draw();
  const shape = SHAPE_ODDS[Math.floor(draw() * SHAPE_ODDS.length)] ?? 'news';
  const origin = (day + draw()) * DAY;
  const pareto = (1 - draw()) ** (-1 / 1.5);
  if (chance < BURST_SHARE && !hasBurstBefore(topic, day)) {
    return { kind: 'burst', shape, origin, size: computeBurstSize(topic.topic, shape, pareto) };
  }
  const other = draw();
  if (other < AMBIGUOUS_SHARE) {
    const [least, most] = AMBIGUOUS_SIZES;
    const size =
      ((least + (most - least) * draw()) * computeBusiestRate(topic.topic)) / EVENT_SHAPES[shape].hour;
    return { kind: 'ambiguous', shape, origin, size };
  }
  if (topic.topic.habits.manipulated && other < AMBIGUOUS_SHARE + FLOOD_SHARE + CAMPAIGN_SHARE) {
    const kind = other < AMBIGUOUS_SHARE + FLOOD_SHARE ? 'flood' : 'campaign';
    return { kind, shape: 'flash', origin, size: computeBurstSize(topic.topic, 'flash', pareto) };
  }
  return { kind: 'ripple', shape, origin, size: Math.min(MAX_RIPPLE_SIZE, 0.08 * pareto) };
}

/** Long changes of a topic begin anew in each season. */
const SEASON_DAYS = 56;
const CHANGE_SHARE = 0.7;
/** Separates the key of a topic's changes from the others. */
const CHANGE_KEY_PART = 0x6368616e;

/** The long change of a season (from 1970 on, each of {@link SEASON_DAYS}), if any. It ends within the season. */
function findLongChange({ topic, key }: TopicInWorld, season: number): LongChange | undefined {
  const kinds = topic.habits.changes;
  const draw = createDraw(deriveKey(deriveKey(key, CHANGE_KEY_PART), season));
  const kind = draw() < CHANGE_SHARE ? kinds[Math.floor(draw() * kinds.length)] : undefined;
  if (kind === undefined) return undefined;
  const [days, factor] = {
    level: [20 + 15 * draw(), draw() < 0.7 ? 2 + 1.5 * draw() : 0.3 + 0.2 * draw()],
    drift: [40, (1.05 + 0.05 * draw()) ** 20],
    silence: [1 + 4 * draw(), 0],
  }[kind] as [number, number];
  const from = (season * SEASON_DAYS + draw() * (SEASON_DAYS - days)) * DAY;
  return { kind, from, until: from + days * DAY, factor };
}

/** Changes of what is usual that begin in, or last into, a time. */
export function listLongChanges(topic: TopicInWorld, from: number, to: number): LongChange[] {
  if (topic.topic.habits.changes.length === 0) return [];
  const changes: LongChange[] = [];
  for (let season = Math.floor(from / DAY / SEASON_DAYS); season <= to / DAY / SEASON_DAYS; season += 1) {
    const change = findLongChange(topic, season);
    if (change !== undefined && change.from < to && change.until > from) changes.push(change);
  }
  return changes;
}

/** Everything that affects the volume of a day (days since 1970, UTC). */
export type Planted = { events: readonly PlantedEvent[]; changes: readonly LongChange[] };

export function listPlanted(topic: TopicInWorld, day: number): Planted {
  return {
    events: listActiveEvents(topic, day),
    changes: listLongChanges(topic, day * DAY, (day + 1) * DAY),
  };
}

/** All events that affect a day. */
function listActiveEvents(topic: TopicInWorld, day: number): PlantedEvent[] {
  const active: PlantedEvent[] = [];
  for (let d = day - EVENT_DAYS_AFTER; d <= day + EVENT_DAYS_BEFORE; d++) {
    const event = findPlantedEvent(topic, d);
    if (event !== undefined) active.push(event);
  }
  return active;
}

/** The additional rate of an event at a time, in multiples of the base rate. */
function computeAddedRate(event: PlantedEvent, at: number): number {
  return event.size * EVENT_SHAPES[event.shape].at(at - event.origin);
}

function drawEventStart(topic: TopicInWorld, day: number): Draw | undefined {
  const draw = createDraw(deriveKey(deriveKey(topic.key, EVENT_KEY_PART), day));
  const everyDays = 2 + 2 * (topic.key[1] / 2 ** 32);
  return draw() < 1 / everyDays ? draw : undefined;
}

/** Whether an earlier day drew a burst; then a second one becomes an event of another kind. */
function hasBurstBefore(topic: TopicInWorld, day: number): boolean {
  for (let d = day - QUIET_DAYS; d < day; d++) {
    const draw = drawEventStart(topic, d);
    if (draw !== undefined && draw() < BURST_SHARE) return true;
  }
  return false;
}

/** Truncated Pareto (exponent 1.5): detectable in the quietest topic, bounded in the busiest. */
function computeBurstSize(topic: TopicInWorld['topic'], shape: EventShape, pareto: number): number {
  const { postsPerDay } = topic;
  const { hour, sixHours, most: largest } = EVENT_SHAPES[shape];
  const doubles = (BURST_MARGIN * computeBusiestRate(topic)) / hour;
  const isCounted = LEAST_BURST_POSTS / ((postsPerDay / 24) * sixHours);
  const most = (MAX_CELL_EXTRA * 720) / postsPerDay;
  return Math.max(doubles, Math.min(most, Math.max(doubles, isCounted) * Math.min(pareto, largest)));
}

/** The rate at a time, as a multiple of the base rate. Events add the same at night, and more at a higher level. */
export function computeRate(topic: Rhythm, at: number, { events, changes }: Planted): number {
  return computeUsualRate(topic, at, changes) + computeLevel(changes, at) * sumAdded(events, at);
}

function sumAdded(events: readonly PlantedEvent[], at: number): number {
  let added = 0;
  for (const event of events) added += computeAddedRate(event, at);
  return added;
}

/** A flood or campaign at a time, and which share of the posts belong to it. */
export function findManipulation(
  topic: Rhythm,
  at: number,
  planted: Planted,
): { event: PlantedEvent; share: number } | undefined {
  for (const event of planted.events) {
    if (event.kind !== 'flood' && event.kind !== 'campaign') continue;
    const added = computeAddedRate(event, at) * computeLevel(planted.changes, at);
    if (added > 0) return { event, share: added / computeRate(topic, at, planted) };
  }
  return undefined;
}

// Ground truth of planted bursts: when a report is correct, and the expected additional posts.

/** A reportable burst. Times in ms since 1970. */
export type PlantedBurst = {
  shape: EventShape;
  direction: 'up';
  /**
   * Reports are correct from here on: the next six hours are expected to have at least five additional posts and twice
   * the usual volume. For immediate shapes (news, flash), not before the origin.
   */
  onset: number;
  peak: number;
  /** Last time at which it adds half of the usual rate or more. */
  end: number;
  /** Additional rate at its peak, in multiples of the base rate. */
  size: number;
  /** Expected additional posts in total, and in the six hours from its onset. */
  extraPosts: number;
  extraPostsSixHours: number;
};

const INTEGRATION_STEP_MS = 10 * MINUTE;
const ONSET_WINDOW_MS = 6 * HOUR;

/** Planted bursts with `from <= onset < to`, by onset. */
export function listPlantedBursts(topic: TopicInWorld, from: number, to: number): PlantedBurst[] {
  const bursts: PlantedBurst[] = [];
  for (let day = Math.floor(from / DAY) - 1; day <= Math.floor(to / DAY) + EVENT_DAYS_BEFORE; day++) {
    const event = findPlantedEvent(topic, day);
    const burst = event?.kind === 'burst' ? toPlantedBurst(topic, event) : undefined;
    if (burst !== undefined && burst.onset >= from && burst.onset < to) bursts.push(burst);
  }
  return bursts.sort((a, b) => a.onset - b.onset);
}

/** Expected posts per hour without events. */
export function computeUsualPerHour(topic: TopicInWorld, at: number): number {
  return (
    (topic.topic.postsPerDay / 24) * computeUsualRate(topic.topic, at, listLongChanges(topic, at, at + 1))
  );
}

/** Expected additional posts of an event in a period. */
function computeExtraPosts(topic: TopicInWorld, event: PlantedEvent, from: number, to: number): number {
  const changes = listLongChanges(topic, from, to);
  const perHour = topic.topic.postsPerDay / 24;
  return integratePerHour(
    (at) => perHour * computeLevel(changes, at) * computeAddedRate(event, at),
    from,
    to,
  );
}

/** @returns undefined if the event is no burst, or never reportable: during a weekly show, or while the source is silent */
export function toPlantedBurst(topic: TopicInWorld, event: PlantedEvent): PlantedBurst | undefined {
  const { peak } = EVENT_SHAPES[event.shape];
  if (event.kind !== 'burst') return undefined;
  const instant = event.shape === 'news' || event.shape === 'flash';
  const begin = instant ? event.origin : event.origin - EVENT_DAYS_BEFORE * DAY;
  const last = event.origin + EVENT_DAYS_AFTER * DAY;
  for (let onset = begin; onset <= (instant ? begin : last); onset += INTEGRATION_STEP_MS) {
    const extra = computeExtraPosts(topic, event, onset, onset + ONSET_WINDOW_MS);
    if (extra < EXTRA_POSTS || extra < computeNeededPosts(topic, event, onset)) continue;
    const changes = listLongChanges(topic, begin, last);
    const isHalf = (at: number) =>
      2 * computeLevel(changes, at) * computeAddedRate(event, at) >=
      computeUsualRate(topic.topic, at, changes);
    let end = last;
    while (end > onset && !isHalf(end)) end -= INTEGRATION_STEP_MS;
    return {
      shape: event.shape,
      direction: 'up',
      onset,
      peak: event.origin + peak,
      end,
      size: event.size,
      extraPosts: computeExtraPosts(topic, event, begin, last),
      extraPostsSixHours: extra,
    };
  }
  return undefined;
}

/** Posts needed to double the volume: of six hours for lasting shapes, of the first hour for immediate ones. */
function computeNeededPosts(topic: TopicInWorld, event: PlantedEvent, onset: number): number {
  const usual = (from: number, to: number) =>
    integratePerHour((at) => computeUsualPerHour(topic, at), from, to);
  if (event.shape === 'scheduled' || event.shape === 'slow') return usual(onset, onset + ONSET_WINDOW_MS);
  const doubled = computeExtraPosts(topic, event, onset, onset + HOUR) >= usual(onset, onset + HOUR);
  return doubled ? 0 : Number.POSITIVE_INFINITY;
}

/** Integrates an hourly rate over time. */
function integratePerHour(perHour: (at: number) => number, from: number, to: number): number {
  let sum = 0;
  for (let at = from; at < to; at += INTEGRATION_STEP_MS) {
    const step = Math.min(INTEGRATION_STEP_MS, to - at);
    sum += (perHour(at + step / 2) * step) / HOUR;
  }
  return sum;
}

/** What is planted beside the bursts. Reports of ambiguous events are neither right nor wrong. */
export type PlantedOther = {
  kind: 'ambiguous' | 'flood' | 'campaign' | 'show' | LongChange['kind'];
  from: number;
  until: number;
};

/** Everything but bursts, ripples and holidays that touches a time, by its beginning. */
export function listPlantedOthers(topic: TopicInWorld, from: number, to: number): PlantedOther[] {
  const others: PlantedOther[] = listLongChanges(topic, from, to).map(({ kind, ...span }) => ({
    kind,
    from: span.from,
    until: span.until,
  }));
  for (let day = Math.floor(from / DAY) - EVENT_DAYS_AFTER; day <= to / DAY + EVENT_DAYS_BEFORE; day += 1) {
    const event = findPlantedEvent(topic, day);
    if (event === undefined || event.kind === 'ripple') continue;
    const kind = event.kind === 'burst' ? 'ambiguous' : event.kind;
    if (event.kind === 'burst' && toPlantedBurst(topic, event) !== undefined) continue;
    others.push({ kind, ...spanOf(event) });
  }
  for (let at = from - (from % HOUR); at < to; at += HOUR) {
    if (!isShowTime(topic.topic.habits, at) || isShowTime(topic.topic.habits, at - HOUR)) continue;
    others.push({ kind: 'show', from: at, until: at + (topic.topic.habits.show?.hours ?? 0) * HOUR });
  }
  return others.filter((other) => other.from < to && other.until > from).sort((a, b) => a.from - b.from);
}

/** While an event adds a tenth of its most. */
function spanOf({ shape, origin }: PlantedEvent): { from: number; until: number } {
  const { at } = EVENT_SHAPES[shape];
  let [from, until] = [origin - EVENT_DAYS_BEFORE * DAY, origin + EVENT_DAYS_AFTER * DAY];
  while (from < origin && at(from - origin) < 0.1) from += INTEGRATION_STEP_MS;
  while (until > origin && at(until - origin) < 0.1) until -= INTEGRATION_STEP_MS;
  return { from, until };
}
