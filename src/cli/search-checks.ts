/** `doctor` checks of what searches use: the language model and public sources. */

import type { ProbeResult } from '../app/service-access.ts';
import type { Config } from '../config/config.ts';
import { SECOND } from '../lib/time.ts';
import { advisoryCheck, type Check, passedCheck } from '../monitor/status/check.ts';
import { checkAddress } from './address-check.ts';

const MODEL_CONNECT_TIMEOUT_MS = 2 * SECOND;

/** Without a language model, completions quote their sources, so this is advisory. */
export async function checkModel({ service: { model } }: Config): Promise<Check[]> {
  if (model === undefined) return [];
  const advice = 'check LLM_BASE_URL; until it answers, completions quote their sources';
  const judged = { timeoutMs: MODEL_CONNECT_TIMEOUT_MS, judge: advisoryCheck, advice };
  return [await checkAddress('language model', model.baseUrl, judged)];
}

/** One check per configured public source, and one for those that are off; advisory, because the sandbox works without them. */
export function checkSources(probed: readonly ProbeResult[]): Check[] {
  const enabled = probed.filter(({ outcome }) => outcome !== 'off');
  if (enabled.length === 0)
    return [advisoryCheck('sources', 'none configured', 'see SERVICE_SOURCES in docs/reference/sources.md')];
  const off = probed
    .filter(({ outcome }) => outcome === 'off')
    .map(({ name, words }) => `${name} (${words})`);
  const checks = enabled.map(({ name, source, outcome, words, problems = [] }) => {
    const check = `source ${name} (${source})`;
    if (problems.length > 0) return advisoryCheck(check, problems.join('; '), 'fix or remove these');
    return outcome === 'unreachable'
      ? advisoryCheck(check, words, 'check the network')
      : passedCheck(check, words);
  });
  return off.length === 0 ? checks : [...checks, passedCheck('sources that are off', off.join(', '))];
}
