import type { Config } from '../../config.ts';
import { maskUrl } from '../../contract/mask-url.ts';
import { MASK } from './secrets.ts';

export type Value = string | number | null;
export type Variable = readonly [
  name: string,
  read: (config: Config, graceMs: number) => Value,
  unit?: string,
];

const hidden = (secret: string | undefined) => (secret === undefined ? null : MASK);
const url = (address: string | undefined) => (address === undefined ? null : maskUrl(address));

/** The search service's variables, its sources' and its writer's, with what holds for each. */
export const SERVICE_VARIABLES: readonly Variable[] = [
  ['SERVICE_CALLS_PER_MINUTE', (c) => c.service.callsPerMinute, 'calls of one key'],
  ['SERVICE_SOURCES', (c) => c.service.sources.wanted.join(',')],
  ['SERVICE_CONTACT', (c) => c.service.sources.contact ?? null],
  ['SERVICE_SOURCE_URLS', (c) => pairs(c.service.sources.addresses)],
  ['SERVICE_WEB_GROUP', (c) => String(c.service.webGroup)],
  ['ENCYCLOPEDIA_LANGUAGE', (c) => c.service.sources.encyclopedia.language],
  ['ENCYCLOPEDIA_DATE_MODE', (c) => c.service.sources.encyclopedia.dates],
  ['BLUESKY_HANDLE', (c) => c.service.sources.bluesky?.handle ?? null],
  ['BLUESKY_APP_PASSWORD', (c) => hidden(c.service.sources.bluesky?.appPassword)],
  ['BLUESKY_SERVER', (c) => url(c.service.sources.bluesky?.server)],
  ['MASTODON_SERVER', (c) => url(c.service.sources.mastodon.server)],
  ['MASTODON_TOKEN', (c) => hidden(c.service.sources.mastodon.token)],
  ['X_BEARER_TOKEN', (c) => hidden(c.service.sources.x?.bearerToken)],
  ['X_USD_PER_DAY', (c) => c.service.sources.x?.usdPerDay ?? 0, 'dollars'],
  ['REDDIT_CLIENT_ID', (c) => c.service.sources.reddit?.clientId ?? null],
  ['REDDIT_CLIENT_SECRET', (c) => hidden(c.service.sources.reddit?.clientSecret)],
  ['REDDIT_USERNAME', (c) => c.service.sources.reddit?.username ?? null],
  ['LEMMY_SERVER', (c) => url(c.service.sources.lemmy?.server)],
  ['YOUTUBE_API_KEY', (c) => hidden(c.service.sources.youtube?.apiKey)],
  ['SEARXNG_URL', (c) => url(c.service.sources.searxng?.server)],
  ['BRAVE_API_KEY', (c) => hidden(c.service.sources.brave?.apiKey)],
  ['TAVILY_API_KEY', (c) => hidden(c.service.sources.tavily?.apiKey)],
  ['EXA_API_KEY', (c) => hidden(c.service.sources.exa?.apiKey)],
  ['LLM_BASE_URL', (c) => url(c.service.model?.baseUrl)],
  ['LLM_API_KEY', (c) => hidden(c.service.model?.apiKey)],
  ['LLM_MODEL', (c) => c.service.model?.model ?? null],
];

function pairs(addresses: Readonly<Record<string, string>>): string | null {
  const shown = Object.entries(addresses).map(([name, address]) => `${name}=${maskUrl(address)}`);
  return shown.length === 0 ? null : shown.join(',');
}
