/** What all sources of one tool have found, and why some of them have not. */
import { type ServedWarning, UNANSWERED } from '../contract/extras.ts';
import { SOURCE_OF_TOOL, type Source, TOOLS } from '../contract/enumerations.ts';
import type { Logger } from '../engine/logger.ts';
import { askSource } from './ask-source.ts';
import { type OutageCode, SourceDown } from './outage.ts';
import type { Found, Query, SearchSource } from './source.ts';
import type { Tier } from './tiers.ts';
import type { Wording } from './wordings.ts';

export type Gathering = {
  sources: readonly SearchSource[];
  log: Logger;
  tier: Tier;
  /** Of the client; aborts when it is gone. */
  signal: AbortSignal;
};

export type Gathered = {
  /** One of each source and wording, best first. */
  lists: (readonly Found[])[];
  warnings: ServedWarning[];
  /** Those that answered, and may be asked again. */
  answering: readonly SearchSource[];
};

/**
 * Asks all sources of a tool at once, those that take them under each wording.
 * @throws the client's reason once it is gone
 */
export async function gather(
  { sources, log, tier, signal }: Gathering,
  tool: Source,
  wordings: readonly Wording[],
  asked: Pick<Query, 'from' | 'to' | 'limit'>,
): Promise<Gathered> {
  const asking = sources.filter(({ source }) => source === tool);
  const replies = await Promise.all(
    asking.flatMap((source) =>
      wordings.slice(0, takesWordings(source) ? undefined : 1).map(async (wording) => {
        return { source, ...(await askSource(source, { ...wording, ...asked }, tier.sourceMs, signal)) };
      }),
    ),
  );

  const warnings: ServedWarning[] = [];
  const warn = (code: string, message: string) => warnings.push({ code, tool: labelOf(tool), message });
  if (asking.length === 0) warn('source_off', 'no source is set up for this tool');
  const failed = replies.flatMap(({ source, failure }) => (failure ? { name: source.name, ...failure } : []));
  for (const { name, code, err, message } of failed) {
    if (warnings.some((one) => one.message === message)) continue; // said already, of another wording
    warn(code, message);
    tell(log, { err, source: name, tool, code });
  }
  return {
    lists: replies.flatMap(({ found }) => (found ? [found] : [])),
    warnings,
    answering: asking.filter(({ name }) => failed.every((one) => one.name !== name)),
  };
}

/** The simulation knows what a prompt is about by itself, and would take another wording for another topic. */
export function takesWordings({ state, wordings }: SearchSource): boolean {
  return state === 'live' && wordings !== 'own';
}

/** A reason of ours says all there is to say; what is off, or wants a key, was said at the start. */
function tell(log: Logger, failure: { err: unknown; source: string; tool: Source; code: OutageCode }): void {
  const { err, ...known } = failure;
  if (failure.code === 'source_off' || failure.code === 'source_needs_key')
    log.debug(known, 'a source was not asked');
  else log.warn(err instanceof SourceDown ? { ...known, why: err.message } : failure, 'a source failed');
}

/** The warnings of a tool's first round: an empty group because nobody looked is not one where nothing was. */
export function warningsOf({ lists, warnings }: Gathered, tool: Source): ServedWarning[] {
  if (lists.length > 0) return warnings;
  const unanswered = { code: UNANSWERED, tool: labelOf(tool), message: 'no source of this tool answered' };
  return [...warnings, unanswered];
}

function labelOf(source: Source): string {
  return TOOLS.find((tool) => SOURCE_OF_TOOL[tool] === source) ?? source;
}
