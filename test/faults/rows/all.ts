import type { Row } from '../row.ts';
import { CRASH } from './crash.ts';
import { DATABASE } from './database.ts';
import { STORM } from './nemesis.ts';
import { QUEUE } from './queue.ts';
import { SCHEDULER } from './scheduler.ts';

/** The fault table, in its order. */
export const ROWS: readonly Row[] = [...SCHEDULER, ...CRASH, ...DATABASE, ...QUEUE, ...STORM];
