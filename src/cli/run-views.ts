/** `runs`: lists, one run, and parsing its response again. */
import { type Command, Option } from 'commander';
import type { RunRow } from '../store/queries/run-list.ts';
import type { Cli } from './command-context.ts';
import { addOperations } from './operation-commands.ts';
import type { JsonOf, OperationView } from './reply-view.ts';
import { runColumns } from './run-rendering.ts';
import { renderTable } from './terminal-table.ts';

const VIEW: OperationView<JsonOf<RunRow>> = {
  columns: [],
  none: 'No runs.',
  replies: {
    listRuns: {
      lines: (rows, { now, page }) =>
        renderTable(rows as unknown as JsonOf<RunRow>[], runColumns(now, page), page), // a list
    },
  },
};

export function registerRuns(runs: Command, cli: Cli): void {
  runs.description('Runs: one per slot, including skipped slots, plus manual runs.');
  addOperations(runs, cli, VIEW);
  registerShow(runs, cli);
  registerReplay(runs, cli);
}

// A list needs neither.
const loadCommands = () => import('./run-commands.ts');

function registerShow(runs: Command, cli: Cli): void {
  runs
    .command('show')
    .description('show a run: its calls, discoveries and rejected items')
    .argument('<id>', 'run id')
    .option('--response', 'print the raw response instead, also of a failed run')
    .addOption(new Option('--answer', 'the same').hideHelp())
    .option('--json', 'print JSON')
    .action(async (text: string, options: { response?: boolean; answer?: boolean; json?: boolean }) =>
      (await loadCommands()).showRun(cli, text, options),
    );
}

function registerReplay(runs: Command, cli: Cli): void {
  runs
    .command('replay')
    .description('parse the stored response of a run again with the current parser; makes no call')
    .argument('<id>', 'run id')
    .option('--json', 'print the run as JSON')
    .action(async (text: string, options: { json?: boolean }) =>
      (await loadCommands()).replayRunOf(cli, text, options),
    );
}
