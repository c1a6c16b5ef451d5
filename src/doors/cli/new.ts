import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import { SECOND, systemClock } from '../../engine/clock.ts';
import type { Home } from '../../home.ts';
import {
  discoveriesAfter,
  type DiscoveryFilter,
  type DiscoveryRow,
  lastDiscoveryId,
  newestDiscoveries,
} from '../../store/reads/discoveries.ts';
import { readLimit, readSince } from './arguments.ts';
import { withAddresses } from './addresses.ts';
import type { Cli } from './cli.ts';
import { discoveryLines } from './discovery-line.ts';
import { discoveryColumns } from './discovery-page.ts';
import { assertFilter } from '../../monitor/topic/find.ts';
import { tellInventedOf } from './invented.ts';
import { toJson } from '../json.ts';

/** How many are shown where nobody says: to a person, to a program, and before those that are followed. */
const SHOWN = 50;
const PRINTED = 10_000;
const BEFORE_FOLLOWED = 10;
const LOOK_MS = SECOND;

type Options = {
  topic?: string;
  search?: string;
  since?: string;
  follow?: boolean;
  limit?: string;
  json?: boolean;
};

export function registerNew(command: Command, cli: Cli): void {
  command
    .option('--topic <topic>', 'only of a topic')
    .option('--search <search>', 'only of a search')
    .option(
      '--since <time>',
      'only what was found since: 2026-11-21, 2026-11-21T14:05Z, 1h, 2d, today, yesterday',
    )
    .option('--follow', 'go on showing what is found until Ctrl-C (with --json: one object per line)')
    .option('--limit <n>', `the newest so many (default: ${SHOWN}; with --json ${PRINTED})`)
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  $ strandline new --topic harbour-ferry --since 2d\n')
    .action((options: Options) => {
      const { topic, search, json } = options;
      const since = options.since === undefined ? undefined : readSince(options.since, systemClock.now());
      const shown = options.follow === true && since === undefined ? BEFORE_FOLLOWED : SHOWN;
      const limit = readLimit(options.limit, json === true ? PRINTED : shown);
      return cli.withHome(async (home, stopping) => {
        await assertFilter(home.ctx.db, { topic, search });
        const filter = { topic, search, since, limit };
        return options.follow === true
          ? follow(cli, home, filter, json === true, stopping)
          : showNew(cli, home, filter, json);
      });
    });
}

async function showNew(
  cli: Cli,
  { ctx }: Home,
  filter: DiscoveryFilter & { limit: number },
  json: boolean | undefined,
): Promise<void> {
  const rows = await newestDiscoveries(ctx.db, filter);
  if (rows.length === 0) cli.page.say('nothing was found yet');
  await cli.show(json, rows, () =>
    withAddresses(rows, discoveryColumns(ctx.clock.now(), cli.page), ({ url }) => url, cli.page),
  );
  await tellInventedOf(cli, ctx, json, searchesOf(rows));
  if (rows.length === filter.limit) cli.page.say(`the newest ${filter.limit}; there may be more (--limit)`);
}

/** By a cursor over ids, whose order is the order of commits: nothing is missed and nothing comes twice. */
async function follow(
  cli: Cli,
  { ctx }: Home,
  filter: DiscoveryFilter & { limit: number },
  json: boolean,
  stopping: AbortSignal,
): Promise<void> {
  let cursor = await lastDiscoveryId(ctx.db);
  let rows: DiscoveryRow[] = await newestDiscoveries(ctx.db, filter);
  let waiting = false;
  while (!stopping.aborted) {
    cursor = rows.at(-1)?.id ?? cursor;
    if (rows.length > 0) await print(cli, rows, json);
    if (!waiting) await tellInventedOf(cli, ctx, json, searchesOf(rows));
    if (!waiting && cli.page.live) cli.page.say('waiting for what comes; Ctrl-C ends');
    waiting = true;
    if (rows.length === 0) await sleep(LOOK_MS, undefined, { signal: stopping, ref: false }).catch(() => {});
    rows = stopping.aborted ? [] : await discoveriesAfter(ctx.db, { ...filter, after: cursor, limit: 500 });
  }
}

function searchesOf(rows: readonly DiscoveryRow[]): string[] {
  return rows.map(({ search }) => search);
}

async function print({ page, out }: Cli, rows: readonly DiscoveryRow[], json: boolean): Promise<void> {
  const lines = json ? rows.map((row) => toJson(row)) : rows.flatMap((row) => discoveryLines(row, page));
  await out.write(`${lines.join('\n')}\n`);
}
