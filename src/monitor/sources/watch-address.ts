/** Watches an address: a topic whose only source is a page or its feed, with a search that returns all of its items. */
import { InvalidInput, Refused } from '../../model/errors.ts';
import { readSite } from '../../model/links/link.ts';
import { cleanLine, cleanText } from '../../lib/text.ts';
import { ALL_SOURCES } from '../../protocol/own-sources.ts';
import type { ActingContext } from '../context.ts';
import {
  type CreatedTopic,
  createTopic,
  MAX_TOPIC_NAME,
  watchTopic,
  type WatchRequest,
} from '../topics/save-topic.ts';
import { describeMissingTools } from '../topics/tool-sources.ts';
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
 * @throws InvalidInput at `text` for an address that cannot be read, at `service`; Refused `conflict`, `unavailable`
 */
export async function watch(ctx: ActingContext, request: WatchRequest): Promise<WatchedTopic> {
  if (isAddress(request.text)) return watchAddress(ctx, request);
  const { leftOut, ...made } = await watchTopic(ctx, request);
  const why = `One search instead of two: ${describeMissingTools(leftOut)}. With a source, add the other: strandline search add --help`;
  return { ...made, notes: leftOut.length === 0 ? [] : [why] };
}

async function watchAddress(ctx: ActingContext, request: WatchRequest): Promise<WatchedTopic> {
  const { text, slug, service = 'own', postsEvery, aiEvery } = request;
  if (ctx.kind === 'sandbox')
    throw new Refused('conflict', 'the sandbox reads no addresses; watch it outside of the sandbox');
  if (service !== 'own')
    throw new InvalidInput([
      { path: 'service', given: service, expected: 'own: a hosted service is never sent an address' },
    ]);
  const { source, says } = await recognizeSource(ctx, text, { untested: false }).catch((error: unknown) => {
    if (!(error instanceof InvalidInput)) throw error;
    throw new InvalidInput(error.problems.map((problem) => ({ ...problem, path: 'text' })));
  });
  const host = readSite(source.address) ?? source.address;
  const name = request.name ?? (cleanText(cleanLine(source.title), MAX_TOPIC_NAME) || host);
  const made = await createTopic(ctx, {
    name,
    slug,
    service,
    searches: [
      {
        operation: 'ai',
        prompt: name,
        tools: ['Web Search'],
        model: 'ORBIT',
        date_filter: 'PAST_MONTH',
        extra: JSON.stringify(REQUEST),
        every: aiEvery ?? postsEvery ?? DEFAULT_EVERY,
      },
    ],
    sources: [
      { ...source, takes_all: true },
      { kind: 'service', address: ALL_SOURCES, title: '', takes_all: false, is_on: false },
    ],
  });
  return {
    ...made,
    notes: [...says, 'Each new item is reported, whatever it says; no other source is asked.'],
  };
}
