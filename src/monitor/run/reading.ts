import type { KeptAnswer } from '../../store/ledger.ts';
import type { ClaimedRun } from '../../store/runs.ts';
import { loadDialect } from '../../contract/dialect.ts';
import { readAnswer } from '../read/answer.ts';
import type { Findings } from '../read/findings.ts';

/** Reads meaning into a kept answer. Pure: the same bytes give the same findings, today and in a replay. */
export function readFindings(run: Pick<ClaimedRun, 'operation' | 'dialect'>, answer: KeptAnswer): Findings {
  return readAnswer({
    operation: run.operation,
    body: answer.body,
    contentType: answer.contentType,
    dialect: loadDialect(run.dialect),
  });
}
