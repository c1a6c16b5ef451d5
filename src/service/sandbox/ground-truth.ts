/**
 * Ground truth of the simulated world, to evaluate a monitor or search: planted bursts, the first appearance of each
 * link, and relevant posts and links. A pure function of seed, prompt and period.
 */

import { type Source, SOURCES } from '../../model/enumerations.ts';
import { DAY } from '../../lib/time.ts';
import type { Clock } from '../../platform/clock.ts';
import { validationBody } from '../../protocol/error-body.ts';
import { MAX_PROMPT_LENGTH } from '../../protocol/specification.ts';
import { matchTopic } from './built-in-topics.ts';
import {
  listPlantedBursts,
  listPlantedOthers,
  type PlantedBurst,
  type PlantedOther,
} from './planted-events.ts';
import { createSeedStore, isRelevantRole, type PostRole } from './post-seeds.ts';
import { listDocumentSeeds, writeArticle, writeEncyclopediaEntries } from './simulated-documents.ts';
import { computePostId } from './simulated-posts.ts';
import type { TopicInWorld } from './simulated-topic.ts';
import type { FastifyInstance, onRequestAsyncHookHandler } from 'fastify';
import { z } from 'zod';

/** Times are ISO 8601; the period includes both ends. */
type GroundTruth = {
  seed: string;
  topic: string;
  from: string;
  to: string;
  /** Posts on an average day without bursts. */
  usual_posts_per_day: number;
  /** Planted bursts with their onset in the period; docs/internals/sandbox.md defines a correct report. */
  bursts: (Omit<PlantedBurst, 'onset' | 'peak' | 'end'> & { onset: string; peak: string; end: string })[];
  /** What is planted beside them and touches the period; reports of ambiguous events are neither right nor wrong. */
  others: (Omit<PlantedOther, 'from' | 'until'> & { from: string; until: string })[];
  /** Links of the six other sources that first appear in the period or have no time (null). */
  links: { source: Source; link: string; first_at: string | null; relevant: boolean }[];
  /** Every post of the period, oldest first; null if the period exceeds the limit of {@link computeTruth}. */
  posts: TruePost[] | null;
};

/** `deleted_at` is null for posts that are never deleted. A repost has the role of its original. */
type TruePost = {
  id: string;
  at: string;
  role: PostRole;
  relevant: boolean;
  deleted_at: string | null;
};

/**
 * @param prompt any prompt that matches the topic
 * @param postsMs maximum period for which posts are listed
 */
export function computeTruth(
  seed: string,
  prompt: string,
  from: Date,
  to: Date,
  postsMs = 7 * DAY,
): GroundTruth {
  const topic = matchTopic(seed, prompt);
  const span = { from: from.getTime(), at: to.getTime() };
  return {
    seed,
    topic: topic.topic.slug,
    from: from.toISOString(),
    to: to.toISOString(),
    usual_posts_per_day: topic.topic.postsPerDay,
    bursts: listPlantedBursts(topic, span.from, span.at + 1).map(({ onset, peak, end, ...burst }) => ({
      onset: toIsoTime(onset),
      peak: toIsoTime(peak),
      end: toIsoTime(end),
      ...burst,
    })),
    others: listPlantedOthers(topic, span.from, span.at + 1).map(({ kind, ...other }) => ({
      kind,
      from: toIsoTime(other.from),
      until: toIsoTime(other.until),
    })),
    links: SOURCES.flatMap((source) => listTrueLinks(topic, source, span)),
    posts: span.at - span.from > postsMs ? null : listTruePosts(topic, span),
  };
}

function listTrueLinks(
  topic: TopicInWorld,
  source: Source,
  span: { from: number; at: number },
): GroundTruth['links'] {
  if (source === 'microblog') return [];
  if (source === 'encyclopedia')
    return writeEncyclopediaEntries(topic).map(({ link }) => ({
      source,
      link,
      first_at: null,
      relevant: true,
    }));
  return listDocumentSeeds(topic, source, span).map((document) => ({
    source,
    link: writeArticle(topic.topic, source, document).link,
    first_at: toIsoTime(document.at),
    relevant: document.relevant,
  }));
}

function listTruePosts(topic: TopicInWorld, { from, at }: { from: number; at: number }): TruePost[] {
  const seeds = createSeedStore();
  return seeds.within(topic, from, at).map((seed) => {
    const original = seed.intendedKind === 'repost' ? (seeds.reference(topic, seed) ?? seed) : seed;
    const copied =
      original.role === 'copy' ? (seeds.reference(topic, original)?.role ?? 'copy') : original.role;
    return {
      id: computePostId(topic, seed),
      at: toIsoTime(seed.at),
      role: original.role,
      relevant: isRelevantRole(copied),
      deleted_at: seed.goneAt === Number.POSITIVE_INFINITY ? null : toIsoTime(seed.goneAt),
    };
  });
}

function toIsoTime(at: number): string {
  return new Date(at).toISOString();
}

// Ground truth over HTTP. Requires a key, since a long period takes time to compute.

/** Maximum and default period; over HTTP, posts are listed for up to a day. */
const MAX_SPAN_MS = 31 * DAY;
const DEFAULT_SPAN_MS = 7 * DAY;

const truthQuery = z.object({
  topic: z.string().trim().min(1).max(MAX_PROMPT_LENGTH),
  from: z.coerce.date().optional(),
  to: z.coerce.date().optional(),
});

/** `GET /sandbox/truth?topic=&from=&to=`: a prompt and two ISO 8601 times; the default is the last seven days. */
export function registerTruthRoute(
  app: FastifyInstance,
  gate: onRequestAsyncHookHandler,
  seed: string,
  clock: Clock,
): void {
  app.get('/sandbox/truth', { onRequest: gate }, (request, reply) => {
    const parsed = truthQuery.safeParse(request.query);
    const query = parsed.success ? parsed.data : undefined;
    const to = query?.to ?? clock.now();
    const from = query?.from ?? new Date(to.getTime() - DEFAULT_SPAN_MS);
    const span = to.getTime() - from.getTime();
    if (query === undefined || span < 0 || span > MAX_SPAN_MS) {
      const msg = 'topic: 1 to 2,000 characters; from, to: ISO 8601, in order, at most 31 days apart';
      return reply.code(422).send(validationBody([{ loc: ['query'], msg, type: 'value_error' }]));
    }
    return reply.header('x-sandbox', 'true').send(computeTruth(seed, query.topic, from, to, DAY));
  });
}
