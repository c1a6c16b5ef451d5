/** Operations on links: lists, details, ranks over time, and which search found them first. */
import { z } from 'zod';
import { awaitMembers } from '../../lib/await-members.ts';
import { SOURCES } from '../../model/enumerations.ts';
import { queryText } from '../../model/query-shape.ts';
import { parseQuery } from '../../model/search-query.ts';
import { idParam, idShape, textParam, timeShape } from '../../model/value-shapes.ts';
import type { Database, Id } from '../../store/db/database.ts';
import { defineRowWith } from '../../store/db/row-shapes.ts';
import { readFirstFinders, readLinkPage } from '../../store/queries/link-pages.ts';
import {
  readCiting,
  readLink,
  readLinkAddresses,
  readLinkRanks,
  readLinkSources,
  readPostsWithLink,
} from '../../store/queries/links.ts';
import { describeKnownLink, readKnownLinks } from '../../store/queries/named-posts.ts';
import { BY_ID, lastIdOf, pastTime, scopeParams, TIME_EXAMPLES } from '../common-inputs.ts';
import { findById } from '../http/find-by-id.ts';
import { type Call, commandWords, declareOperation } from '../operation.ts';
import { findScope } from '../topics/find-by-slug.ts';
import { catchUpForQuery, notIndexed } from './indexed.ts';
import { Link, LinkSource } from './item-shapes.ts';
import { findMatchedWords, matchedWords } from './matched-words.ts';

const label = z
  .string()
  .nullable()
  .describe(
    'In a line: the post that it names, its title, or the newest text of a key item with it; null if none is known.',
  );

const ListedLink = defineRowWith('ListedLink', 'links', { label, matched: matchedWords });
const FirstFinder = defineRowWith('FirstFinder', 'link_sources', {
  title: z.string().nullable().describe('Latest title; null when never returned.'),
  label,
  matched: matchedWords,
});

const LinkPlace = z
  .object({
    search: z.string(),
    run_id: idShape,
    observed_at: timeShape,
    source: z
      .enum(SOURCES)
      .nullable()
      .describe('Group of the response; null if the response did not contain the link.'),
    rank: z.int().nullable().describe('Position in that group, from 1.'),
    place: z.int().nullable().describe('Position in the whole response, from 1.'),
  })
  .meta({ id: 'LinkPlace' });

const WholeLink = z
  .object({
    link: Link,
    label,
    addresses: z.array(z.string()).describe('Every URL under which the link was seen.'),
    found_by: z.array(LinkSource).describe('Searches that found it, earliest first.'),
    cited_by: z
      .array(
        z.object({
          completion_id: idShape,
          run_id: idShape,
          search: z.string(),
          topic: z.string(),
          observed_at: timeShape,
          summary: z.string().nullable().describe('Start of the completion.'),
        }),
      )
      .describe('Newest completions that cite it.'),
    posts: z
      .array(
        z.object({
          id: idShape,
          author_id: idShape.nullable(),
          author_username: z.string().nullable(),
          text: z.string(),
          created_at: timeShape.nullable(),
          like_count: z.number().nullable(),
        }),
      )
      .describe('Newest posts that contain it.'),
  })
  .meta({ id: 'WholeLink' });

const linkFilter = z.strictObject({
  text: queryText
    .meta({ examples: ['"night line" -cancelled lang:en'] })
    .optional()
    .describe('Query, as for posts. See docs/reference/queries.md.')
    .register(commandWords, {
      argument: 'query',
      help: 'only links that match: words, "phrases", -excluded, OR, domain: ...',
    }),
  ...scopeParams,
  domain: textParam(255)
    .min(1)
    .optional()
    .describe('Host, as in the member `site`.')
    .register(commandWords, { value: 'host', help: 'only links to this host, such as news.example' }),
  source: textParam(100)
    .min(1)
    .optional()
    .describe('Group of the response in which a search first saw it.')
    .register(commandWords, { help: 'only links that a search first saw in this group of a response' }),
  since: pastTime('First seen at or after this time.', `only links first seen since: ${TIME_EXAMPLES}`),
  until: pastTime('First seen before this time.', 'only links first seen before'),
});

