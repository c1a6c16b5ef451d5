/**
 * Planted events, which raise the attention for a topic. They occur at random, one every two to four days. Three of ten
 * are bursts, large enough to report; the others are ripples, too small to report, and floods of spam. There is nothing
 * in between, so the correct result is always known.
 */

import { DAY, HOUR, MINUTE } from '../../domain/time.ts';
import { createDraw, deriveKey, type Draw } from './random.ts';
import type { Topic, TopicInWorld } from './simulated-topic.ts';

type EventShape = keyof typeof EVENT_SHAPES;
export type PlantedEvent = {
  kind: 'ripple' | 'flood' | 'burst';
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
/** Share of ripples that are spam floods. */
const FLOOD_SHARE = 0.25;
/** Maximum size of a ripple, in multiples of the base rate: far from doubling the volume. */
const MAX_RIPPLE_SIZE = 0.35;
/**
 * Bursts exceed the reporting threshold by this factor: twice the usual volume in an hour, and five additional posts in
 * six.
 */
const BURST_MARGIN = 1.5;
const EXTRA_POSTS = 5;
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
  const flood = draw() < FLOOD_SHARE;
  const size = Math.min(MAX_RIPPLE_SIZE, 0.08 * pareto);
  return { kind: flood ? 'flood' : 'ripple', shape: flood ? 'flash' : shape, origin, size };
}

/** All events that affect a day. */
export function listActiveEvents(topic: TopicInWorld, day: number): PlantedEvent[] {
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

/** Whether an earlier day drew a burst; then a second one becomes a ripple. */
function hasBurstBefore(topic: TopicInWorld, day: number): boolean {
  for (let d = day - QUIET_DAYS; d < day; d++) {
    const draw = drawEventStart(topic, d);
    if (draw !== undefined && draw() < BURST_SHARE) return true;
  }
  return false;
}

/** Truncated Pareto (exponent 1.5): detectable in the quietest topic, bounded in the busiest. */
function computeBurstSize({ postsPerDay, daily }: Topic, shape: EventShape, pareto: number): number {
  const { hour, sixHours, most: largest } = EVENT_SHAPES[shape];
  const doubles = (BURST_MARGIN * (1 + daily.share)) / hour;
  const isCounted = (BURST_MARGIN * EXTRA_POSTS) / ((postsPerDay / 24) * sixHours);
  const most = (MAX_CELL_EXTRA * 720) / postsPerDay;
  return Math.max(doubles, Math.min(most, Math.max(doubles, isCounted) * Math.min(pareto, largest)));
}

// Rate of a topic at a time: base rate, time of day, and events.

/** The normal rate at a time, as a multiple of the base rate: the daily cycle only. */
function computeUsualRate({ daily }: Topic, at: number): number {
  const hours = (at % DAY) / HOUR - daily.topHour;
  return 1 + daily.share * Math.cos((hours / 24) * 2 * Math.PI);
}

/** The rate at a time, as a multiple of the base rate. Events add the same at night. */
export function computeRate(topic: Topic, at: number, events: readonly PlantedEvent[]): number {
  let attention = computeUsualRate(topic, at);
  for (const event of events) attention += computeAddedRate(event, at);
  return attention;
}

/** The share of posts at a time that belong to a spam flood. */
export function computeFloodShare(topic: Topic, at: number, events: readonly PlantedEvent[]): number {
  let flood = 0;
  for (const event of events) if (event.kind === 'flood') flood += computeAddedRate(event, at);
  return flood === 0 ? 0 : flood / computeRate(topic, at, events);
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
export function computeUsualPerHour({ topic }: TopicInWorld, at: number): number {
  return (topic.postsPerDay / 24) * computeUsualRate(topic, at);
}

/** Expected additional posts of an event in a period. */
function computeExtraPosts({ topic }: TopicInWorld, event: PlantedEvent, from: number, to: number): number {
  return integratePerHour((at) => (topic.postsPerDay / 24) * computeAddedRate(event, at), from, to);
}

/** @returns undefined if the event is never reportable */
export function toPlantedBurst(topic: TopicInWorld, event: PlantedEvent): PlantedBurst | undefined {
  const { sixHours, peak } = EVENT_SHAPES[event.shape];
  // If its best six hours are not enough, no onset is.
  const most = 1.01 * event.size * sixHours;
  if ((most * topic.topic.postsPerDay) / 24 < EXTRA_POSTS) return undefined;
  if (most < sixHours * (1 - topic.topic.daily.share)) return undefined;
  const instant = event.shape === 'news' || event.shape === 'flash';
  const begin = instant ? event.origin : event.origin - EVENT_DAYS_BEFORE * DAY;
  const last = event.origin + EVENT_DAYS_AFTER * DAY;
  for (let onset = begin; onset <= (instant ? begin : last); onset += INTEGRATION_STEP_MS) {
    const extra = computeExtraPosts(topic, event, onset, onset + ONSET_WINDOW_MS);
    if (extra < EXTRA_POSTS || extra < computeNeededPosts(topic, event, onset)) continue;
    const usual = (at: number) => computeUsualRate(topic.topic, at);
    let end = last;
    while (end > onset && computeAddedRate(event, end) < usual(end) / 2) end -= INTEGRATION_STEP_MS;
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
