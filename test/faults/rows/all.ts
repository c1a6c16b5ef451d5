import type { Row } from '../row.ts';
import { ALERTS } from './alerts.ts';
import { CLOCK } from './clock.ts';
import { COMMAND_LINE } from './command-line.ts';
import { CRASH } from './crash.ts';
import { DATABASE_FULL } from './database-full.ts';
import { DATABASE } from './database.ts';
import { EMBEDDED } from './embedded.ts';
import { DERIVE } from './derive.ts';
import { DOORS } from './doors.ts';
import { STORM } from './nemesis.ts';
import { PAIRS } from './pairs.ts';
import { PAYLOAD } from './payload.ts';
import { QUEUE } from './queue.ts';
import { SCAN } from './scan.ts';
import { SCHEDULER } from './scheduler.ts';
import { SAVE_TOGETHER } from './save-together.ts';
import { SECRETS } from './secrets.ts';
import { TOGETHER } from './together.ts';
import { BUDGET } from './upstream-budget.ts';
import { UPGRADE } from './upgrade.ts';
import { CONNECTION } from './upstream-connection.ts';
import { SHAPE } from './upstream-shape.ts';
import { SIZE } from './upstream-size.ts';
import { STREAM } from './upstream-stream.ts';
import { UPSTREAM } from './upstream.ts';

/** The fault table, in its order. */
export const ROWS: readonly Row[] = [
  ...SCAN,
  ...SCHEDULER,
  ...CRASH,
  ...TOGETHER,
  ...SAVE_TOGETHER,
  ...DERIVE,
  ...DATABASE,
  ...DATABASE_FULL,
  ...EMBEDDED,
  ...QUEUE,
  ...UPSTREAM,
  ...CONNECTION,
  ...SIZE,
  ...STREAM,
  ...SHAPE,
  ...BUDGET,
  ...PAYLOAD,
  ...ALERTS,
  ...DOORS,
  ...COMMAND_LINE,
  ...SECRETS,
  ...UPGRADE,
  ...CLOCK,
  ...PAIRS,
  ...STORM,
];
