import type { RawResponse } from '../../store/responses.ts';
import type { ClaimedRun } from '../../store/runs.ts';
import { loadDialect } from '../../contract/dialect.ts';
import { readingAnswer } from '../read/answer.ts';
import type { Findings } from '../read/findings.ts';
import { inTurns } from '../read/in-turns.ts';
import { UnreadableAnswer } from '../read/reject.ts';
import { nobodyAnswered } from '../read/warnings.ts';

/**
 * Reads meaning into a stored response. Pure: the same bytes give the same findings, today and in a replay.
 * In turns, so that whatever was sent, leases are renewed and other runs go on meanwhile.
 * @throws UnreadableAnswer where it is of no use; `sources_down` where it holds nothing because nobody
 *   the service asked has answered: what was not looked at is not "nothing there"
 */
export async function readFindings(
  run: Pick<ClaimedRun, 'operation' | 'dialect' | 'tools'>,
  response: RawResponse,
): Promise<Findings> {
  const reading = readingAnswer({
    operation: run.operation,
    body: response.body,
    contentType: response.contentType,
    dialect: loadDialect(run.dialect),
  });
  const findings = await inTurns(reading);
  const why = nobodyAnswered(findings, run.operation === 'ai' ? new Set(run.tools).size : 1);
  if (why !== null) throw new UnreadableAnswer('sources_down', { detail: why, rejects: findings.rejects });
  return findings;
}
