/** Many responses that must not harm a run, each to its own search, all at once. */
import assert from 'node:assert/strict';
import type { NewSearch } from '../../src/monitor/topics/save-search.ts';
import type { Script } from './service.ts';
import type { Stage } from './stage.ts';

/**
 * For rows in which no worker dies: a lease of a second, which expires on a busy machine, would cause a second call,
 * which is not allowed.
 */
export const ONE_CALL = { MAX_CALLS_PER_RUN: '1', RUN_LEASE_SECONDS: '60' } as const;

/** What the service does, and how the run ends: a code of the closed list, or `succeeded`. */
export type Case = readonly [what: string, script: Script, outcome: string];

/** @returns the first run of each, in the order of the cases */
export async function playCases(
  stage: Stage,
  cases: readonly Case[],
  more: Partial<NewSearch> = {},
): Promise<bigint[]> {
  cases.forEach(([, script], n) => stage.service.answers(script, String(n + 1)));
  const runs: bigint[] = [];
  for (const n of cases.keys()) runs.push((await stage.add(n + 1, more)).runId);
  if (stage.workers().length === 0) await stage.start();
  const came: [string, string][] = [];
  for (const [n, runId] of runs.entries()) {
    const { status, code } = await stage.ended(runId);
    came.push([cases[n]?.[0] ?? '', code ?? status]);
  }
  assert.deepEqual(
    came,
    cases.map(([what, , outcome]) => [what, outcome]),
  );
  return runs;
}

/** Ends the random pauses of runs that wait for a retry: the next scan enqueues them. */
export async function hasten(stage: Stage): Promise<void> {
  await stage.rows(
    `UPDATE strandline.runs SET not_before = NULL, offer_at = created_at WHERE status = 'queued' AND not_before IS NOT NULL`,
  );
}
