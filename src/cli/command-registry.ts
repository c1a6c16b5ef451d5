/**
 * Every command, in the order of the help: a new one is its file and one line here. A file is loaded when its command is
 * called, so that no command waits for what others stand on.
 */
import type { Command } from 'commander';
import type { Cli, RegisterCommand } from './command-context.ts';

/** A command as the help of the program shows it: its name, what follows it, what it is for; and its file. */
type CommandEntry = readonly [term: string, summary: string, load: () => Promise<RegisterCommand>];

// biome-ignore format: one line for each
const COMMAND_GROUPS: readonly (readonly [heading: string, lines: readonly CommandEntry[]])[] = [
  ['Run:', [
    ['up', 'run everything here: dashboard, API, database, service, worker', async () => (await import('./up-command.ts')).registerUp],
    ['worker', 'take up runs as they come due', async () => (await import('./server-commands.ts')).registerWorker],
    ['api', 'run the API and the dashboard alone', async () => (await import('./server-commands.ts')).registerApi],
    ['service ...', 'run the search service alone', async () => (await import('./server-commands.ts')).registerService],
    ['migrate', 'bring the database up to date', async () => (await import('./server-commands.ts')).registerMigrate],
    ['token ...', 'tokens of the API and the dashboard', async () => (await import('./token-commands.ts')).registerToken],
    ['reader ...', 'the login that may read the SQL views: rotate', async () => (await import('./sql-commands.ts')).registerReader],
  ]],
  ['Watch:', [
    ['watch text', 'watch a text: a topic with a microblog and an AI search', async () => (await import('./watch-command.ts')).registerWatch],
    ['topic ...', 'topics: list, show, pause, resume, remove', async () => (await import('./topic-commands.ts')).registerTopic],
    ['search ...', 'saved searches: add, list, show, edit, pause, resume, remove, run, preview, try', async () => (await import('./search-commands.ts')).registerSearch],
    ['demo', 'fill past days with simulated posts, to look at', async () => (await import('./demo-command.ts')).registerDemo],
  ]],
  ['See what was found:', [
    ['new', 'show what was found for the first time, in the order it was found', async () => (await import('./new-command.ts')).registerNew],
    ['find text', 'search the texts of all that was found, the best first', async () => (await import('./find-command.ts')).registerFind],
    ['trends ...', 'volume of posts, and what is unusual', async () => (await import('./trends-commands.ts')).registerTrends],
    ['posts ...', 'posts: list, top, growth', async () => (await import('./posts-commands.ts')).registerPosts],
    ['links ...', 'links: list', async () => (await import('./links-commands.ts')).registerLinks],
    ['completions ...', 'completions: show, diff', async () => (await import('./completions-commands.ts')).registerCompletions],
    ['export what', 'write out what was found, as CSV, NDJSON or Parquet', async () => (await import('./export-command.ts')).registerExport],
    ['sql [query]', 'ask the views of strandline_analytics one question in SQL; nothing can be changed', async () => (await import('./sql-commands.ts')).registerSql],
  ]],
  ['Be told:', [
    ['rules ...', 'rules of alerts: add, list, show, edit, pause, resume, remove, try', async () => (await import('./rules-commands.ts')).registerRules],
    ['channels ...', 'channels of alerts: add, edit, list, show, test, rotate, pause, resume, remove', async () => (await import('./channels-commands.ts')).registerChannels],
    ['deliveries ...', 'messages of alerts: list, show, resend', async () => (await import('./deliveries-commands.ts')).registerDeliveries],
  ]],
  ['See how it goes:', [
    ['status', 'say how it goes: database, queue, services, workers, runs, what comes next', async () => (await import('./status-command.ts')).registerStatus],
    ['runs ...', 'runs: list, show, replay', async () => (await import('./runs-commands.ts')).registerRuns],
    ['audit', 'who created, changed or removed what', async () => (await import('./audit-command.ts')).registerAudit],
    ['doctor', 'look at everything strandline stands on, and say what to do about what is wrong', async () => (await import('./doctor-command.ts')).registerDoctor],
    ['config ...', 'configuration: show', async () => (await import('./config-commands.ts')).registerConfig],
  ]],
  ['Keep:', [
    ['backup folder', 'write everything into a folder', async () => (await import('./backup-commands.ts')).registerBackup],
    ['restore folder', 'load a backup into an empty database', async () => (await import('./backup-commands.ts')).registerRestore],
    ['retention ...', 'how long data is kept: show, run', async () => (await import('./retention-commands.ts')).registerRetention],
    ['author ...', 'authors: forget', async () => (await import('./author-commands.ts')).registerAuthor],
  ]],
  ['Shell:', [
    ['completion shell', 'print a script that completes commands in bash, zsh or fish', async () => (await import('./shell-completion-command.ts')).registerCompletion],
  ]],
];

/** How commands stand in the help of the program, which loads none of them. */
const TERM_BY_NAME: ReadonlyMap<string, string> = new Map(
  COMMAND_GROUPS.flatMap(([, lines]) => lines.map(([term]) => [parseCommandName(term), term] as const)),
);

/** @param command one of the program's own */
export function findHelpTerm(command: Command): string {
  return TERM_BY_NAME.get(command.name()) ?? command.name();
}

/**
 * Adds all commands to the program, each by its line. What its file says is added when it is called.
 * @param openCli what commands work with, made when the first of them is loaded
 */
export function addCommands(program: Command, openCli: () => Promise<Cli>): void {
  const unloaded = new Map<Command, () => Promise<RegisterCommand>>();
  for (const [heading, lines] of COMMAND_GROUPS) {
    program.commandsGroup(heading);
    for (const [term, summary, loadFile] of lines)
      unloaded.set(program.command(parseCommandName(term)).summary(summary).description(summary), loadFile);
  }

  async function load(command: Command): Promise<void> {
    const loadFile = unloaded.get(command);
    if (loadFile === undefined) return;
    unloaded.delete(command);
    const [register, cli] = await Promise.all([loadFile(), openCli()]);
    register(command, cli, loadAll);
  }

  async function loadAll(): Promise<Command> {
    for (const command of program.commands) await load(command);
    return program;
  }

  program.hook('preSubcommand', (_program, command) => load(command));
}

function parseCommandName(term: string): string {
  return term.replace(/ .*/, '');
}
