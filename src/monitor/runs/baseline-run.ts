import type { RunRow } from '../../store/queries/run-list.ts';

/** Whether a run was the first of its search to succeed, so that there is nothing before it to compare with. */
export function isBaselineRun({ baseline, request_version }: RunRow): boolean {
  return baseline && request_version === 1;
}
