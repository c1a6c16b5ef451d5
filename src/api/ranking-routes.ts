/** What rises, who is on top, and topics beside each other. */
import { z } from 'zod';
import { assertFilterExists } from '../monitor/topics/find-by-slug.ts';
import { readShareOfVoice } from '../monitor/trends/read-share-of-voice.ts';
import { readRisingDomains, readRisingHashtags, readRisingPosts } from '../store/queries/rising.ts';
import { readTopAuthors, readTopDomains, readTopHashtags, readTopLanguages } from '../store/queries/tops.ts';
import type { App, RouteContext } from '../monitor/http/route-types.ts';
import { limitParam } from './pagination.ts';
import { RisingDomain, RisingHashtag, RisingPost, Top, Voice } from './reply-shapes.ts';
import { timeParam, topicSlug } from './request-shapes.ts';
import { createTrendRoutes, defineDays, defineFigures, trendFilter } from './trend-operation.ts';

const MAX_TOPICS = 10;

export function rankingRoutes(app: App, home: RouteContext): void {
  const { ctx } = home;
  const { addRoute, readDerived, countDaysBack } = createTrendRoutes(app, home);

  const rising = z.strictObject({
    ...trendFilter,
    since: timeParam.optional().describe('Of searches whose newest answer came from here on.'),
    limit: limitParam,
  });
  const risers = [
    [
      'posts',
      'listRisingPosts',
      'Posts that gain most beyond what is typical at their age',
      'Gains per hour over the newest observations, beside what is typical for posts of that age in the same search.',
      RisingPost,
      readRisingPosts,
    ],
    [
      'hashtags',
      'listRisingHashtags',
      'Hashtags that rise, the least by chance first',
      'Posts per observed day now against before; `score` says how unlikely the difference is by chance.',
      RisingHashtag,
      readRisingHashtags,
    ],
    [
      'domains',
      'listRisingDomains',
      'Domains that rise, the least by chance first',
      'Posts and links per observed day now against before; `score` says how unlikely the difference is by chance.',
      RisingDomain,
      readRisingDomains,
    ],
  ] as const;
  for (const [what, operationId, summary, description, item, read] of risers)
    addRoute(
      `/rising/${what}`,
      { operationId, summary, description, query: rising, reply: defineFigures(item) },
      async (filter) => {
        await assertFilterExists(ctx.db, filter);
        return readDerived<unknown>(filter, () => read(ctx.db, filter));
      },
    );

  const tops = z.strictObject({ ...trendFilter, days: defineDays(366, 7), limit: limitParam });
  const toppers = [
    [
      'authors',
      'listTopAuthors',
      'Authors with most posts',
      'Counted over whole UTC days, real and simulated services apart.',
      readTopAuthors,
    ],
    [
      'domains',
      'listTopDomains',
      'Domains that most posts and links lead to',
      'Counted over whole UTC days, real and simulated services apart.',
      readTopDomains,
    ],
    [
      'hashtags',
      'listTopHashtags',
      'Hashtags of most posts',
      'Counted over whole UTC days, real and simulated services apart; each hashtag once per post.',
      readTopHashtags,
    ],
    [
      'languages',
      'listTopLanguages',
      'Languages of most posts',
      'Counted over whole UTC days, real and simulated services apart; the language is the one that a post states.',
      readTopLanguages,
    ],
  ] as const;
  for (const [what, operationId, summary, description, read] of toppers)
    addRoute(
      `/tops/${what}`,
      { operationId, summary, description, query: tops, reply: defineFigures(Top[what]) },
      async ({ topic, search, days: back, limit }) => {
        await assertFilterExists(ctx.db, { topic, search });
        return readDerived<unknown>({ topic, search }, () =>
          read(ctx.db, { topic, search, ...countDaysBack(back), limit }),
        );
      },
    );

  addRoute(
    '/voices',
    {
      operationId: 'compareTopics',
      summary: 'Share of voice: topics beside each other, each by what was observed of it',
      description:
        'Shares are of posts per observed time, so that a topic that was observed less is not smaller for it; null where too little was observed.',
      query: z.strictObject({
        topics: z
          .string()
          .max(1_000)
          .transform((given) => [...new Set(given.split(',').map((one) => one.trim()))])
          .pipe(z.array(topicSlug).min(1).max(MAX_TOPICS))
          .meta({ description: 'Slugs with commas between them.', examples: ['harbour-ferry'] }),
        days: defineDays(366, 7),
      }),
      reply: defineFigures(Voice),
    },
    async ({ topics, days: back }) => {
      for (const topic of topics) await assertFilterExists(ctx.db, { topic });
      return readDerived({ topic: topics }, () => readShareOfVoice(ctx, topics, back));
    },
  );
}
