/** Operations on the sources of a topic. */
import { z } from 'zod';
import { TOPIC_SOURCE_KINDS } from '../../model/topic-sources.ts';
import { storable, timeShape, topicSlug } from '../../model/value-shapes.ts';
import { ALL_SOURCES } from '../../protocol/own-sources.ts';
import { commandWords, declareOperation } from '../operation.ts';
import { listSources } from './list-sources.ts';

// A list does not need it.
const loadManagement = () => import('./manage-sources.ts');

const TopicSource = z
  .object({
    id: z.string().describe('Its number; of a source of the service its name.'),
    kind: z
      .enum(TOPIC_SOURCE_KINDS)
      .describe(
        '`feed`; `site`: a page that names a feed; `page`: its text is watched; `search`: an address that takes words; `service`: a source of the search service.',
      ),
    address: z
      .string()
      .describe(
        'Parameters that look like secrets are hidden. Of a source of the service the tool that it answers.',
      ),
    title: z.string().describe('Its own title; empty until it was read.'),
    on: z.boolean(),
    all: z
      .boolean()
      .describe(
        'True if its items are results whatever they say, not only those with the words of a search.',
      ),
    added_at: timeShape.nullable(),
    added_by: z.string().nullable(),
    read_at: timeShape.nullable().describe('When it was last read.'),
    entries: z.int().nullable().describe('Entries that it had then; null if unknown.'),
    newest_at: timeShape.nullable().describe('Time of the newest of them.'),
    failed_at: timeShape.nullable().describe('When it last could not be read.'),
    problem: z.string().nullable().describe('What is wrong with it now; null if nothing is.'),
    needs: z.string().nullable().describe('Variables that would turn on a source of the service.'),
  })
  .meta({ id: 'TopicSource' });

const notes = z.array(z.string()).describe('What the address is, and what keeps sources from being read.');

const AddedSources = z
  .object({
    added: z.array(TopicSource),
    present: z.array(z.string()).describe('Addresses that the topic had already.'),
    refused: z.array(z.object({ address: z.string(), reason: z.string() })),
    notes,
  })
  .meta({ id: 'AddedSources' });

const TestedSource = z
  .object({
    found: z
      .enum(['feed', 'page', 'none'])
      .describe('`none`: it cannot be read, or is a source of the service.'),
    feed: z.string().nullable().describe('Address of the feed that a page names.'),
    title: z.string(),
    entries: z.int(),
    newest: z.object({ title: z.string(), at: z.string().nullable() }).nullable(),
    problem: z.string().nullable(),
    says: z.string().describe('All of it in words, with what to do.'),
  })
  .meta({ id: 'TestedSource' });

const topic = topicSlug.clone().register(commandWords, { argument: 'topic', help: 'topic slug' });
const source = z
  .string()
  .regex(
    /^(?:\d{1,18}|[a-z][a-z\d-]{0,39})$/,
    'the number of a source, or the name of a source of the service',
  )
  .meta({
    description: `Number of a source of the topic; or name of a source of the service, or \`${ALL_SOURCES}\`.`,
    examples: ['1'],
  })
  .register(commandWords, {
    argument: 'source',
    help: `its number, or the name of a source of the service, or ${ALL_SOURCES}`,
  });
/** A flag of a command is text. */
const flag = z.preprocess((value) => (value === 'true' ? true : value), z.boolean()).optional();
const all = flag
  .clone()
  .describe('Its items are results whatever they say. Default: those with the words of a search.')
  .register(commandWords, {
    flag: '--all',
    help: 'take all its items, not only those with the words of a search',
  });

const MAX_GIVEN_ADDRESS = 2_000;
const MAX_OPML = 900_000;

