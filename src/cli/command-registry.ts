/**
 * All commands in the order of the help: a new one is a file and one line here. Files load when their command is called,
 * so that no command loads the dependencies of others.
 */
import type { Command } from 'commander';
import type { Cli, RegisterCommand } from './command-context.ts';

/** A command's name and arguments, its summary in the help, and its file. */
type CommandEntry = readonly [term: string, summary: string, load: () => Promise<RegisterCommand>];

// biome-ignore format: one line for each
const COMMAND_GROUPS: readonly (readonly [heading: string, lines: readonly CommandEntry[]])[] = [
  ['Run:', [
    ['up', 'run everything: dashboard, API, database, search service, worker', async () => (await import('./up-command.ts')).registerUp],
    ['worker', 'execute runs when they are due', async () => (await import('./server-commands.ts')).registerWorker],
    ['api', 'run only the API and the dashboard', async () => (await import('./server-commands.ts')).registerApi],
    ['service ...', 'run only the search service', async () => (await import('./server-commands.ts')).registerService],
    ['migrate', 'create or update the database schema', async () => (await import('./server-commands.ts')).registerMigrate],
    ['mcp', 'serve AI assistants over stdio (Model Context Protocol)', async () => (await import('./mcp-command.ts')).registerMcp],
    ['token ...', 'tokens for the API and the dashboard: create, list, rotate, revoke', async () => (await import('./token-views.ts')).registerToken],
    ['reader ...', 'read-only database login for SQL: rotate', async () => (await import('./sql-commands.ts')).registerReader],
  ]],
  ['Watch:', [
    ['watch text', 'create a topic with a microblog search and an AI search', async () => (await import('./watch-command.ts')).registerWatch],
    ['topic ...', 'topics: list, show, rename, pause, resume, remove', async () => (await import('./topic-views.ts')).registerTopic],
    ['sources ...', 'sources of a topic: list, add, test, on, off, remove', async () => (await import('./source-views.ts')).registerSources],
    ['names ...', 'names in answers: list, set, remove, answers', async () => (await import('./name-views.ts')).registerNames],
    ['notes ...', 'notes on the chart of a topic: list, add, edit, remove', async () => (await import('./note-views.ts')).registerNotes],
    ['goal ...', 'what the news of a topic is about, in words: set, try, list, remove', async () => (await import('./goal-views.ts')).registerGoal],
    ['search ...', 'saved searches: add, list, show, edit, move, pause, resume, remove, run, preview, try', async () => (await import('./state-views.ts')).registerSearch],
    ['plan', 'show what applying a file would do', async () => (await import('./plan-commands.ts')).registerPlan],
    ['apply', 'apply a file: topics, sources, searches, rules, channels', async () => (await import('./plan-commands.ts')).registerApply],
    ['describe [topic]', 'print what is watched as a file', async () => (await import('./plan-commands.ts')).registerDescribe],
    ['pause', 'pause all searches', async () => (await import('./state-views.ts')).registerPause],
    ['resume', 'end the pause of all searches', async () => (await import('./state-views.ts')).registerResume],
    ['demo', 'simulate past days of made-up topics', async () => (await import('./demo-command.ts')).registerDemo],
  ]],
  ['Results:', [
    ['new', 'list discoveries: what was found for the first time', async () => (await import('./new-command.ts')).registerNew],
    ['digest', 'what a span of time brought: the last day, or since yesterday', async () => (await import('./digest-views.ts')).registerDigest],
    ['find query', 'search the text of posts and links, best matches first', async () => (await import('./find-command.ts')).registerFind],
    ['trends ...', 'post volume, averages and spikes', async () => (await import('./trends-commands.ts')).registerTrends],
    ['emerging topic', 'what a topic began to speak of, day by day', async () => (await import('./emerging-views.ts')).registerEmerging],
    ['posts ...', 'posts: list, show, top, growth', async () => (await import('./post-views.ts')).registerPosts],
    ['links ...', 'links: list, first, show', async () => (await import('./link-views.ts')).registerLinks],
    ['stories topic', 'stories of a topic: what its items say, each once', async () => (await import('./story-views.ts')).registerStories],
    ['completions ...', 'completions: show, diff', async () => (await import('./completion-views.ts')).registerCompletions],
    ['evidence kind id', 'what was found, when, and the raw responses that say so', async () => (await import('./evidence-view.ts')).registerEvidence],
    ['views ...', 'saved views of the dashboard: add, list, remove', async () => (await import('./view-views.ts')).registerViews],
    ['shares ...', 'links that show one page: add, list, remove', async () => (await import('./share-views.ts')).registerShares],
    ['export what', 'export results as CSV, NDJSON or Parquet', async () => (await import('./export-command.ts')).registerExport],
    ['sql [query]', 'run a read-only SQL query on the views of strandline_analytics', async () => (await import('./sql-commands.ts')).registerSql],
  ]],
  ['Alerts:', [
    ['rules ...', 'alert rules: add, list, show, edit, pause, resume, remove, try, preview', async () => (await import('./rule-views.ts')).registerRules],
    ['mute', 'hold back messages until a time', async () => (await import('./mute-commands.ts')).registerMute],
    ['unmute', 'end a mute, and send what it held back', async () => (await import('./mute-commands.ts')).registerUnmute],
    ['channels ...', 'alert channels: add, edit, list, show, test, rotate, pause, resume, remove', async () => (await import('./channel-views.ts')).registerChannels],
    ['deliveries ...', 'alert messages: list, show, resend', async () => (await import('./delivery-views.ts')).registerDeliveries],
    ['feeds ...', 'addresses for feed readers: add, list, remove', async () => (await import('./feed-views.ts')).registerFeeds],
  ]],
  ['Operations:', [
    ['status', 'show the state of database, queue, services, workers and runs', async () => (await import('./status-command.ts')).registerStatus],
    ['runs ...', 'runs: list, show, replay', async () => (await import('./run-views.ts')).registerRuns],
    ['audit', 'audit log: who created, changed or removed what', async () => (await import('./audit-view.ts')).registerAudit],
    ['doctor', 'check everything strandline depends on and say how to fix problems', async () => (await import('./doctor-command.ts')).registerDoctor],
    ['config ...', 'configuration: show', async () => (await import('./config-commands.ts')).registerConfig],
  ]],
  ['Data:', [
    ['backup folder', 'back up the database to a folder', async () => (await import('./backup-commands.ts')).registerBackup],
    ['restore folder', 'restore a backup into an empty database', async () => (await import('./backup-commands.ts')).registerRestore],
    ['retention ...', 'retention periods: show, run', async () => (await import('./retention-commands.ts')).registerRetention],
    ['authors ...', 'authors: show, forget', async () => (await import('./author-views.ts')).registerAuthors],
  ]],
  ['Shell:', [
    ['autocomplete shell', 'print a script that completes commands in bash, zsh or fish', async () => (await import('./autocomplete-command.ts')).registerAutocomplete],
  ]],
];

