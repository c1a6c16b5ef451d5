/** Operations that delete a topic or a search with what only it found. */
import { z } from 'zod';
import { declareOperation } from '../operation.ts';
import type { PurgeTarget } from './purge-topic.ts';
import { atSearch, atTopic } from './topic-inputs.ts';

// Lists of operations need none of it.
const loadPurge = () => import('./purge-topic.ts');

const Purge = z
  .object({
    searches: z.int(),
    runs: z.int(),
    completions: z.int(),
    posts: z.int().describe('Posts that no other search found.'),
    links: z.int().describe('Links that no other search found.'),
  })
  .meta({ id: 'Purge' });

const declarePreview = <In extends z.ZodObject>(
  id: `preview${'Topic' | 'Search'}Purge`,
  route: `GET /api/${string}`,
  tag: 'topics' | 'searches',
  what: string,
  input: In,
  findTarget: (input: z.output<In>) => PurgeTarget,
) =>
  declareOperation({
    id,
    route,
    tag,
    scope: 'read',
    does: `Preview the purge of ${what}`,
    more: 'What a purge would delete. Changes nothing.',
    input,
    output: Purge,
    run: async ({ ctx }, named) => (await loadPurge()).previewPurge(ctx.db, findTarget(named)),
  });

const declarePurge = <In extends z.ZodObject>(
  id: `purge${'Topic' | 'Search'}`,
  route: `POST /api/${string}`,
  tag: 'topics' | 'searches',
  what: string,
  input: In,
  findTarget: (input: z.output<In>) => PurgeTarget,
) =>
  declareOperation({
    id,
    route,
    tag,
    scope: 'admin',
    does: `Purge ${what}`,
    more: 'Cannot be undone. Removes it, and deletes what only it found; what other searches found stays. Returns what is being deleted: workers begin within seconds, and a run in progress finishes first. Afterwards the slug can be used again.',
    input,
    output: Purge,
    accepted: true,
    run: async ({ ctx }, named) => (await (await loadPurge()).requestPurge(ctx, findTarget(named))).counts,
  });

const topic = z.strictObject(atTopic);
const search = z.strictObject(atSearch);
const ofTopic = ({ topic: slug }: { topic: string }): PurgeTarget => ({ kind: 'topic', slug });
const ofSearch = ({ search: slug }: { search: string }): PurgeTarget => ({ kind: 'search', slug });
const A_TOPIC = 'a topic with its searches';
const A_SEARCH = 'a search';

/** The commands are by hand: they ask, and finish the purge where no worker does. */
export const PURGE_OPERATIONS = [
  declarePreview('previewTopicPurge', 'GET /api/v1/topics/{topic}/purge', 'topics', A_TOPIC, topic, ofTopic),
  declarePurge('purgeTopic', 'POST /api/v1/topics/{topic}/purge', 'topics', A_TOPIC, topic, ofTopic),
  declarePreview(
    'previewSearchPurge',
    'GET /api/v1/searches/{search}/purge',
    'searches',
    A_SEARCH,
    search,
    ofSearch,
  ),
  declarePurge('purgeSearch', 'POST /api/v1/searches/{search}/purge', 'searches', A_SEARCH, search, ofSearch),
];
