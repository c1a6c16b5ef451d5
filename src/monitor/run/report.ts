import type { RunCode } from '../../errors.ts';
import type { Id } from '../../store/database.ts';
import type { ClaimedRun } from '../../store/runs.ts';
import type { Diff } from '../../store/save/save-responses.ts';
import type { Findings } from '../read/findings.ts';

/** How a run's journey ended here, for whoever shows it. */
export type RunReport = {
  runId: Id;
  search: string;
  topic: string;
  trigger: ClaimedRun['trigger'];
  service: string;
} & (
  | { status: 'succeeded'; diff: Diff; posts: number; links: number; authors: number; rejected: number }
  | { status: 'failed'; code: RunCode; detail: string | undefined }
  | { status: 'retry'; code: RunCode; detail: string | undefined; notBefore: Date }
  /** Given back or taken over; somebody else goes on with it. */
  | { status: 'released'; code: RunCode }
);

export function reportOf(
  run: ClaimedRun,
): Pick<RunReport, 'runId' | 'search' | 'topic' | 'trigger' | 'service'> {
  return { runId: run.id, search: run.search, topic: run.topic, trigger: run.trigger, service: run.service };
}

export function succeeded(run: ClaimedRun, findings: Findings, diff: Diff): RunReport {
  return {
    ...reportOf(run),
    status: 'succeeded',
    diff,
    posts: findings.posts.length,
    links: findings.links.length,
    authors: findings.authors.length,
    rejected: findings.rejects.length,
  };
}
