/** Every command group, in the order of the help: a new one is one file and one line here. */
import type { Command } from 'commander';
import type { Cli, Register } from './cli.ts';
import { registerAudit } from './audit.ts';
import { registerAuthor } from './author.ts';
import { registerBackup } from './backup.ts';
import { registerChannels } from './channels.ts';
import { registerCompletion } from './completion.ts';
import { registerCompletions } from './completions.ts';
import { registerConfig } from './config.ts';
import { registerDeliveries } from './deliveries.ts';
import { registerDemo } from './demo.ts';
import { registerDoctor } from './doctor.ts';
import { registerExport } from './export.ts';
import { registerFind } from './find-text.ts';
import { registerLinks } from './links.ts';
import { registerNew } from './new.ts';
import { registerPosts } from './posts.ts';
import { registerReader } from './reader.ts';
import { registerRetention } from './retention.ts';
import { registerRules } from './rules.ts';
import { registerRuns } from './runs.ts';
import { registerSearch } from './search.ts';
import { registerServers } from './servers.ts';
import { registerServiceKey } from './service-key.ts';
import { registerSql } from './sql.ts';
import { registerStatus } from './status.ts';
import { registerToken } from './token.ts';
import { registerTopic } from './topic.ts';
import { registerTrends } from './trends.ts';
import { registerUp } from './up.ts';
import { registerWatch } from './watch.ts';

const GROUPS: readonly (readonly [heading: string, commands: readonly Register[]])[] = [
  // Keys are commands of `service`, which the servers bring.
  ['Run:', [registerUp, registerServers, registerServiceKey, registerToken, registerReader]],
  ['Watch:', [registerWatch, registerTopic, registerSearch, registerDemo]],
  [
    'See what was found:',
    [
      registerNew,
      registerFind,
      registerTrends,
      registerPosts,
      registerLinks,
      registerCompletions,
      registerExport,
      registerSql,
    ],
  ],
  ['Be told:', [registerRules, registerChannels, registerDeliveries]],
  ['See how it goes:', [registerStatus, registerRuns, registerAudit, registerDoctor, registerConfig]],
  ['Keep:', [registerBackup, registerRetention, registerAuthor]],
  ['Shell:', [registerCompletion]],
];

export function registerAll(program: Command, cli: Cli): void {
  for (const [heading, commands] of GROUPS) {
    program.commandsGroup(heading);
    for (const register of commands) register(program, cli);
  }
}
