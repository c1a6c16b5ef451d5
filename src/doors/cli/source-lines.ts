import type { LocalService, Probed } from '../../service-access.ts';

/**
 * What the search service can ask from here: one line for each source that is asked, one for all that are
 * off, and what follows from it.
 */
export function sourceLines(probed: readonly Probed[], root: LocalService['root']): string[] {
  const asked = probed.filter(({ outcome }) => outcome !== 'off');
  const off = probed.filter(({ outcome }) => outcome === 'off').map(({ name }) => name);
  if (asked.length === 0 && root === 'sandbox')
    return ['all seven simulated (sandbox); nothing outside is called'];
  const width = Math.max(0, ...asked.map(({ name }) => name.length));
  return [
    ...asked.map(({ name, words }) => `${name.padEnd(width)}  ${words}`),
    ...(off.length === 0 ? [] : [`off: ${off.join(', ')}; docs/sources.md says what each needs`]),
    root === 'live'
      ? 'what you watch is looked for there; the sandbox stays beside it'
      : 'none answers just now: what you watch is looked for in the sandbox, which is invented',
  ];
}
