import type { LocalService, Probed } from '../../service-access.ts';

type Consequence = Readonly<Record<LocalService['root'], string>>;

/**
 * What the search service can ask from here: one line for each source that is asked, one for all that are
 * off, and what follows from it.
 */
export function sourceLines(
  probed: readonly Probed[],
  root: LocalService['root'],
  consequence: Consequence,
): string[] {
  const asked = probed.filter(({ outcome }) => outcome !== 'off');
  const off = probed.filter(({ outcome }) => outcome === 'off').map(({ name }) => name);
  if (asked.length === 0 && root === 'sandbox')
    return ['all seven simulated (sandbox); nothing outside is called'];
  const width = Math.max(0, ...asked.map(({ name }) => name.length));
  return [
    ...asked.map(({ name, words }) => `${name.padEnd(width)}  ${words}`),
    ...(off.length === 0 ? [] : [`off: ${off.join(', ')}; docs/sources.md says what each needs`]),
    consequence[root],
  ];
}

/** For whoever watches through it. */
export const FOR_WATCHERS: Consequence = {
  live: 'what you watch is looked for there; the sandbox stays beside it',
  sandbox: 'none answers just now: what you watch is looked for in the sandbox, which is invented',
};

/** For whoever calls it. */
export const FOR_CALLERS: Consequence = {
  live: 'the root answers from these; /sandbox is invented',
  sandbox:
    'none answers just now: until the next start the root answers from the sandbox, which is invented; /live asks them',
};
