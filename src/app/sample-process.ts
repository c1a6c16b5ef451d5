/** Entry point of the process that makes the past of the sample; see sample-past.ts. */
import { setPriority } from 'node:os';
import { cleanText } from '../lib/text.ts';
import { readConfig } from '../config/config.ts';
import { serveOrders } from '../platform/child-frames.ts';
import { createLogger } from '../platform/logger.ts';
import { openDatabase } from '../store/db/database.ts';
import { fillSamplePast } from './fill-sample.ts';
import type { SampleEnding, SampleOrder } from './sample-past.ts';

/** A simulation saves and derives with one each; a digest reads many things at once. */
const MAX_CONNECTIONS = 4;
const MAX_MESSAGE_LENGTH = 2_000;
/** The start of the program comes first; but on a busy machine this ends, too. */
const NICE = 3;

setPriority(NICE);
serveOrders(async (order) => {
  const { url, dataDir, to } = order as SampleOrder; // the program sends nothing else
  const log = createLogger('silent');
  const db = openDatabase(url, { log, name: 'strandline sample', max: MAX_CONNECTIONS, lossy: true });
  try {
    const config = { ...readConfig({}), dataDir };
    await fillSamplePast({ config, db, log }, new Date(to));
    const ending: SampleEnding = { failed: null };
    return { ending };
  } catch (error) {
    const words = error instanceof Error ? error.message : 'an unknown error';
    const ending: SampleEnding = { failed: cleanText(words, MAX_MESSAGE_LENGTH) };
    return { ending };
  } finally {
    await db.close();
  }
}, 0);