/** What suffices for the first week, in the order of the groups: the only commands that the help lists unless it is asked for all. */
export const FIRST_COMMANDS: ReadonlySet<string> = new Set([
  'up',
  'watch',
  'new',
  'digest',
  'find',
  'trends',
  'channels',
  'status',
]);

/** Former names, which still work. */
const ALIASES: Readonly<Record<string, string>> = { authors: 'author' };

/** Commands as the program's help lists them without loading them. */
const TERM_BY_NAME: ReadonlyMap<string, string> = new Map(
  COMMAND_GROUPS.flatMap(([, lines]) => lines.map(([term]) => [parseCommandName(term), term] as const)),
);

export const COMMAND_NAMES: readonly string[] = [...TERM_BY_NAME.keys()];

export function findHelpTerm(command: Command): string {
  return TERM_BY_NAME.get(command.name()) ?? command.name();
}

/**
 * Adds all commands to the program; each file is loaded when its command is called.
 * @param openCli opens the context of commands when the first one is loaded
 */
export function addCommands(program: Command, openCli: () => Promise<Cli>): void {
  const unloaded = new Map<Command, () => Promise<RegisterCommand>>();
  for (const [heading, lines] of COMMAND_GROUPS) {
    program.commandsGroup(heading);
    for (const [term, summary, loadFile] of lines) {
      const command = program.command(parseCommandName(term)).summary(summary).description(summary);
      const alias = ALIASES[command.name()];
      unloaded.set(alias === undefined ? command : command.alias(alias), loadFile);
    }
  }

  async function load(command: Command): Promise<void> {
    const loadFile = unloaded.get(command);
    if (loadFile === undefined) return;
    unloaded.delete(command);
    const [register, cli] = await Promise.all([loadFile(), openCli()]);
    await register(command, cli, loadAll);
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
