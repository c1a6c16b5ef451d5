/** What the monitor has collected, as a source for each tool. */
import { SOURCES } from '../../../contract/enumerations.ts';
import type { Archive } from '../../ports.ts';
import type { SearchSource } from '../../source.ts';

export function archiveSources(archive: Archive): SearchSource[] {
  return SOURCES.map((source) => ({
    name: `archive-${source.replace('_', '-')}`,
    source,
    state: 'live',
    // It weighs every word of the prompt, and needs none to occur.
    wordings: 'own',
    find: ({ prompt, from, to, limit, signal }) => archive.find({ prompt, source, from, to, limit, signal }),
  }));
}
