/** Watches an address: a topic whose only source is a page or its feed, with a search that returns all of its items. */
import { InvalidInput, type Problem, Refused } from '../../model/errors.ts';
import { readSite } from '../../model/links/link.ts';
import { cleanLine, cleanText } from '../../lib/text.ts';
import { ALL_SOURCES } from '../../protocol/own-sources.ts';
import type { ServiceKind } from '../../model/closed-lists.ts';
import type { ActingContext, Context } from '../context.ts';
import {
  type CreatedTopic,
  createTopic,
  MAX_TOPIC_NAME,
  type NewTopic,
  planWatch,
  type TopicSearch,
  watchTopic,
  type WatchRequest,
} from '../topics/save-topic.ts';
import { type Forecast, forecastChecked, forecastSearches } from '../topics/search-forecast.ts';
import { describeMissingTools } from '../topics/tool-sources.ts';
import { checkGoal } from '../topics/topic-goal.ts';
import { recognizeSource } from './manage-sources.ts';
import { readSourceAddress } from './source-words.ts';

/** Whether a text is an address to watch, not words: it has a scheme. */
export function isAddress(text: string): boolean {
  return /^(?:https?|feed):\S+$/i.test(text.trim()) && readSourceAddress(text) !== undefined;
}

/** As often as feeds are read. */
const DEFAULT_EVERY = '15m';
/** The service returns all items of the month, at most 200, and writes nothing about them. */
const REQUEST = { count: 200, result_type: 'ONLY_LINKS' };

/** Created, and what the address is. */
type WatchedTopic = CreatedTopic & { notes: string[] };

/**
 * Watches words with two searches (`watchTopic`), or an address.
 * @throws InvalidInput at `text` for an address that cannot be read, at `service`, at `goal`; Refused `conflict`, `unavailable`
 */
export async function watch(ctx: ActingContext, request: WatchRequest): Promise<WatchedTopic> {
  if (isAddress(request.text)) return watchAddress(ctx, request);
  const { leftOut, ...made } = await watchTopic(ctx, request);
  const why = `One search instead of two: ${describeMissingTools(leftOut)}. With a source, add the other: strandline search add --help`;
  return { ...made, notes: leftOut.length === 0 ? [] : [why] };
}

async function watchAddress(ctx: ActingContext, request: WatchRequest): Promise<WatchedTopic> {
  const { topic, says } = await planAddress(ctx, request);
  return {
    ...(await createTopic(ctx, topic)),
    notes: [...says, 'Each new item is reported, whatever it says; no other source is asked.'],
  };
}

/** What watching an address creates; reads the address, and saves nothing. */
async function planAddress(
  ctx: Context,
  request: WatchRequest,
): Promise<{ topic: NewTopic & { service: ServiceKind; searches: [TopicSearch] }; says: string[] }> {
  const { text, slug, service = 'own', postsEvery, aiEvery } = request;
  if (ctx.kind === 'sandbox')
    throw new Refused('conflict', 'the sandbox reads no addresses; watch it outside of the sandbox');
  if (service !== 'own')
    throw new InvalidInput([
      { path: 'service', given: service, expected: 'own: a hosted service is never sent an address' },
    ]);
  const problems: Problem[] = [];
  checkGoal(ctx, request.goal, problems);
  if (problems.length > 0) throw new InvalidInput(problems);
  const { source, says } = await recognizeSource(ctx, text, { untested: false }).catch((error: unknown) => {
    if (!(error instanceof InvalidInput)) throw error;
    throw new InvalidInput(error.problems.map((problem) => ({ ...problem, path: 'text' })));
  });
  const host = readSite(source.address) ?? source.address;
  const name = request.name ?? (cleanText(cleanLine(source.title), MAX_TOPIC_NAME) || host);
  const search = {
    operation: 'ai',
    prompt: name,
    tools: ['Web Search'],
    model: 'ORBIT',
    date_filter: 'PAST_MONTH',
    extra: JSON.stringify(REQUEST),
    every: aiEvery ?? postsEvery ?? DEFAULT_EVERY,
  };
  const sources = [
    { ...source, takes_all: true },
    { kind: 'service' as const, address: ALL_SOURCES, title: '', takes_all: false, is_on: false },
  ];
  return { topic: { name, slug, service, goal: request.goal, searches: [search], sources }, says };
}

/** What {@link watch} would create, and what its calls would cost. */
export type WatchPreview = {
  name: string;
  /** Null: it is derived from what is read when the topic is created. */
  slug: string | null;
  forecast: Forecast;
  notes: string[];
};

/** The forecast of {@link watch}; saves nothing, and reads an address. @throws as that */
export async function previewWatch(ctx: Context, request: WatchRequest): Promise<WatchPreview> {
  if (isAddress(request.text)) {
    const { topic, says } = await planAddress(ctx, request);
    const [search] = topic.searches;
    const forecast = await forecastSearches(ctx, topic.service, [{ ...search, name: topic.name }]);
    return { name: topic.name, slug: topic.slug ?? null, forecast, notes: says };
  }
  const { name, slug, searches, service, leftOut } = await planWatch(ctx, request);
  const notes = leftOut.length === 0 ? [] : [`One search instead of two: ${describeMissingTools(leftOut)}.`];
  return { name, slug, forecast: await forecastChecked(ctx, service, searches), notes };
}
