import { type DatabaseHome, openDatabaseHome } from '../../home.ts';
import type { Cli } from './cli.ts';
import { awaitEnding } from './signals.ts';
import { oneLine } from './text.ts';

/**
 * Opens the database alone, unmigrated and without a queue, and closes it after `work`.
 * @throws the signal's reason where Ctrl-C ended the work
 */
export async function withDatabase<T>(
  cli: Cli,
  work: (database: DatabaseHome, stopping: AbortSignal) => Promise<T>,
): Promise<T> {
  const database = await openDatabaseHome({ config: cli.config(), log: cli.log(), role: 'guest' });
  const stopping = new AbortController();
  const ending = awaitEnding();
  void ending.asked.then(() => stopping.abort());
  for (const note of database.notes) cli.say(`note: ${oneLine(note)}`);
  try {
    return await work(database, stopping.signal);
  } finally {
    ending.release();
    await database.close();
  }
}
