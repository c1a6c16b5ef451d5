/** `topic remove --purge` and `search remove --purge`: delete what was found, too. */

import { Refused } from '../model/errors.ts';
import { MINUTE } from '../lib/time.ts';
import { monotonicMs } from '../platform/clock.ts';
import type { PurgeTarget } from '../monitor/topics/purge-topic.ts';
import type { PurgeCounts } from '../store/erase/orphans.ts';
import type { Api } from './api-client.ts';
import { ask } from './api-requests.ts';
import type { Cli } from './command-context.ts';
import { EXIT_USAGE } from './command-input.ts';
import type { Alternative } from './reply-view.ts';
import { formatQuantity } from './value-formatting.ts';
import { setTimeout as sleep } from 'node:timers/promises';

type PurgeOptions = { purge?: boolean; yes?: boolean; dryRun?: boolean; json?: boolean };

/** What `remove` does instead if `--purge` is given. */
export function purgeInstead(cli: Cli, kind: PurgeTarget['kind']): Alternative {
  return {
    declare: (command) =>
      command
        .option('--purge', 'also delete what only it found, for good; of a removed one, too')
        .option('--dry-run', 'with --purge: only show what would be deleted')
        .option('--yes', 'with --purge: do not ask'),
    act: async (command) => {
      const { purge, ...options } = command.opts<PurgeOptions>();
      if (purge !== true) {
        if (options.yes === true || options.dryRun === true)
          command.error('error: --dry-run and --yes need --purge', { exitCode: EXIT_USAGE });
        return false;
      }
      const [slug = ''] = command.args;
      await purgeTarget(cli, { kind, slug }, options);
      return true;
    },
  };
}

async function purgeTarget(
  cli: Cli,
  target: PurgeTarget,
  { yes, dryRun, json }: PurgeOptions,
): Promise<void> {
  const { kind, slug } = target;
  const about = { [kind]: slug };
  const [previewed, purged] = kind === 'topic' ? TOPIC_PURGE : SEARCH_PURGE;
  await cli.withApi(
    async (api, stopping) => {
      const { confirm } = await import('./questions.ts');
      const preview = await ask<PurgeCounts>(api, previewed, about);
      if (dryRun === true) {
        await cli.show(json, { ...about, purged: false, ...preview }, () => []);
        cli.say(`Would delete ${describeCounts(target, preview)}.`);
        return;
      }
      cli.say(`Deletes ${describeCounts(target, preview)}. This cannot be undone.`);
      const isConfirmed = await confirm(cli, `Purge ${slug}?`, yes);
      if (isConfirmed !== true) {
        cli.say(isConfirmed === null ? 'Nothing deleted. To delete, add --yes.' : 'Nothing deleted.');
        cli.exitCode = EXIT_USAGE;
        return;
      }
      const counts = await ask<PurgeCounts>(api, purged, about);
      const isDone = await waitUntilGone(cli, api, target, stopping);
      await cli.show(json, { ...about, purged: isDone, ...counts }, () => []);
      cli.say(isDone ? `${slug}: deleted; its name is free` : `${slug}: not finished. Workers continue.`);
    },
    { stops: true },
  );
}

const POLL_MS = 500;
/** Without a run in progress, workers need less. */
const MAX_WAIT_MS = MINUTE;

/** Workers delete it; without a server, this process does. @returns false if it is not yet deleted */
async function waitUntilGone(
  cli: Cli,
  api: Api,
  { kind, slug }: PurgeTarget,
  stopping: AbortSignal,
): Promise<boolean> {
  const deadline = monotonicMs() + MAX_WAIT_MS;
  for (let waited = false; ; waited = true) {
    await api.here?.continuePurges();
    try {
      await ask(api, kind === 'topic' ? 'getTopic' : 'getSearch', { [kind]: slug });
    } catch (error) {
      if (error instanceof Refused && error.kind === 'not_found') return true;
      throw error;
    }
    if (stopping.aborted || (api.here === undefined && monotonicMs() > deadline)) return false;
    if (!waited && api.here !== undefined) cli.say('Waiting for a run in progress…');
    await sleep(POLL_MS, undefined, { signal: stopping }).catch(() => {});
  }
}

const TOPIC_PURGE = ['previewTopicPurge', 'purgeTopic'] as const;
const SEARCH_PURGE = ['previewSearchPurge', 'purgeSearch'] as const;

function describeCounts({ kind, slug }: PurgeTarget, counts: PurgeCounts): string {
  const searches = kind === 'search' ? [] : [formatQuantity(counts.searches, 'search', 'searches')];
  const parts = [
    formatQuantity(counts.runs, 'run'),
    formatQuantity(counts.completions, 'completion'),
    formatQuantity(counts.posts, 'post'),
    formatQuantity(counts.links, 'link'),
  ];
  const all = [...searches, ...parts];
  return `${slug} with ${all.slice(0, -1).join(', ')} and ${all.at(-1)}; keeps what other searches found`;
}
