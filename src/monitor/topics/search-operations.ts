/** Operations on saved searches: show with versions, create, replace, edit, preview, run and try. */
import { z } from 'zod';
import { countParam } from '../../model/value-shapes.ts';
import type { Id } from '../../store/db/database.ts';
import { readIntervalChanges, readVersions, type SearchRow } from '../../store/queries/search-list.ts';
import { BY_ID, lastIdOf } from '../common-inputs.ts';
import type { Context } from '../context.ts';
import { enqueueNewRuns } from '../enqueue.ts';
import { declareOperation } from '../operation.ts';
import { Trial } from '../runs/trial-shapes.ts';
import { readSearchWithStatus } from '../status/search-status.ts';
import { findRunRow, findSearchRow } from './find-by-slug.ts';
import type { Forecast } from './search-forecast.ts';
import {
  CreatedSearch,
  IntervalChange,
  PreviewShape,
  RequestedRun,
  SavedSearch,
  SearchPreviewShape,
  SearchVersion,
  SearchWhole,
} from './search-shapes.ts';
import {
  atSearch,
  editedSearch,
  FORMER_SLUGS,
  newSearch,
  schedulePreviewBody,
  scheduleQuery,
  searchTrialBody,
  writtenSearch,
} from './topic-inputs.ts';

// A read needs neither.
const loadChanges = () => import('./save-search.ts');
const loadForecast = () => import('./search-forecast.ts');

const about = { tag: 'searches', scope: 'read' } as const;
const CHANGES = ['write', 'run'] as const;
const locate = ({ slug }: { slug: string }) => `/api/v1/searches/${slug}`;
const versionNumber = z
  .int()
  .min(1)
  .max(2 ** 31 - 1);

async function describePace({ db }: Context, { id }: SearchRow) {
  const [{ readPaces }, { describeCurrentInterval }, { describeMissed, judgeOne }] = await Promise.all([
    import('../../store/runs/pace.ts'),
    import('../schedule/schedule-text.ts'),
    import('../status/search-completeness.ts'),
  ]);
  const [pace] = await readPaces(db, [id]);
  const incomplete = pace === undefined ? null : judgeOne(pace);
  return {
    current_interval: pace === undefined ? null : describeCurrentInterval(pace),
    completeness: incomplete === null ? null : describeMissed(incomplete),
  };
}

async function readSaved(ctx: Context, slug: string) {
  const { findMissingTools } = await import('./tool-sources.ts');
  const row = await findSearchRow(ctx.db, slug);
  return {
    ...(await readSearchWithStatus(ctx, row)),
    missing_tools: await findMissingTools(ctx, row.service_kind, row),
  };
}

/** @param of a schedule as it is stored, or as somebody wrote it */
async function writePreview(forecast: Forecast, of: ScheduleColumns | WrittenSchedule) {
  const [{ describeCost, describeExpected, toPreviewJson }, { parseSearchSchedule, toScheduleColumns }] =
    await Promise.all([loadForecast(), import('../schedule/schedule.ts')]);
  const shown = toPreviewJson(forecast);
  const preview = forecast.searches[0]?.preview;
  const { cron, every_seconds, auto, tz } =
    'every_seconds' in of ? of : toScheduleColumns(parseSearchSchedule({ ...of, slug: '' }));
  return {
    ...shown,
    cron,
    every_seconds,
    auto,
    tz,
    expected: preview == null ? null : describeExpected(preview),
    cost: describeCost(forecast),
  };
}

type WrittenSchedule = Partial<Record<'cron' | 'tz' | 'every', string | undefined>>;
type ScheduleColumns = Pick<SearchRow, 'cron' | 'every_seconds' | 'auto' | 'tz'>;

/**
 * The commands are by hand: `search show` shows the last run, `add` and `run` execute runs where no worker does, `edit` says
 * what changed, and `preview` and `try` take a saved search with changes.
 */
