/** What commands that list rows share: options that choose rows, and output as a table or JSON. */

import type { Cli } from './command-context.ts';
import { type Column, renderTable, renderTableWithUrls } from './terminal-table.ts';
import type { Command, Option } from 'commander';

/** The options of {@link addListOptions}. */
export type ListOptions = { search?: string; topic?: string; json?: boolean };

/** @param rows what is listed, in the plural @param own further options of the command */
export function addListOptions(command: Command, rows: string, own: readonly Option[]): Command {
  command
    .option('--search <search>', `only ${rows} of this search`)
    .option('--topic <topic>', `only ${rows} of this topic`);
  for (const option of own) command.addOption(option);
  return command.option('--json', 'print JSON');
}

/**
 * Prints rows.
 * @param table.none said if there are no rows @param table.readUrl for rows with an address, which gets a place of its own
 */
export async function showRows<Row>(
  cli: Cli,
  json: boolean | undefined,
  rows: readonly Row[],
  table: { columns: readonly Column<Row>[]; none: string; readUrl?: (row: Row) => string | null },
): Promise<void> {
  const { columns, none, readUrl } = table;
  if (rows.length === 0) cli.say(none);
  await cli.show(json, rows, () =>
    readUrl === undefined
      ? renderTable(rows, columns, cli.page)
      : renderTableWithUrls(rows, columns, readUrl, cli.page),
  );
}
