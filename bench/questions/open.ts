/** The history that pages, questions and panels are asked about: filled on a server of our own, or one that was filled before. */
import { HOUR } from '../../src/lib/time.ts';
import { createLogger } from '../../src/platform/logger.ts';
import { fillArchive } from '../../src/store/archive/index-archive.ts';
import { type Database, type Id, inTransaction, openDatabase } from '../../src/store/db/database.ts';
import { deriveRising } from '../../src/store/derive/derive-rising.ts';
import { openStage, type Stage } from '../stage.ts';
import { fillHistory } from './fill.ts';

/** @property stage where another database for comparison can be had: none for a history that was filled before */
export type History = {
  db: Database;
  url: string;
  readerUrl: string;
  /** Its end. */
  until: Date;
  stage: Stage | undefined;
  close(): Promise<void>;
};
/** @property url of a database that was filled before, where there is one; `reader` of the role that may only read */
export type HistoryOptions = { posts: number; url?: string | undefined; reader?: string | undefined };

/** @param told of every step that ended, with what it took */
export async function openHistory(options: HistoryOptions, told: (line: string) => void): Promise<History> {
  const until = new Date(Math.floor(Date.now() / HOUR) * HOUR);
  const { posts, url, reader } = options;
  if (url !== undefined) {
    const db = openDatabase(url, { log: createLogger('silent'), max: 2, name: 'strandline bench' });
    return { db, url, readerUrl: reader ?? url, until, stage: undefined, close: () => db.close() };
  }
  const stage = await openStage(2);
  try {
    const history = await stage.addDatabase('history');
    const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`;
    await fillHistory(history, { posts, until, told: (step, s) => told(`${step}: ${seconds(s * 1_000)}`) });
    const begun = performance.now();
    await fillArchive(history.db, { batches: Number.POSITIVE_INFINITY });
    told(`archive: ${seconds(performance.now() - begun)}`);
    told(`what rises, after a look: ${(await keepAllRising(history.db)).toFixed(1)} ms a search`);
    await stage.checkpoint();
    return { ...history, until, stage, close: () => stage.close() };
  } catch (error) {
    await stage.close();
    throw error;
  }
}

/** As the last look of each search would have left it. @returns milliseconds a search */
async function keepAllRising(db: Database): Promise<number> {
  const { rows } = await db.pool.query<{ id: Id }>(
    'SELECT search_id AS id FROM strandline.latest_results ORDER BY 1',
  );
  const before = performance.now();
  const since = new Date(0);
  for (const { id: searchId } of rows)
    await inTransaction(db, (tx) =>
      deriveRising(tx, { searches: [{ searchId, since }], readings: [] }, { which: 'all', now: null }),
    );
  return (performance.now() - before) / rows.length;
}
