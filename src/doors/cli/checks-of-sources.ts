/** What the doctor says of what completions and one's own searches are made from: nothing stops without it. */
import type { Config } from '../../config.ts';
import { SECOND } from '../../engine/clock.ts';
import type { Probed } from '../../service-access.ts';
import { aside, type Check, good, sayingOf } from './check.ts';
import { reach } from './reach.ts';

const MODEL_PATIENCE_MS = 2 * SECOND;

/** The language model is connected to and told nothing. Without it sentences are quoted: no reason to fail. */
export async function checkModel({ service: { model } }: Config): Promise<Check[]> {
  if (model === undefined) return [];
  const { host } = new URL(model.baseUrl);
  try {
    await reach(model.baseUrl, MODEL_PATIENCE_MS);
    return [good('language model', `${host} accepts connections`)];
  } catch (error) {
    return [
      aside(
        'language model',
        `${host} cannot be reached: ${sayingOf(error)}`,
        'check LLM_BASE_URL; until it answers, completions quote their sources',
      ),
    ];
  }
}

/** A line for each public source that is asked; where none can be reached the sandbox is left, so that is only noted. */
export function checksOfSources(probed: readonly Probed[]): Check[] {
  const asked = probed.filter(({ outcome }) => outcome !== 'off');
  if (asked.length === 0)
    return [aside('sources', 'none is asked', 'see SERVICE_SOURCES in docs/sources.md')];
  return asked.map(({ name, source, outcome, words }) => {
    const check = `source ${name} (${source})`;
    return outcome === 'unreachable'
      ? aside(check, words, 'nothing is found there until it answers; check the network')
      : good(check, words);
  });
}
