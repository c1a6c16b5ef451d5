/** Operations on authors of posts: latest profile, counters over time, and posts. */
import { z } from 'zod';
import { awaitMembers } from '../../lib/await-members.ts';
import { AUTHOR_VERSION_MEMBERS, nameChanges } from '../../model/item-versions.ts';
import { idParam, timeShape } from '../../model/value-shapes.ts';
import type { Database, Id } from '../../store/db/database.ts';
import { defineRowWith } from '../../store/db/row-shapes.ts';
import {
  findAuthorsNamed,
  readAuthor,
  readAuthorPosts,
  readAuthorSnapshots,
  readAuthorTopics,
  readAuthorTypical,
  readAuthorVersions,
} from '../../store/queries/authors.ts';
import { limitParam } from '../common-inputs.ts';
import { findById } from '../http/find-by-id.ts';
import { commandWords, declareOperation } from '../operation.ts';
import { findNamed, idOrNameParam } from './find-named.ts';
import { Author, AuthorSnapshot, Post } from './item-shapes.ts';

const changed = z.array(z.string()).describe('Members that differ from the version before.');

const WholeAuthor = z
  .object({
    author: Author,
    topics: z
      .array(
        z.object({
          topic: z.string(),
          name: z.string(),
          posts: z.int(),
          searches: z.int(),
          first_seen_at: timeShape,
          last_seen_at: timeShape,
        }),
      )
      .describe('Topics of the newest 2,000 posts of the author, most posts first.'),
    typical: z
      .array(
        z.object({
          hours: z.int().describe('Age of the posts, in hours.'),
          posts: z.int().describe('Posts observed at this age.'),
          engagement: z.number().nullable().describe('Median; null if fewer than 5 are known.'),
          like_count: z.number().nullable(),
          view_count: z.number().nullable(),
        }),
      )
      .describe('Medians of the last 200 posts of the author at each age.'),
    versions: z
      .array(defineRowWith('AuthorVersion', 'author_versions', { changed }))
      .describe(
        'Handles, names, profile texts, locations and URLs over time: at most the newest 100, oldest first.',
      ),
  })
  .meta({ id: 'WholeAuthor' });

const about = { tag: 'authors', scope: 'read' } as const;

const assertKnown = (db: Database, id: Id) => findById('author', id, readAuthor(db, id));

export const AUTHOR_OPERATIONS = [
  declareOperation({
    ...about,
    id: 'getAuthor',
    route: 'GET /api/v1/authors/{id}',
    command: 'authors show',
    does: 'Show an author: the profile, its counters, and its versions',
    more: 'The latest profile and counters, its versions, the topics of their posts, and the medians of their posts at each age.',
    input: z.strictObject({
      id: idOrNameParam(/^@./, 'an id or @username')
        .meta({ description: 'Id of an author, or `@` and a username.', examples: ['1'] })
        .register(commandWords, { argument: 'author', help: 'an id or @username' }),
    }),
    output: WholeAuthor,
    example: 'strandline authors show @somebody',
    run: async ({ ctx: { db } }, { id: given }) => {
      const id = await findNamed('author', given, (name) => findAuthorsNamed(db, name.slice(1)));
      const author = await findById('author', id, readAuthor(db, id));
      const { versions, ...parts } = await awaitMembers({
        topics: readAuthorTopics(db, id),
        typical: readAuthorTypical(db, id),
        versions: readAuthorVersions(db, id),
      });
      return { author, ...parts, versions: nameChanges(versions, AUTHOR_VERSION_MEMBERS) };
    },
  }),
  declareOperation({
    ...about,
    id: 'listAuthorSnapshots',
    route: 'GET /api/v1/authors/{id}/snapshots',
    does: 'List the counters of an author over time',
    more: 'One row for each observation in which a counter changed: the newest 500, oldest first.',
    input: z.strictObject({ id: idParam }),
    output: z.object({ items: z.array(AuthorSnapshot) }),
    run: async ({ ctx: { db } }, { id }) => {
      await assertKnown(db, id);
      return { items: await readAuthorSnapshots(db, id) };
    },
  }),
  declareOperation({
    ...about,
    id: 'listAuthorPosts',
    route: 'GET /api/v1/authors/{id}/posts',
    does: 'List the posts of an author',
    more: 'The newest, or those with the most engagement, including posts known only as quotes or reposts. For all pages, use `/api/v1/posts?author=`.',
    input: z.strictObject({
      id: idParam,
      sort: z.enum(['newest', 'engagement']).default('newest'),
      limit: limitParam,
    }),
    output: z.object({ items: z.array(Post) }),
    run: async ({ ctx: { db } }, { id, sort, limit }) => {
      await assertKnown(db, id);
      return { items: await readAuthorPosts(db, id, { order: sort, limit }) };
    },
  }),
];