export const SEARCH_OPERATIONS = [
  declareOperation({
    ...about,
    id: 'getSearch',
    route: 'GET /api/v1/searches/{search}',
    does: 'Get a saved search',
    more: 'The current version and state. `state_reason` explains why a search is broken or capped. Removed searches are returned, too.',
    input: z.strictObject(atSearch),
    output: SearchWhole,
    run: async ({ ctx }, { search }) => {
      const row = await findSearchRow(ctx.db, search);
      return { ...(await readSearchWithStatus(ctx, row)), ...(await describePace(ctx, row)) };
    },
  }),
  declareOperation({
    ...about,
    id: 'listSearchVersions',
    route: 'GET /api/v1/searches/{search}/versions',
    does: 'List the versions of a search',
    more: 'Newest first. Each edit creates a version. `request_version` rises only if the request itself changes; the next run is then a new baseline.',
    input: z.strictObject(atSearch),
    output: SearchVersion,
    list: { cursor: versionNumber, key: ({ version }: { version: number }) => version },
    run: async ({ ctx: { db }, page: { limit, after } }, { search }) => {
      const { id } = await findSearchRow(db, search);
      return readVersions(db, id, { before: after as number | undefined, limit }); // as `list` declares it
    },
  }),
  declareOperation({
    ...about,
    id: 'listIntervalChanges',
    route: 'GET /api/v1/searches/{search}/interval-changes',
    does: 'List the interval changes of a search',
    more: 'Newest first. Each change of an adaptive interval (`auto`) by a tenth or more, with its reason and the figures it is based on.',
    input: z.strictObject(atSearch),
    output: IntervalChange,
    list: BY_ID,
    run: async (call, { search }) => {
      const { db } = call.ctx;
      const { id } = await findSearchRow(db, search);
      return readIntervalChanges(db, id, { before: lastIdOf(call), limit: call.page.limit });
    },
  }),
  declareOperation({
    ...about,
    id: 'createSearch',
    route: 'POST /api/v1/searches',
    scope: CHANGES,
    does: 'Create a search',
    more: 'Saves the search and runs it immediately. Slugs are unique: one that exists, or that a removed search keeps, returns 409.',
    input: newSearch,
    output: CreatedSearch,
    idempotent: true,
    created: locate,
    run: async ({ ctx }, written) => {
      const [{ createSearch }, { describeNewSearches }] = await Promise.all([
        loadChanges(),
        import('./new-search-notes.ts'),
      ]);
      const { search } = await createSearch(ctx, written);
      return { ...(await readSaved(ctx, search.slug)), ...(await describeNewSearches(ctx, [search])) };
    },
  }),
  declareOperation({
    ...about,
    id: 'putSearch',
    route: 'PUT /api/v1/searches/{search}',
    scope: CHANGES,
    does: 'Create or replace a search',
    more: 'A new search runs immediately. Otherwise omitted members get their defaults, and what changes is a new version, as in `editSearch`; topic, service and operation cannot change (409); an omitted service stays. Repeating the request changes nothing.',
    input: writtenSearch.extend(atSearch).meta({ examples: writtenSearch.meta()?.examples }),
    output: SavedSearch,
    created: locate,
    run: async ({ ctx, onlyCreate = false }, { search, ...written }) => {
      const { isNew, made } = await (await loadChanges()).putSearch(ctx, search, written, { onlyCreate });
      return { isNew, made: await readSaved(ctx, made.slug) };
    },
  }),
  declareOperation({
    ...about,
    id: 'editSearch',
    route: 'PATCH /api/v1/searches/{search}',
    scope: CHANGES,
    does: 'Edit a search',
    more: `Creates a new version. Omitted members keep their values. If the request changes (not only its schedule), the next run is a new baseline. ${FORMER_SLUGS} In another topic, what the search found counts there, and nothing is reported again.`,
    input: editedSearch.extend(atSearch).meta({ examples: editedSearch.meta()?.examples }),
    output: SavedSearch,
    run: async ({ ctx }, { search, ...edit }) =>
      readSaved(ctx, (await (await loadChanges()).editSearch(ctx, search, edit)).search.slug),
  }),
  declareOperation({
    ...about,
    id: 'previewSearch',
    route: 'GET /api/v1/searches/{search}/preview',
    does: 'Preview the schedule and cost of a search',
    more: 'The next runs in the time zone of the schedule, and the cost by the recent cost of such calls; null if the service never reports it.',
    input: z.strictObject({
      ...atSearch,
      count: countParam(100, 5).describe('Number of runs to list.'),
      ...scheduleQuery,
    }),
    output: SearchPreviewShape,
    run: async ({ ctx }, { search, count, ...edit }) => {
      const { forecastSaved } = await loadForecast();
      const row = await findSearchRow(ctx.db, search);
      const isWritten = edit.cron !== undefined || edit.every !== undefined;
      return writePreview(await forecastSaved(ctx, [row], { count, edit }), isWritten ? edit : row);
    },
  }),
  declareOperation({
    ...about,
    id: 'previewSchedule',
    route: 'POST /api/v1/searches/preview',
    does: 'Preview a schedule that is not saved',
    more: 'Checks a schedule (`cron` with `tz`, or `every`) before you create a search. Saves nothing and makes no call.',
    input: schedulePreviewBody,
    output: PreviewShape,
    run: async ({ ctx }, { service, count, ...search }) => {
      const [{ forecastSearches }, { chooseServiceKind, findDefaultKind }] = await Promise.all([
        loadForecast(),
        import('./service-choice.ts'),
      ]);
      const kind = service === undefined ? findDefaultKind(ctx) : await chooseServiceKind(ctx, service);
      const forecast = await forecastSearches(ctx, kind, [{ name: 'preview', ...search }], { count });
      return writePreview(forecast, search);
    },
  }),
  declareOperation({
    ...about,
    id: 'runSearch',
    route: 'POST /api/v1/searches/{search}/run',
    scope: 'run',
    does: 'Run a search now',
    more: 'Queues a run for a worker. If a run of the search is already queued, returns that run. To follow it, use `getRun` or `followEvents`.',
    input: z.strictObject(atSearch),
    output: RequestedRun,
    idempotent: true,
    accepted: ({ id }: { id: Id }) => `/api/v1/runs/${id}`,
    run: async ({ ctx }, { search }) => {
      const { insertManualRun } = await import('./run-now.ts');
      const { runId, alreadyQueued } = await insertManualRun(ctx, search);
      if (!alreadyQueued) await enqueueNewRuns(ctx, [runId], 'manual');
      return { ...(await findRunRow(ctx.db, runId)), already_queued: alreadyQueued };
    },
  }),
  declareOperation({
    ...about,
    id: 'trySearch',
    route: 'POST /api/v1/searches/try',
    scope: 'run',
    does: 'Try a search without saving it',
    more: 'Makes one call and returns its results without storing them. The call counts against the daily limit, even if the client disconnects. If it fails, `type` contains the code.',
    input: searchTrialBody,
    output: Trial,
    idempotent: true,
    callsService: true,
    endsWithClient: true,
    run: async ({ ctx, stopping = new AbortController().signal }, { shown, ...written }) => {
      const { trySearch } = await import('../runs/trial.ts');
      const trial = await trySearch(ctx, written, { signal: stopping, shown });
      return { ...trial, free: await ctx.isFree(trial.service_kind) };
    },
  }),
];
