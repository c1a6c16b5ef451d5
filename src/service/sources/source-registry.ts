/** Every adapter there is, and which of them are asked by what a user has set. */

import type { Source } from '../../domain/enumerations.ts';
import { InvalidInput, type Problem } from '../../domain/errors.ts';
import type { Adapter } from './adapter.ts';
import { arxiv } from './providers/arxiv.ts';
import { bluesky } from './providers/bluesky.ts';
import { brave } from './providers/brave.ts';
import { exa } from './providers/exa.ts';
import { hackerNews } from './providers/hacker-news.ts';
import { lemmy } from './providers/lemmy.ts';
import { mastodon } from './providers/mastodon.ts';
import { mediawiki } from './providers/mediawiki.ts';
import { reddit } from './providers/reddit.ts';
import { searxng } from './providers/searxng.ts';
import { tavily } from './providers/tavily.ts';
import { x } from './providers/x.ts';
import { youtube } from './providers/youtube.ts';

type RegistryEntry = {
  name: string;
  source: Source;
  /** Variables without which it cannot be asked. */
  needs: readonly string[];
  /** @param at another address than its own @returns undefined where what it needs is not set */
  make: (settings: SourceSettings, at: string | undefined, version: string) => Adapter | undefined;
};

const toServerSetting = (at: string | undefined) => (at === undefined ? {} : { server: at });

/** One line for each; of a source's several adapters the free ones first. */
// biome-ignore format: one line for each
export const SOURCE_REGISTRY: readonly RegistryEntry[] = [
  { name: 'hacker-news', source: 'news_forum', needs: [], make: (_, at) => hackerNews({ at }) },
  { name: 'mediawiki', source: 'encyclopedia', needs: [], make: (s, at) => mediawiki({ ...s.encyclopedia, at }) },
  { name: 'arxiv', source: 'preprint', needs: [], make: (_, at) => arxiv({ at }) },
  { name: 'mastodon', source: 'microblog', needs: [], make: (s, at) => mastodon({ ...s.mastodon, ...toServerSetting(at) }) },
  { name: 'bluesky', source: 'microblog', needs: ['BLUESKY_HANDLE', 'BLUESKY_APP_PASSWORD'], make: (s, at) => s.bluesky && bluesky({ ...s.bluesky, ...toServerSetting(at) }) },
  { name: 'x', source: 'microblog', needs: ['X_BEARER_TOKEN', 'X_USD_PER_DAY'], make: (s, at) => (s.x && s.x.usdPerDay > 0 ? x({ ...s.x, at }) : undefined) },
  { name: 'lemmy', source: 'discussion_board', needs: ['LEMMY_SERVER'], make: (s, at) => s.lemmy && lemmy({ ...s.lemmy, ...toServerSetting(at) }) },
  { name: 'reddit', source: 'discussion_board', needs: ['REDDIT_CLIENT_ID', 'REDDIT_CLIENT_SECRET', 'REDDIT_USERNAME'], make: (s, at, version) => s.reddit && reddit({ ...s.reddit, at, tokenAt: at, version }) },
  { name: 'youtube', source: 'video', needs: ['YOUTUBE_API_KEY'], make: (s, at) => s.youtube && youtube({ ...s.youtube, at }) },
  { name: 'searxng', source: 'web', needs: ['SEARXNG_URL'], make: (s, at) => s.searxng && searxng({ ...s.searxng, ...toServerSetting(at) }) },
  { name: 'brave', source: 'web', needs: ['BRAVE_API_KEY'], make: (s, at) => s.brave && brave({ ...s.brave, at }) },
  { name: 'tavily', source: 'web', needs: ['TAVILY_API_KEY'], make: (s, at) => s.tavily && tavily({ ...s.tavily, at }) },
  { name: 'exa', source: 'web', needs: ['EXA_API_KEY'], make: (s, at) => s.exa && exa({ ...s.exa, at }) },
];

/** Words that stand beside the names of adapters. */
const SELECTION_WORDS = ['auto', 'sandbox', 'archive'];

