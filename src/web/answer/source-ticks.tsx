/** The sources that are asked for an answer, with a tick as each responds. */
import type { AskedSource } from '../../model/asked-source.ts';
import { formatCount, formatTenths } from '../../lib/display-format.ts';
import { isUnconfigured } from '../../model/tool-coverage.ts';
import { UntrustedText } from '../components/untrusted-text.tsx';

/** Those that somebody configured: others were not asked. */
export function listConfigured(sources: readonly AskedSource[]): AskedSource[] {
  return sources.filter(({ code }) => !isUnconfigured(code));
}

/** `Asking 8 sources`, `7 of 8 sources responded`. */
export function describeAsked(sources: readonly AskedSource[]): string {
  const configured = listConfigured(sources);
  const pending = configured.some(({ state }) => state === 'asked');
  if (pending) return `Asking ${formatCount(configured.length, 'source')}`;
  const answered = configured.filter(({ state }) => state === 'answered').length;
  return answered === configured.length
    ? `${formatCount(configured.length, 'source')} responded`
    : `${answered} of ${formatCount(configured.length, 'source')} responded`;
}

export function SourceTicks({ sources }: { sources: readonly AskedSource[] }) {
  return (
    <ul class="asked">
      {listConfigured(sources).map((source) => (
        <SourceTick source={source} />
      ))}
    </ul>
  );
}

/** One source in a few words; its tooltip says what it was asked. */
export function SourceTick({ source }: { source: AskedSource }) {
  const { source: name, tool, state, results, ms } = source;
  const kind = state === 'answered' && results === 0 ? 'empty' : state;
  return (
    <li class={`asked-source is-${kind}`} title={tool}>
      <span class="asked-sign" aria-hidden="true">
        {SIGNS[kind]}
      </span>
      <span>
        <UntrustedText text={name} most={40} />
      </span>
      <span class="asked-more">
        {kind === 'asked' ? (
          'asked'
        ) : kind === 'failed' ? (
          <UntrustedText text={describeFailure(source)} most={120} />
        ) : (
          <>
            {results === 0 ? 'nothing' : formatCount(results, 'result')}
            {ms === null ? '' : `, ${formatTenths(ms / 1_000)} s`}
          </>
        )}
      </span>
    </li>
  );
}

const SIGNS = { asked: '…', answered: '✓', empty: '○', failed: '✗' } as const;

/** Messages begin with the name of the source, which is beside them. */
export function describeFailure({ source, message }: AskedSource): string {
  if (message === null) return 'failed';
  return message.startsWith(`${source} `) ? message.slice(source.length + 1) : message;
}
