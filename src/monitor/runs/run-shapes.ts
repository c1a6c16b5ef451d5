/** Rows of runs in replies. */
import { defineRow } from '../../store/db/row-shapes.ts';

export const Run = defineRow('Run', 'runs');
export const RunTool = defineRow('RunTool', 'run_tools');
export const Call = defineRow('Call', 'calls');
export const Reject = defineRow('Reject', 'rejects');
