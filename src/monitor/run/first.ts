import type { RunRow } from '../../store/reads/runs.ts';

/** Whether a run was the first of its search to succeed, so that there is nothing before it to compare with. */
export function isFirstOfSearch({ baseline, request_version }: RunRow): boolean {
  return baseline && request_version === 1;
}
