/** Operations on the states of searches: pause, resume and remove a search, the searches of a topic, or all; and list them. */
import { z } from 'zod';
import { OPERATIONS } from '../../model/enumerations.ts';
import { FUTURE_TIME_EXPECTED } from '../../lib/future-time.ts';
import { flagParam, futureTimeParam, searchSlug, timeShape, topicSlug } from '../../model/value-shapes.ts';
import { readSearches, type SearchRow } from '../../store/queries/search-list.ts';
import { SEARCH_STATES, SERVICE_KINDS } from '../../model/closed-lists.ts';
import type { StateChange } from '../../store/topics/topics.ts';
import { commandWords, declareOperation } from '../operation.ts';
import {
  addStatus,
  readSearchStatuses,
  readSearchWithStatus,
  readTopicWithStatus,
} from '../status/search-status.ts';
import { Search, Topic } from '../status/status-shapes.ts';
import { findScope, findSearchRow, findTopicRow } from './find-by-slug.ts';
import type { PauseEnd } from './search-state.ts';
import { atSearch, atTopic } from './topic-inputs.ts';

// A list needs neither it nor what it imports.
const loadChanges = () => import('./search-state.ts');

const until = futureTimeParam
  .optional()
  .describe(
    'When the pause ends by itself: a time such as 2026-11-30T09:00Z, a duration such as 2h, or a time or weekday of UTC such as friday 9:00. Default: when somebody resumes.',
  )
  .register(commandWords, {
    flag: '--until <time...>',
    help: 'when it ends by itself: 2h, 9:00, tomorrow 9:00, friday 9:00 (time zone shown; with --utc, UTC), 2026-11-30T09:00Z',
    read: 'future_time',
    expected: FUTURE_TIME_EXPECTED,
  });

const { topic } = atTopic;
const { search } = atSearch;
const pausing = { examples: [{ until: '2h' }] };

const AllChanged = z
  .object({
    searches: z.array(z.string()).describe('Slugs of the searches that were stopped, or started again.'),
    still_paused: z
      .int()
      .describe(
        'Number of searches that were paused before and still are: by themselves, with their topic, or by this.',
      ),
    paused_until: timeShape
      .nullable()
      .describe('When the pause ends by itself (UTC); null: when somebody resumes them, or this did.'),
  })
  .meta({ id: 'AllChanged' });

const SCOPES = { pause: ['write'], resume: ['write', 'run'], remove: 'write' } as const;

/** `POST path/pause`, `POST path/resume` or `DELETE path`. */
const routeOf = <P extends string>(change: StateChange, path: `/api/${P}`) =>
  change === 'remove' ? (`DELETE ${path}` as const) : (`POST ${path}/${change}` as const);

const declareTopicChange = (change: StateChange, does: string, more: string) =>
  declareOperation({
    id: `${change}Topic`,
    route: routeOf(change, '/api/v1/topics/{topic}'),
    command: `topic ${change}`,
    tag: 'topics',
    scope: SCOPES[change],
    does,
    more,
    input: change === 'pause' ? z.strictObject({ topic, until }).meta(pausing) : z.strictObject({ topic }),
    ...(change === 'pause' ? { mayLackBody: true } : {}),
    output: Topic,
    run: async ({ ctx }, { topic: slug, ...end }: { topic: string; until?: PauseEnd }) => {
      const { changeTopic } = await loadChanges();
      await changeTopic(ctx, slug, change, end.until);
      return readTopicWithStatus(ctx, await findTopicRow(ctx.db, slug));
    },
  });

const declareSearchChange = (change: StateChange, does: string, more: string) =>
  declareOperation({
    id: `${change}Search`,
    route: routeOf(change, '/api/v1/searches/{search}'),
    command: `search ${change}`,
    tag: 'searches',
    scope: SCOPES[change],
    does,
    more,
    input: change === 'pause' ? z.strictObject({ search, until }).meta(pausing) : z.strictObject({ search }),
    ...(change === 'pause' ? { mayLackBody: true } : {}),
    output: Search,
    run: async ({ ctx }, { search: slug, ...end }: { search: string; until?: PauseEnd }) => {
      const { changeSearch } = await loadChanges();
      await changeSearch(ctx, slug, change, end.until);
      return readSearchWithStatus(ctx, await findSearchRow(ctx.db, slug));
    },
  });

