import type { Row } from '../row.ts';
import { CLOCK } from './clock.ts';
import { CRASH } from './crash.ts';
import { DATABASE } from './database.ts';
import { STORM } from './nemesis.ts';
import { QUEUE } from './queue.ts';
import { SCHEDULER } from './scheduler.ts';
import { CONNECTION } from './upstream-connection.ts';
import { SIZE } from './upstream-size.ts';
import { STREAM } from './upstream-stream.ts';
import { UPSTREAM } from './upstream.ts';

/** The fault table, in its order. */
export const ROWS: readonly Row[] = [
  ...SCHEDULER,
  ...CRASH,
  ...DATABASE,
  ...QUEUE,
  ...UPSTREAM,
  ...CONNECTION,
  ...SIZE,
  ...STREAM,
  ...CLOCK,
  ...STORM,
];
