/** Rising posts, hashtags and domains; top lists; share of voice. */
import { limitParam } from '../monitor/common-inputs.ts';
import { z } from 'zod';
import { findScope, findTopicRow } from '../monitor/topics/find-by-slug.ts';
import { readShareOfVoice } from '../monitor/trends/read-share-of-voice.ts';
import { readRisingDomains, readRisingHashtags, readRisingPosts } from '../store/queries/rising.ts';
import { readTopAuthors, readTopDomains, readTopHashtags, readTopLanguages } from '../store/queries/tops.ts';
import type { App, RouteContext } from '../monitor/http/route-types.ts';
import { RisingDomain, RisingHashtag, RisingPost, Top, Voice } from './reply-shapes.ts';
import { scopeParams } from '../monitor/common-inputs.ts';
import { timeParam, topicSlug } from '../model/value-shapes.ts';
import { createTrendRoutes, defineDays, defineFigures } from './trend-operation.ts';

const MAX_TOPICS = 10;

export function rankingRoutes(app: App, home: RouteContext): void {
  const { ctx } = home;
  const { addRoute, readDerived, countDaysBack } = createTrendRoutes(app, home);

  const rising = z.strictObject({
    ...scopeParams,
    since: timeParam.optional().describe('Only searches with a response at or after this time.'),
    limit: limitParam,
  });
  const risers = [
    [
      'posts',
      'listRisingPosts',
      'List rising posts',
      'Gains per hour over the newest observations, compared with what is typical for posts of that age in the same search.',
      RisingPost,
      readRisingPosts,
    ],
    [
      'hashtags',
      'listRisingHashtags',
      'List rising hashtags',
      'Posts per observed day now and before. `score` is how unlikely the difference is by chance; highest first.',
      RisingHashtag,
      readRisingHashtags,
    ],
    [
      'domains',
      'listRisingDomains',
      'List rising domains',
      'Posts and links per observed day now and before. `score` is how unlikely the difference is by chance; highest first.',
      RisingDomain,
      readRisingDomains,
    ],
  ] as const;
  for (const [what, operationId, summary, description, item, read] of risers)
    addRoute(
      `/rising/${what}`,
      { operationId, summary, description, query: rising, reply: defineFigures(item) },
      async ({ since, limit, ...scopeInput }) => {
        const scope = await findScope(ctx.db, scopeInput);
        return readDerived<unknown>(scope, () => read(ctx.db, { ...scope, since, limit }));
      },
    );

  const tops = z.strictObject({ ...scopeParams, days: defineDays(366, 7), limit: limitParam });
  const toppers = [
    [
      'authors',
      'listTopAuthors',
      'List authors with the most posts',
      'Counted over whole UTC days.',
      readTopAuthors,
    ],
    [
      'domains',
      'listTopDomains',
      'List domains with the most posts and links',
      'Counted over whole UTC days.',
      readTopDomains,
    ],
    [
      'hashtags',
      'listTopHashtags',
      'List hashtags with the most posts',
      'Counted over whole UTC days. Each hashtag counts once per post.',
      readTopHashtags,
    ],
    [
      'languages',
      'listTopLanguages',
      'List languages with the most posts',
      'Counted over whole UTC days. The language is the one that a post states, in lower case.',
      readTopLanguages,
    ],
  ] as const;
  for (const [what, operationId, summary, description, read] of toppers)
    addRoute(
      `/tops/${what}`,
      { operationId, summary, description, query: tops, reply: defineFigures(Top[what]) },
      async ({ days: back, limit, ...scopeInput }) => {
        const scope = await findScope(ctx.db, scopeInput);
        return readDerived<unknown>(scope, () => read(ctx.db, { ...scope, ...countDaysBack(back), limit }));
      },
    );

  addRoute(
    '/voices',
    {
      operationId: 'compareTopics',
      summary: 'Compare the share of voice of topics',
      description:
        'Shares are corrected for coverage, so that topics observed less do not appear smaller; null if too little was observed.',
      query: z.strictObject({
        topics: z
          .string()
          .max(1_000)
          .transform((list) => [...new Set(list.split(',').map((slug) => slug.trim()))])
          .pipe(z.array(topicSlug).min(1).max(MAX_TOPICS))
          .meta({ description: 'Slugs of topics, comma-separated.', examples: ['harbour-ferry'] }),
        days: defineDays(366, 7),
      }),
      reply: defineFigures(Voice),
    },
    async ({ topics, days: back }) => {
      const compared: string[] = [];
      for (const topic of topics) compared.push((await findTopicRow(ctx.db, topic)).slug);
      return readDerived({ topic: compared }, () => readShareOfVoice(ctx, compared, back));
    },
  );
}
