/** What a new topic shows in a terminal, like its first page: ticks while sources are asked, then what is known. */
import type { AskedSource } from '../model/asked-source.ts';
import { formatClock, formatCount } from '../lib/display-format.ts';
import { readSite } from '../model/links/link.ts';
import { monotonicMs } from '../platform/clock.ts';
import { describeAddedTools, isUnconfigured, type MissingTool } from '../model/tool-coverage.ts';
import type { FirstView as ReadView } from '../monitor/topics/first-view.ts';
import type { Api } from './api-client.ts';
import { ask, type Reply } from './api-requests.ts';
import type { Cli } from './command-context.ts';
import { executeHere, executesHere, type NewSearch, readFirstRuns, WAITS_FOR_SOURCE } from './first-runs.ts';
import { isTerminal, type Terminal } from './terminal-io.ts';
import { oneLine, truncate } from './terminal-text.ts';
import { formatRelative } from './value-formatting.ts';
import { setTimeout as sleep } from 'node:timers/promises';

/** Longer, nobody waits for the first runs: they go on, and the topic's page shows them. */
const MAX_WAIT_MS = 20_000;
const POLL_MS = 200;
const MAX_KNOWN = 4;
const MAX_WEEK = 4;

type Follow = { topic: string; created: readonly NewSearch[]; stopping: AbortSignal };

/** As the operation replies. */
type FirstView = Reply<
  Pick<ReadView, 'pending' | 'asked' | 'known' | 'week' | 'since' | 'next'> & {
    each_asking: boolean;
    no_answer: string | null;
    more_of_week: number;
    missing_tools: MissingTool[];
  }
>;

/** Executes the first runs here, unless a worker does it, and ticks off sources as they respond. */
export async function followFirstView(cli: Cli, api: Api, follow: Follow): Promise<FirstView> {
  const { topic, created, stopping } = follow;
  const isHere = await executesHere(api);
  const runs = await readFirstRuns(api, created);
  const executing = isHere
    ? executeHere(cli, api, runs, {
        isReported: isWorthALine,
        // The sources of our own service are named one by one.
        isCovered: ({ service_kind }) => service_kind !== 'own',
      })
    : null;
  const ticks = createTicks(cli);
  const isWaiting = !isHere && created.some(({ status }) => status === 'waiting_for_source');
  const deadline = monotonicMs() + (isWaiting ? 0 : MAX_WAIT_MS);
  let isDone = false;
  void executing?.then(
    () => (isDone = true),
    () => (isDone = true),
  );
  for (;;) {
    const { asked, pending, each_asking } = await ask<FirstView>(api, 'getFirstView', { topic });
    const isOver = isHere ? isDone : !pending || monotonicMs() >= deadline;
    ticks.show(asked, { isEachAsking: each_asking, isLast: isOver });
    if (isOver || stopping.aborted) break;
    await sleep(POLL_MS, undefined, { signal: stopping }).catch(() => {});
  }
  ticks.end();
  await executing;
  if (isWaiting) cli.page.say(`Saved. ${WAITS_FOR_SOURCE}`);
  return ask(api, 'getFirstView', { topic });
}

/** What a run found is shown below; why it found nothing is not. */
const isWorthALine = (status: string) => status !== 'succeeded';

/** One line on stderr, which grows as sources respond. */
function createTicks({ io, page }: Pick<Cli, 'io' | 'page'>) {
  const shown = new Set<string>();
  let isBegun = false;
  /** How many were known the last time: a search asks its sources one after the other. */
  let before = 0;
  const live = isTerminal(io.stderr);
  return {
    /** The number of sources is stated when each search has asked, or `isLast`: no further source becomes known. */
    show(
      sources: readonly AskedSource[],
      { isEachAsking, isLast }: { isEachAsking: boolean; isLast: boolean },
    ) {
      const known = sources.filter(({ code }) => !isUnconfigured(code));
      const isComplete = known.length > 0 && (isLast || (isEachAsking && known.length === before));
      before = known.length;
      if (!isBegun && !isComplete) return;
      const ended = known.filter(({ source, state }) => state !== 'asked' && !shown.has(source));
      if (!isBegun && live) io.stderr.write(`Asking ${formatCount(known.length, 'source')}:`);
      isBegun = true;
      for (const source of ended) {
        shown.add(source.source);
        if (live) io.stderr.write(` ${describeTick(source, page)}`);
      }
    },
    end() {
      if (isBegun && live) io.stderr.write('\n');
    },
  };
}

/** `✓ hacker-news 2` */
function describeTick(
  { source, state, results }: AskedSource,
  { good, bad, unknown, colors }: Terminal,
): string {
  const name = oneLine(source);
  if (state === 'failed') return colors.red(`${bad} ${name}`);
  return results === 0 ? colors.dim(`${unknown} ${name}`) : `${colors.green(good)} ${name} ${results}`;
}

/** The view in about fifteen lines. */
export function renderFirstView(topic: string, view: FirstView, now: Date, page: Terminal): string[] {
  const { known, no_answer: noAnswer, week, pending, since, next, missing_tools: missing } = view;
  const { bold, dim, width, more, zone } = page;
  const reader = { zone, now };
  const fit = (line: string) => truncate(line, Number.isFinite(width) ? width : 200, more);
  const added = describeAddedTools(missing);
  const left = view.more_of_week + Math.max(0, week.length - MAX_WEEK);
  return [
    bold('Known now'),
    ...(known.length === 0
      ? [
          noAnswer === null
            ? pending
              ? 'The first runs are still running.'
              : 'No answer yet.'
            : fit(oneLine(noAnswer)),
        ]
      : known
          .slice(0, MAX_KNOWN)
          .map(({ text, citations }, i) =>
            fitWithTail(`${i + 1}. ${oneLine(text)}`, readSite(citations[0]?.address ?? '') ?? '', page),
          )),
    bold('This week'),
    ...(week.length === 0 ? ['Nothing from the past seven days in these sources.'] : []),
    ...week.slice(0, MAX_WEEK).map((row) => {
      const who =
        row.author_username === null ? (readSite(row.url ?? '') ?? '') : `@${oneLine(row.author_username)}`;
      const age = formatRelative(row.created_at, now, page);
      return fitWithTail(oneLine(row.text ?? ''), `${who}, ${age}`, page);
    }),
    ...(left > 0
      ? page.wrapHint(`and ${left} more: strandline new --topic ${topic} --limit 200`, width).map(dim)
      : []),
    ...(added.length === 0 ? [] : [fit(`A key would add: ${added.join('; ')}.`)]),
    ...(since === null
      ? []
      : [
          `From ${formatClock(since, reader)} only what is new${next === null ? '.' : `; next ${formatClock(next, reader)}.`}`,
        ]),
  ];
}

/** A text that is cut where its end, which is short, must stand beside it. */
function fitWithTail(text: string, tail: string, { width, more, dim }: Terminal): string {
  const room = (Number.isFinite(width) ? width : 200) - tail.length - 2;
  return room < 20 ? text : `${truncate(text, room, more)}  ${dim(tail)}`;
}