/** An adapter with what a user has set for it. */
export type OfferedSource = Pick<RegistryEntry, 'name' | 'source' | 'needs'> & {
  /** Undefined: what it needs is not set. */
  adapter: Adapter | undefined;
  isOn: boolean;
};

type SourceChoice = { offered: readonly OfferedSource[]; archive: boolean; sandbox: boolean };

/**
 * What is asked by these settings.
 * @param version of this program, for operators that want it said
 * @throws InvalidInput for a name that is not known, or whose key is not set
 */
export function chooseSources(settings: SourceSettings, version: string): SourceChoice {
  const { wanted, addresses } = settings;
  const isWanted = new Set(wanted);
  const auto = isWanted.has('auto');
  const offered = SOURCE_REGISTRY.map(({ make, ...line }): OfferedSource => {
    const adapter = make(settings, addresses[line.name], version);
    return { ...line, adapter, isOn: isWanted.has(line.name) || (auto && adapter !== undefined) };
  });
  const problems = [...findNameProblems(wanted, addresses), ...findKeyProblems(offered, settings)];
  if (problems.length > 0) throw new InvalidInput(problems);
  return { offered, archive: isWanted.has('archive'), sandbox: isWanted.has('sandbox') };
}

function findNameProblems(wanted: readonly string[], addresses: Readonly<Record<string, string>>): Problem[] {
  const names = SOURCE_REGISTRY.map(({ name }) => name);
  const known = [...SELECTION_WORDS, ...names];
  const path = 'SERVICE_SOURCES';
  const problems = wanted
    .filter((name) => !known.includes(name))
    .map((given): Problem => ({ path, given, expected: `one of ${known.join(', ')}` }));
  if (wanted.length === 0) problems.push({ path, given: wanted, expected: `some of ${known.join(', ')}` });
  // What is invented never stands among what is found.
  if (wanted.includes('sandbox') && wanted.length > 1)
    problems.push({ path, given: wanted, expected: 'sandbox alone, or other sources without it' });
  for (const given of Object.keys(addresses).filter((name) => !names.includes(name))) {
    problems.push({ path: 'SERVICE_SOURCE_URLS', given, expected: `one of ${names.join(', ')}` });
  }
  return problems;
}

/** Names only what is missing: the one source that can be half set is `x`, whose amount is no part of its key. */
function findKeyProblems(offered: readonly OfferedSource[], { x: paid }: SourceSettings): Problem[] {
  const isSet = (variable: string) => variable === 'X_BEARER_TOKEN' && paid !== undefined;
  return offered
    .filter(({ isOn, adapter }) => isOn && adapter === undefined)
    .map(({ name, needs }) => ({
      path: 'SERVICE_SOURCES',
      given: name,
      expected: `${needs.filter((variable) => !isSet(variable)).join(' and ')} to be set beside it`,
    }));
}

/** What a user has set for the sources; the configuration's part of it, in the service's own words. */
export type SourceSettings = {
  /**
   * Names of adapters, and the words `auto` (all that can be asked as things are), `sandbox` (the simulation
   * alone) and `archive`. A name that is not among them is refused.
   */
  wanted: readonly string[];
  /** How the operator of a source can reach whoever runs this: an address or a mailbox. */
  contact: string | undefined;
  /** Other addresses by name: a mirror, a proxy that caches. */
  addresses: Readonly<Record<string, string>>;
  encyclopedia: { language: string; dates: 'none' | 'edited' };
  bluesky: { handle: string; appPassword: string; server: string } | undefined;
  mastodon: { server: string; token: string | undefined };
  x: { bearerToken: string; usdPerDay: number } | undefined;
  /** An application that Reddit approved; where none is set, the first web source is asked for `site:reddit.com`. */
  reddit: { clientId: string; clientSecret: string; username: string } | undefined;
  lemmy: { server: string } | undefined;
  youtube: { apiKey: string } | undefined;
  searxng: { server: string } | undefined;
  brave: { apiKey: string } | undefined;
  tavily: { apiKey: string } | undefined;
  exa: { apiKey: string } | undefined;
};
