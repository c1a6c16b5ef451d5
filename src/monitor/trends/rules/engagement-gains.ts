/** What counters gained over time, as the detector reads it. Pure; times are milliseconds since 1970. */
import { QUARTER_MS, SECOND } from '../../../lib/time.ts';
import { MIN_SPIKE_POSTS, MIN_SPIKE_RATIO, type Spike } from './spike-detection.ts';
import type { Series } from './time-series.ts';

/** Gains between two consecutive results of a search, of the posts that both contain. */
export type Gain = {
  from: number;
  until: number;
  gained: number;
  /** The post that gained most of it; null where none gained. */
  topPost: bigint | null;
  topGained: number;
};

/**
 * Quarters of an hour from `from` until `until`. A gain is spread evenly over the time between its answers; time
 * between no two answers was not observed, which is not zero.
 */
export function buildGainSeries(gains: readonly Gain[], from: number, until: number): Series {
  const length = Math.max(0, Math.round((until - from) / QUARTER_MS));
  const counts = new Float64Array(length);
  const seconds = new Float64Array(length);
  for (const gain of gains) {
    const first = Math.max(0, Math.floor((gain.from - from) / QUARTER_MS));
    const end = Math.min(length, Math.ceil((gain.until - from) / QUARTER_MS));
    for (let i = first; i < end; i += 1) {
      const within = computeOverlapMs(gain, from + i * QUARTER_MS, from + (i + 1) * QUARTER_MS);
      counts[i] = (counts[i] ?? 0) + (gain.gained * within) / (gain.until - gain.from);
      seconds[i] = (seconds[i] ?? 0) + within / SECOND;
    }
  }
  return { from, counts, seconds };
}

/**
 * The post that gained most in a window, as far as it gained most between two answers; what it gained beside that is
 * not counted. Null where nothing gained.
 */
export function findTopPost(
  gains: readonly Gain[],
  window: { start: number; end: number },
): { post: bigint; gained: number } | null {
  const byPost = new Map<bigint, number>();
  for (const gain of gains) {
    const within = computeOverlapMs(gain, window.start, window.end);
    if (gain.topPost === null || within <= 0) continue;
    const before = byPost.get(gain.topPost) ?? 0;
    byPost.set(gain.topPost, before + (gain.topGained * within) / (gain.until - gain.from));
  }
  let top: { post: bigint; gained: number } | null = null;
  for (const [post, gained] of byPost) if (top === null || gained > top.gained) top = { post, gained };
  return top;
}

/** Whether a spike would hold enough without the post that gained most: one post is not what a search is about. */
export function isSpreadOverPosts(gains: readonly Gain[], spike: Spike): boolean {
  const rest = spike.n - (findTopPost(gains, spike)?.gained ?? 0);
  return rest >= MIN_SPIKE_POSTS && rest / spike.coverage >= MIN_SPIKE_RATIO * spike.usual;
}

function computeOverlapMs(gain: Gain, start: number, end: number): number {
  return Math.max(0, Math.min(gain.until, end) - Math.max(gain.from, start));
}
