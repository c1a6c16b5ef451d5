/** All adapters, and which of them the configuration enables. */

import { InvalidInput, type Problem } from '../../model/errors.ts';
import { listNeeded, type ReadVariables, type Table } from '../../config/variable.ts';
import type { Adapter, SourceDefinition, SourceOptions } from './adapter.ts';
import { ARXIV } from './providers/arxiv.ts';
import { BLUESKY } from './providers/bluesky.ts';
import { BRAVE } from './providers/brave.ts';
import { EXA } from './providers/exa.ts';
import { FEEDS } from './providers/feeds.ts';
import { GDELT } from './providers/gdelt.ts';
import { GITHUB } from './providers/github.ts';
import { HACKER_NEWS } from './providers/hacker-news.ts';
import { LEMMY } from './providers/lemmy.ts';
import { MASTODON } from './providers/mastodon.ts';
import { MEDIAWIKI } from './providers/mediawiki.ts';
import { REDDIT } from './providers/reddit.ts';
import { SEARXNG } from './providers/searxng.ts';
import { STACK_EXCHANGE } from './providers/stack-exchange.ts';
import { TAVILY } from './providers/tavily.ts';
import { X } from './providers/x.ts';
import { YOUTUBE } from './providers/youtube.ts';

/** Free sources first. */
// biome-ignore format: one line for each
export const SOURCE_REGISTRY: readonly SourceDefinition[] = [
  HACKER_NEWS,
  MEDIAWIKI,
  ARXIV,
  MASTODON,
  BLUESKY,
  X,
  STACK_EXCHANGE,
  GITHUB,
  LEMMY,
  REDDIT,
  YOUTUBE,
  FEEDS,
  GDELT,
  SEARXNG,
  BRAVE,
  TAVILY,
  EXA,
];

/** Values of SERVICE_SOURCES besides names of adapters. */
const SELECTION_WORDS = ['auto', 'sandbox', 'archive'];

/** The variables of all sources, by name of the source. */
export const SOURCE_VARIABLES: Table = Object.fromEntries(
  SOURCE_REGISTRY.map(({ facts, variables }) => [facts.name, variables]),
);

/** Configuration of the sources: `service.sources`, where each member is described. */
export type SourceSettings = {
  wanted: readonly string[];
  contact: string | undefined;
  /** Whether found pages are opened. */
  openPages: boolean;
  addresses: Readonly<Record<string, string>>;
  read: ReadVariables;
};

/** A source with its configuration. */
export type OfferedSource = Pick<Adapter, 'name' | 'source'> & {
  /** Required variables. */
  needs: readonly string[];
  /** Undefined: required variables are missing. */
  adapter: Adapter | undefined;
  isOn: boolean;
};

type SourceChoice = { offered: readonly OfferedSource[]; archive: boolean; sandbox: boolean };

/**
 * Chooses the sources for these settings.
 * @param version of this program, sent to operators that require it
 * @throws InvalidInput for an unknown name, a missing key, or an invalid value
 */
export function chooseSources(
  settings: SourceSettings,
  version: string,
  shared: Pick<SourceOptions, 'openParser'> = {},
): SourceChoice {
  const { wanted, addresses, read } = settings;
  read(SOURCE_VARIABLES);
  const isWanted = new Set(wanted);
  const auto = isWanted.has('auto');
  const problems = findNameProblems(wanted, addresses);
  const offered = SOURCE_REGISTRY.map(({ facts: { name, source }, variables, open }): OfferedSource => {
    const needed = listNeeded(variables);
    const adapter = open(read, { ...shared, at: addresses[name], version });
    if (isWanted.has(name) && adapter === undefined) {
      const missing = needed.filter((row) => read(row) === undefined).map((row) => row.name);
      const expected =
        missing.length === 0 ? 'its variables to turn it on' : `${missing.join(' and ')} to be set as well`;
      problems.push({ path: 'SERVICE_SOURCES', given: name, expected });
    }
    const isOn = isWanted.has(name) || (auto && adapter !== undefined);
    return { name, source, needs: needed.map((row) => row.name), adapter, isOn };
  });
  if (problems.length > 0) throw new InvalidInput(problems);
  return { offered, archive: isWanted.has('archive'), sandbox: isWanted.has('sandbox') };
}

function findNameProblems(wanted: readonly string[], addresses: Readonly<Record<string, string>>): Problem[] {
  const names = SOURCE_REGISTRY.map(({ facts }) => facts.name);
  const known = [...SELECTION_WORDS, ...names];
  const path = 'SERVICE_SOURCES';
  const problems = wanted
    .filter((name) => !known.includes(name))
    .map((name): Problem => ({ path, given: name, expected: `one of ${known.join(', ')}` }));
  if (wanted.length === 0) problems.push({ path, given: wanted, expected: `some of ${known.join(', ')}` });
  // Never mix simulated and real results.
  if (wanted.includes('sandbox') && wanted.length > 1)
    problems.push({ path, given: wanted, expected: 'either sandbox or other sources, not both' });
  const addressed = SOURCE_REGISTRY.flatMap(({ facts }) => (facts.addresses === 'own' ? [] : [facts.name]));
  const unaddressed = Object.keys(addresses).filter((name) => !addressed.includes(name));
  for (const given of unaddressed)
    problems.push({ path: 'SERVICE_SOURCE_URLS', given, expected: `one of ${addressed.join(', ')}` });
  return problems;
}
