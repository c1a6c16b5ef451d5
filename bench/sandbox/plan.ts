/** Which searches the benchmark saves, and how often they run. */
import type { NewSearch } from '../../src/monitor/topics/save-search.ts';
import type { Topic } from '../../src/service/sandbox/simulated-topic.ts';
import { TOPICS } from '../../src/service/sandbox/built-in-topics.ts';

/** Posts in the busiest usual hour that an interval may bring: an answer holds the 40 newest. */
const POSTS_PER_RUN = 24;
const LADDER_MINUTES = [5, 10, 15, 20, 30, 60];

export type RateClass = '3-30' | '30-300' | '300+';
export type PlannedSearch = { topic: Topic; slug: string; everyMinutes: number; rateClass: RateClass };

/** @param wanted slugs of topics, or how many, spread over the rates; all of them where it is left out */
export function planSearches(wanted: string | undefined, every: string | undefined): PlannedSearch[] {
  return chosen(wanted).map((topic) => {
    const busiest = (topic.postsPerDay / 24) * (1 + topic.daily.share);
    const fits = LADDER_MINUTES.findLast((minutes) => (busiest * minutes) / 60 <= POSTS_PER_RUN);
    return {
      topic,
      slug: `${topic.slug}-posts`,
      everyMinutes: every === undefined ? (fits ?? 5) : minutesOf(every),
      rateClass: topic.postsPerDay < 30 ? '3-30' : topic.postsPerDay <= 300 ? '30-300' : '300+',
    };
  });
}

/** Microblog searches, and an AI search of a day's documents every six hours for some topics. */
export function searchesOf(plan: readonly PlannedSearch[], ai: readonly PlannedSearch[]): NewSearch[] {
  return [
    ...plan.map(({ topic, slug, everyMinutes }) => ({
      slug,
      topic: topic.slug,
      operation: 'microblog',
      prompt: promptOf(topic),
      every: `${everyMinutes}m`,
    })),
    ...ai.map(({ topic }) => ({
      slug: `${topic.slug}-ai`,
      topic: topic.slug,
      operation: 'ai',
      prompt: promptOf(topic),
      model: 'HORIZON',
      date_filter: 'PAST_2_DAYS',
      every: '6h',
    })),
  ];
}

export function promptOf(topic: Topic): string {
  return topic.phrases[0] ?? topic.subject;
}

function chosen(wanted: string | undefined): readonly Topic[] {
  const byRate = TOPICS.toSorted((a, b) => a.postsPerDay - b.postsPerDay);
  if (wanted === undefined) return byRate;
  const count = Number(wanted);
  if (Number.isInteger(count) && count > 0) {
    const step = (byRate.length - 1) / Math.max(1, count - 1);
    const picked = new Set(Array.from({ length: count }, (_, i) => Math.round(i * step)));
    return byRate.filter((_, i) => picked.has(i));
  }
  const slugs = wanted.split(',');
  const unknown = slugs.filter((slug) => !TOPICS.some((topic) => topic.slug === slug));
  if (unknown.length > 0) throw new Error(`no such topic: ${unknown.join(', ')}`);
  return byRate.filter(({ slug }) => slugs.includes(slug));
}

function minutesOf(text: string): number {
  const [, number, unit] = /^(\d{1,4})([mh])$/.exec(text) ?? [];
  if (number === undefined) throw new Error(`not an interval such as 30m or 1h: ${text}`);
  return Number(number) * (unit === 'h' ? 60 : 1);
}
