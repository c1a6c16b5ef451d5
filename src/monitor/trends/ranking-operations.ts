/** Rising posts, hashtags and domains; top lists; share of voice. */
import { z } from 'zod';
import { timeParam, topicSlug } from '../../model/value-shapes.ts';
import { readRisingDomains, readRisingHashtags, readRisingPosts } from '../../store/queries/rising.ts';
import {
  readTopAuthors,
  readTopDomains,
  readTopHashtags,
  readTopLanguages,
} from '../../store/queries/tops.ts';
import { limitParam, scopeParams } from '../common-inputs.ts';
import { findScope, findTopicRow } from '../topics/find-by-slug.ts';
import { readShareOfVoice } from './read-share-of-voice.ts';
import { countDaysBack, declareTrend, defineDays, readDerived } from './trend-operation.ts';
import { RisingDomain, RisingHashtag, RisingPost, Top, Voice } from './trend-shapes.ts';

const MAX_TOPICS = 10;

const rising = z.strictObject({
  ...scopeParams,
  since: timeParam.optional().describe('Only searches with a response at or after this time.'),
  limit: limitParam,
});
const RISERS = [
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

const tops = z.strictObject({ ...scopeParams, days: defineDays(366, 7), limit: limitParam });
const TOPPERS = [
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

export const RANKING_OPERATIONS = [
  ...RISERS.map(([what, id, does, more, item, read]) =>
    declareTrend(
      `/rising/${what}`,
      { id, does, more, input: rising, item },
      async (ctx, { since, limit, ...named }) => {
        const scope = await findScope(ctx.db, named);
        return readDerived<unknown>(ctx, scope, () => read(ctx.db, { ...scope, since, limit }));
      },
    ),
  ),
  ...TOPPERS.map(([what, id, does, more, read]) =>
    declareTrend(
      `/tops/${what}`,
      { id, does, more, input: tops, item: Top[what] },
      async (ctx, { days, limit, ...named }) => {
        const scope = await findScope(ctx.db, named);
        return readDerived<unknown>(ctx, scope, () =>
          read(ctx.db, { ...scope, ...countDaysBack(ctx, days), limit }),
        );
      },
    ),
  ),
  declareTrend(
    '/voices',
    {
      id: 'compareTopics',
      does: 'Compare the share of voice of topics',
      more: 'Shares are corrected for coverage, so that topics observed less do not appear smaller; null if too little was observed.',
      input: z.strictObject({
        topics: z
          .string()
          .max(1_000)
          .transform((list) => [...new Set(list.split(',').map((slug) => slug.trim()))])
          .pipe(z.array(topicSlug).min(1).max(MAX_TOPICS))
          .meta({ description: 'Slugs of topics, comma-separated.', examples: ['harbour-ferry'] }),
        days: defineDays(366, 7),
      }),
      item: Voice,
    },
    async (ctx, { topics, days }) => {
      const compared: string[] = [];
      for (const topic of topics) compared.push((await findTopicRow(ctx.db, topic)).slug);
      return readDerived(ctx, { topic: compared }, () => readShareOfVoice(ctx, compared, days));
    },
  ),
];