/** @param read a page of rows @param idOf the link of a row */
async function listLinks<Row extends { title: string | null }>(
  call: Call,
  { text, ...filter }: z.output<typeof linkFilter>,
  read: (filter: Parameters<typeof readLinkPage>[1]) => Promise<Row[]>,
  idOf: (row: Row) => Id,
) {
  const { db, clock } = call.ctx;
  const query = parseQuery(text ?? '', 'text');
  const scope = await findScope(db, filter);
  const not_indexed = await catchUpForQuery(db, text);
  const matching = { query, now: clock.now() };
  const { limit } = call.page;
  const found = await read({ ...filter, ...scope, matching, before: lastIdOf(call), limit });
  const known = await readKnownLinks(db, found.map(idOf));
  const labelled = found.map((row) => ({
    ...row,
    label: describeKnownLink(known.get(idOf(row))) ?? row.title,
  }));
  const wordsOf = await findMatchedWords(
    db,
    query,
    labelled.map((row) => ({ kind: 'link', id: idOf(row), texts: [row.label] })),
  );
  return { rows: labelled.map((row) => ({ ...row, matched: wordsOf(idOf(row)) })), not_indexed };
}

const about = { tag: 'links', scope: 'read' } as const;
const named = z.strictObject({
  id: idParam.clone().register(commandWords, { argument: 'link', help: 'link id; see: links list' }),
});

const findLink = (db: Database, id: Id) => findById('link', id, readLink(db, id));

export const LINK_OPERATIONS = [
  declareOperation({
    ...about,
    id: 'listLinks',
    route: 'GET /api/v1/links',
    command: 'links list',
    does: 'List links',
    more: 'Newest first, by when each was first seen. Different spellings of one URL are one link.',
    input: linkFilter,
    output: ListedLink,
    list: { ...BY_ID, beside: { not_indexed: notIndexed }, shown: 20 },
    run: (call, filter) =>
      listLinks(
        call,
        filter,
        (selected) => readLinkPage(call.ctx.db, selected),
        ({ id }) => id,
      ),
  }),
  declareOperation({
    ...about,
    id: 'listFirstFinders',
    route: 'GET /api/v1/links/first-seen',
    command: 'links first',
    does: 'List links with the search that found each first, in which source, and its lead',
    more: 'Newest first, as `listLinks`. What a baseline found may be much older, so no lead over it is known.',
    input: linkFilter,
    output: FirstFinder,
    list: {
      ...BY_ID,
      key: ({ link_id }: { link_id: Id }) => [link_id],
      beside: { not_indexed: notIndexed },
      shown: 20,
    },
    run: (call, filter) =>
      listLinks(
        call,
        filter,
        (selected) => readFirstFinders(call.ctx.db, selected),
        ({ link_id }) => link_id,
      ),
  }),
  declareOperation({
    ...about,
    id: 'getLink',
    route: 'GET /api/v1/links/{id}',
    command: 'links show',
    does: 'Show a link, all its addresses as returned, and the searches that found it',
    more: 'With every URL under which it was seen, the searches that found it, and the newest completions and posts that contain it.',
    input: named,
    output: WholeLink,
    run: async ({ ctx: { db } }, { id }) => {
      const link = await findLink(db, id);
      const { known, ...parts } = await awaitMembers({
        addresses: readLinkAddresses(db, id),
        found_by: readLinkSources(db, id),
        cited_by: readCiting(db, id),
        posts: readPostsWithLink(db, id),
        known: readKnownLinks(db, [id]),
      });
      return { link, label: describeKnownLink(known.get(id)), ...parts };
    },
  }),
  declareOperation({
    ...about,
    id: 'listLinkRanks',
    route: 'GET /api/v1/links/{id}/ranks',
    does: 'List the ranks of a link over time',
    more: 'The newest 100 runs of each of the first ten searches that found it, oldest first. `source` is the group of the response; null if it did not contain the link.',
    input: named,
    output: z.object({ items: z.array(LinkPlace) }),
    run: async ({ ctx: { db } }, { id }) => {
      await findLink(db, id);
      return { items: await readLinkRanks(db, id) };
    },
  }),
];