const NEW_SOURCE = { address: 'https://news.example/feed.xml', untested: true };
const newSource = z
  .union([
    z
      .strictObject({
        topic,
        address: storable(z.string().min(1).max(MAX_GIVEN_ADDRESS))
          .describe(
            'Of a feed, a site, a page, or a search: `{query}` stands for the words of the question. Public, with https, unless `FEEDS_ALLOW` names its host.',
          )
          .register(commandWords, {
            argument: 'address',
            help: 'address of a feed, a site, a page, or a search ({query} stands for its words)',
          }),
        all,
        untested: flag
          .clone()
          .describe('Add it without reading it first.')
          .register(commandWords, { flag: '--untested', help: 'add it without reading it first' }),
      })
      .meta({ examples: [NEW_SOURCE] }),
    z
      .strictObject({
        topic,
        opml: storable(z.string().min(1).max(MAX_OPML))
          .describe('An OPML document, or addresses, one a line. They are added without being read first.')
          .register(commandWords, {
            flag: '--opml <file>',
            file: true,
            help: 'add the feeds of an OPML file, or addresses, one a line',
          }),
        all,
      })
      .meta({
        examples: [
          { opml: '<opml version="2.0"><body><outline xmlUrl="https://a.example/feed"/></body></opml>' },
        ],
      }),
  ])
  .meta({ examples: [NEW_SOURCE] });

const named = z.strictObject({ topic, source });
const about = { tag: 'topics', scope: 'write' } as const;

const declareSwitch = (to: 'on' | 'off', does: string, more: string) =>
  declareOperation({
    ...about,
    id: to === 'on' ? 'switchOnTopicSource' : 'switchOffTopicSource',
    route: `POST /api/v1/topics/{topic}/sources/{source}/${to}`,
    command: `sources ${to}`,
    does,
    more,
    input: named,
    output: TopicSource,
    runsIn: 'server',
    run: async ({ ctx }, input) =>
      (await loadManagement()).switchSource(ctx, input.topic, input.source, to === 'on'),
  });

export const SOURCE_OPERATIONS = [
  declareOperation({
    ...about,
    id: 'listTopicSources',
    route: 'GET /api/v1/topics/{topic}/sources',
    command: 'sources list',
    scope: 'read',
    does: 'List the sources of a topic',
    more: 'Its own, in the order in which they were added, then those of the own service of the program that replies: on, switched off for the topic, or off with the variables that would turn them on.',
    input: z.strictObject({ topic }),
    output: z.object({ sources: z.array(TopicSource), notes }),
    runsIn: 'server',
    run: ({ ctx }, input) => listSources(ctx, input.topic),
  }),
  declareOperation({
    ...about,
    id: 'addTopicSource',
    route: 'POST /api/v1/topics/{topic}/sources',
    command: 'sources add',
    does: 'Add a feed, site, page or search to a topic, or many as OPML',
    more: 'The own service reads the address, so that the reply says what it is; one that cannot be read is refused. Of an OPML document, each feed is added, was there already, or is refused with the reason. AI searches of the topic that ask Web Search on the own service read its sources at their next run. A hosted service is never sent them.',
    input: newSource,
    output: AddedSources,
    runsIn: 'server',
    example:
      'strandline sources add harbour-ferry https://news.example\nstrandline sources add harbour-ferry --opml feeds.opml',
    run: async ({ ctx, stopping }, input) => {
      const { addSource, importSources } = await loadManagement();
      return 'opml' in input
        ? importSources(ctx, input.topic, input)
        : addSource(ctx, input.topic, input, stopping);
    },
  }),
  declareOperation({
    ...about,
    id: 'testTopicSource',
    route: 'POST /api/v1/topics/{topic}/sources/{source}/test',
    command: 'sources test',
    does: 'Read a source now and say what it is',
    more: 'What it is, how many entries it has, the newest with its time; or what failed and what to do.',
    input: named,
    output: TestedSource,
    runsIn: 'server',
    run: async ({ ctx, stopping }, input) =>
      (await loadManagement()).testSource(ctx, input.topic, input.source, stopping),
  }),
  declareSwitch('on', 'Switch a source of a topic on', 'The next run reads it again.'),
  declareSwitch(
    'off',
    'Switch a source off for a topic, also one of the service',
    `What it found stays. With \`${ALL_SOURCES}\`, searches of the topic ask no source of the service, only the topic's own.`,
  ),
  declareOperation({
    ...about,
    id: 'removeTopicSource',
    route: 'DELETE /api/v1/topics/{topic}/sources/{source}',
    command: 'sources remove',
    does: 'Remove a source from a topic',
    more: 'What it found stays. Sources of the service can only be switched off.',
    input: named,
    output: TopicSource,
    runsIn: 'server',
    run: async ({ ctx }, input) => (await loadManagement()).removeSource(ctx, input.topic, input.source),
  }),
];
