/** First runs of new searches, as a command follows them: a worker executes them, or this process where there is none. */
import type { RunRow } from '../store/queries/run-list.ts';
import type { SearchRow } from '../store/queries/search-list.ts';
import type { Api } from './api-client.ts';
import { ask, askItems, type Reply } from './api-requests.ts';
import type { Cli } from './command-context.ts';
import { describeFailure } from './run-failure.ts';
import { describeReport, describeReportWithoutWorkers } from './run-rendering.ts';
import type { WholeRun } from './run-commands.ts';
import { createDayFormat, formatQuantity } from './value-formatting.ts';
import { setTimeout as sleep } from 'node:timers/promises';

/** How often to poll a run that another process executes. */
const RUN_POLL_MS = 500;

export const WAITS_FOR_SOURCE =
  'No public source is reachable now: the first runs start when a source is reachable, which is checked every minute';

export type NewSearch = Reply<Pick<SearchRow, 'slug' | 'service_kind'> & { status: string }>;
export type SavedSearch = Reply<SearchRow & { first_run: RunRow }>;

async function readFirstRun(api: Api, search: string): Promise<Reply<RunRow>> {
  const [run] = await askItems<RunRow>(api, 'listRuns', { search }, 1);
  if (run === undefined) throw new Error('a saved search has no run');
  return run;
}

/** The first runs of new searches. */
export const readFirstRuns = (api: Api, searches: readonly NewSearch[]) =>
  Promise.all(searches.map(async (search) => ({ search, id: (await readFirstRun(api, search.slug)).id })));

/**
 * Executes first runs in this process, and prints how each ended and which of its tools did not respond.
 * @param options.isReported which reports are printed. Default: all
 * @param options.isCovered of which searches tools are printed. Default: all
 */
export async function executeHere(
  { page }: Pick<Cli, 'page'>,
  { here, now }: Api,
  runs: readonly { search: NewSearch; id: string }[],
  options: {
    isReported?: (status: string) => boolean;
    isCovered?: (search: NewSearch) => boolean;
  } = {},
): Promise<void> {
  const { isReported = () => true, isCovered = () => true } = options;
  await Promise.all(
    runs.map(async ({ search, id }) => {
      const report = (await here?.execute(id)) ?? null;
      if (report === null) return;
      if (isReported(report.status)) page.say(describeReportWithoutWorkers(report, now(), page));
      const tools = isCovered(search) ? await here?.describeTools(id, createDayFormat(page)) : null;
      if (typeof tools === 'string') page.say(`${report.search}: ${tools}`);
    }),
  );
  await here?.derive();
}

/** Whether this process must execute runs: it has no server, and no worker runs elsewhere. */
export async function executesHere({ here }: Pick<Api, 'here'>): Promise<boolean> {
  return here !== undefined && !(await here.hasWorkers());
}

/** Executes the first runs here, or says who does. @returns the searches with these runs */
export async function followFirstRuns(
  cli: Pick<Cli, 'page'>,
  api: Api,
  searches: readonly NewSearch[],
): Promise<SavedSearch[]> {
  const runs = await readFirstRuns(api, searches);
  if (await executesHere(api)) await executeHere(cli, api, runs);
  else {
    const waits = searches.some(({ status }) => status === 'waiting_for_source');
    cli.page.say(`Saved. ${waits ? WAITS_FOR_SOURCE : 'First runs start now'}; see: strandline runs list`);
  }
  return Promise.all(
    searches.map(async ({ slug }) => ({
      ...(await ask<SearchRow>(api, 'getSearch', { search: slug })),
      first_run: await readFirstRun(api, slug),
    })),
  );
}

/**
 * Waits until a run has ended, including retries; without a server, it is executed here. Returns early when `stopping` is
 * aborted: the run goes on where it is, or back to the queue.
 */
export async function followRun(
  { page }: Pick<Cli, 'page'>,
  api: Api,
  run: string,
  stopping: AbortSignal,
): Promise<Reply<WholeRun>> {
  for (let isSaid = false; ; ) {
    const report = (await api.here?.execute(run)) ?? null;
    if (report !== null) page.say(describeReport(report, api.now(), page));
    isSaid ||= report !== null;
    const row = await ask<WholeRun>(api, 'getRun', { run });
    if (row.ended_at !== null || stopping.aborted) {
      if (!isSaid && row.ended_at !== null) page.say(describeEndedRun(row));
      await api.here?.derive();
      return row;
    }
    await sleep(RUN_POLL_MS, undefined, { signal: stopping }).catch(() => {});
  }
}

/** A run that a worker executed, as {@link describeReport} says it. */
function describeEndedRun({ search, status, baseline, code, items_seen, items_new }: Reply<RunRow>): string {
  if (status !== 'succeeded')
    return `${search}: ${status}${code === null ? '' : `: ${describeFailure({ code })}`}`;
  const seen = formatQuantity(items_seen ?? 0, 'result');
  return `${search}: ${baseline ? `baseline: ${seen}` : `${items_new ?? 0} new (${seen})`}`;
}