export const STATE_OPERATIONS = [
  declareTopicChange(
    'pause',
    'Pause all searches of a topic',
    'Cancels queued runs; runs in progress finish. `resumeTopic` continues, or the time `until`, but for a search that is also paused by itself or with all searches.',
  ),
  declareTopicChange(
    'resume',
    'Resume all searches of a topic',
    'Each continues at its next slot. Slots missed in the meantime are not run.',
  ),
  declareTopicChange(
    'remove',
    'Remove a topic and its searches; keeps what they found',
    'Cannot be undone. Cancels queued runs; what the searches found is kept, and its slugs with it.',
  ),
  declareSearchChange(
    'pause',
    'Pause a search and cancel its waiting runs',
    'Cancels queued runs; a run in progress finishes. `resumeSearch` continues, or the time `until`, if it is not also paused with its topic or with all searches.',
  ),
  declareSearchChange(
    'resume',
    'Resume a search at its next slot, also a broken or capped one',
    'Continues at the next slot; also clears broken and capped. Slots missed in the meantime are not run.',
  ),
  declareSearchChange(
    'remove',
    'Remove a search; keeps what it found',
    'Cannot be undone. Cancels queued runs; what the search found is kept, and its slug with it.',
  ),
  declareOperation({
    id: 'pauseAll',
    route: 'POST /api/v1/pause',
    command: 'pause',
    tag: 'searches',
    scope: 'write',
    does: 'Pause all searches',
    more: 'Cancels queued runs; runs in progress finish. Broken searches stay broken. A search that is created or resumed during the pause runs. `resumeAll` continues, or the time `until`.',
    input: z.strictObject({ until }).meta(pausing),
    mayLackBody: true,
    output: AllChanged,
    example: 'strandline pause --until friday 9:00',
    run: async ({ ctx }, { until: end }) => (await loadChanges()).changeAll(ctx, 'pause', end),
  }),
  declareOperation({
    id: 'resumeAll',
    route: 'POST /api/v1/resume',
    command: 'resume',
    tag: 'searches',
    scope: ['write', 'run'],
    does: 'End the pause of all searches',
    more: 'Resumes what `pauseAll` paused, each at its next slot. What was also paused by itself or with its topic stays paused.',
    input: z.strictObject({}),
    output: AllChanged,
    run: async ({ ctx }) => (await loadChanges()).changeAll(ctx, 'resume'),
  }),
  declareOperation({
    id: 'listSearches',
    route: 'GET /api/v1/searches',
    command: 'search list',
    tag: 'searches',
    scope: 'read',
    does: 'List saved searches',
    more: 'Ordered by topic and slug. Omits removed searches unless `removed` is true. `next_due_at` is when each is due.',
    input: z.strictObject({
      topic: topicSlug.optional().register(commandWords, { help: 'only searches of this topic' }),
      state: z.enum(SEARCH_STATES).optional().register(commandWords, { help: 'only searches in this state' }),
      operation: z
        .enum(OPERATIONS)
        .optional()
        .register(commandWords, { help: 'only searches with this operation' }),
      service: z.enum(SERVICE_KINDS).optional().describe('Kind of service.'),
      removed: flagParam
        .optional()
        .describe('Include removed searches.')
        .register(commandWords, { flag: '--all' }),
    }),
    output: Search,
    list: {
      cursor: z.strictObject({ topic: topicSlug, slug: searchSlug }),
      key: (row: Pick<SearchRow, 'topic' | 'slug'>) => ({ topic: row.topic, slug: row.slug }),
    },
    run: async ({ ctx, page: { limit, after } }, filter) => {
      await findScope(ctx.db, { topic: filter.topic });
      const last = after as { topic: string; slug: string } | undefined; // as `list` declares it
      for (;;) {
        const rows = await readSearches(ctx.db, { ...filter, after: last, limit });
        const ids = rows.map(({ id }) => id);
        const known = addStatus(rows, await readSearchStatuses(ctx, ids));
        // Fewer: one was purged in between, and a page with fewer rows would be the last.
        if (known.length === rows.length) return known;
      }
    },
  }),
];
