/** Whether the sources that need no key can be reached from here. */
import { SECOND } from '../../engine/clock.ts';
import { SourceDown } from '../outage.ts';
import type { LiveSource } from './live.ts';
import type { SourceStatement } from './registry.ts';

const PATIENCE_MS = 2 * SECOND;

export type Probed = Pick<SourceStatement, 'name' | 'source' | 'title'> & {
  /** `unasked`: it is on, and has a key, or no small question. */
  outcome: 'reachable' | 'unreachable' | 'unasked' | 'off';
  /** For a person: `reachable`, `not reachable (did not answer in time)`, `needs BRAVE_API_KEY`. */
  words: string;
};

/** One line for each statement, in their order; after two seconds at most. Never throws. */
export async function probeSources(
  statements: readonly SourceStatement[],
  live: readonly LiveSource[],
): Promise<Probed[]> {
  const signal = AbortSignal.timeout(PATIENCE_MS);
  return Promise.all(
    statements.map(async ({ name, source, title, state, reason }) => {
      const result =
        state === 'off'
          ? off(reason)
          : await ask(
              live.find((one) => one.name === name),
              signal,
            );
      return { name, source, title, ...result };
    }),
  );
}

type Result = Pick<Probed, 'outcome' | 'words'>;

function off(reason: string | undefined): Result {
  return { outcome: 'off', words: reason ?? 'off' };
}

async function ask(source: LiveSource | undefined, signal: AbortSignal): Promise<Result> {
  try {
    if (await source?.probe(signal)) return { outcome: 'reachable', words: 'reachable' };
    return { outcome: 'unasked', words: 'on' };
  } catch (error) {
    const why = error instanceof SourceDown ? error.message : 'failed';
    return { outcome: 'unreachable', words: `not reachable (${why})` };
  }
}
