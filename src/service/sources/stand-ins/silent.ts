/** What stands for a tool that no source answers: it says why, and what to set. */
import type { Source } from '../../../contract/enumerations.ts';
import { SourceDown } from '../../outage.ts';
import type { SearchSource } from '../../source.ts';
import type { Offered } from '../registry.ts';

export function silentSource(source: Source, offered: readonly Offered[]): SearchSource {
  const ours = offered.filter((one) => one.source === source);
  const unset = ours.filter(({ adapter }) => adapter === undefined).map(({ needs }) => needs.join(' and '));
  const asIs = ours.filter(({ adapter }) => adapter !== undefined).map(({ name }) => name);
  return {
    name: source.replace('_', '-'),
    source,
    state: 'live',
    silent: true,
    find: () =>
      Promise.reject(
        asIs.length > 0
          ? new SourceDown('source_off', { detail: `put ${asIs.join(' or ')} into SERVICE_SOURCES` })
          : new SourceDown('source_needs_key', { detail: `set ${unset.join(', or ')}` }),
      ),
  };
}
