/**
 * Which way imports go: the one place that says it. `imports.ts` checks it and renders it into `docs/internals/architecture.md`
 * (`npm run -s imports:page`).
 */

/**
 * From the bottom up: a unit of `src`, and what it may import besides itself, always from rows above its own. A unit is
 * one or more files or folders (with a slash). `type:` allows types only, `not:` excepts a part of what is allowed; the
 * most specific word decides, and of two equal ones the last.
 */
export type Rule = readonly [unit: string, allowed: string];

/** All rows above. */
export const ABOVE = '*';

const CONTEXT = 'lib/ model/ store/ monitor/context.ts';
/** Entry points call the monitor's functions and the store's queries: they do not save, parse, or call a service. */
const ENTRY = `lib/ model/ config/ platform/ not:platform/network.ts not:platform/postgres/ not:platform/queue/
  not:platform/vault.ts store/ not:store/save/ not:store/runs/slots.ts not:store/topics/search-states.ts monitor/ not:monitor/client/ not:monitor/parse/`;

// biome-ignore format: one line for each
export const RULES: readonly Rule[] = [
  ['lib/', ''],
  ['model/', 'lib/'],
  ['platform/', 'lib/ model/'],
  ['config/', 'lib/ model/ platform/small-file.ts'],
  ['protocol/', 'lib/ model/ platform/small-file.ts'],
  ['store/', 'lib/ model/ config/ platform/'],
  // Both programs show answers to people.
  ['web/components/untrusted-text.tsx web/components/page-html.ts web/components/asset-files.ts web/answer/', 'lib/ model/'],
  ['service/', 'lib/ model/ config/variable.ts protocol/ web/components/untrusted-text.tsx web/components/page-html.ts web/components/asset-files.ts web/answer/ platform/http/security-headers.ts platform/child-frames.ts platform/child-host.ts platform/client-address.ts platform/clock.ts platform/keys.ts platform/listen.ts platform/logger.ts platform/network.ts platform/small-file.ts'],
  ['monitor/parse/', 'lib/ model/ protocol/'],
  ['monitor/client/', 'lib/ model/ protocol/ config/version.ts platform/clock.ts'],
  ['monitor/trends/rules/', 'lib/ model/'],
  ['monitor/context.ts monitor/enqueue.ts monitor/held-changes.ts', 'lib/ model/ store/ type:config/ type:platform/'],
  ['monitor/put.ts', 'model/'],
  ['monitor/access/visitor-scopes.ts', 'type:store/'],
  ['monitor/typed-values.ts', 'lib/'],
  ['monitor/operation.ts', 'type:monitor/access/visitor-scopes.ts type:monitor/context.ts type:monitor/typed-values.ts'],
  ['monitor/common-inputs.ts', 'lib/ model/ monitor/operation.ts'],
  // Shapes of operations are pure.
  ['monitor/access/token-shapes.ts monitor/alerts/delivery-shapes.ts', 'model/ monitor/operation.ts monitor/typed-values.ts monitor/access/visitor-scopes.ts'],
  ['monitor/access/', `${CONTEXT} monitor/common-inputs.ts monitor/operation.ts monitor/access/visitor-scopes.ts monitor/access/token-shapes.ts platform/clock.ts platform/keys.ts platform/network.ts`],
  ['monitor/events/', CONTEXT],
  ['monitor/export/', `${CONTEXT} config/version.ts`],
  ['monitor/items/item-shapes.ts', 'store/'],
  ['monitor/trends/search-trends.ts monitor/trends/read-share-of-voice.ts', 'lib/ store/ monitor/context.ts monitor/trends/rules/'],
  ['monitor/schedule/', `${CONTEXT} config/ platform/clock.ts monitor/enqueue.ts`],
  ['monitor/derive/', `${CONTEXT} platform/run-cooperatively.ts monitor/trends/rules/ monitor/schedule/`],
  ['monitor/topics/topic-inputs.ts', 'model/ protocol/ monitor/operation.ts monitor/schedule/schedule.ts'],
  ['monitor/topics/', `${CONTEXT} config/ protocol/ monitor/enqueue.ts monitor/held-changes.ts monitor/put.ts monitor/schedule/`],
  ['monitor/trends/', `${CONTEXT} monitor/common-inputs.ts monitor/operation.ts monitor/items/item-shapes.ts monitor/topics/find-by-slug.ts monitor/trends/search-trends.ts monitor/trends/read-share-of-voice.ts monitor/trends/rules/ platform/run-cooperatively.ts`],
  ['monitor/names/', `${CONTEXT} monitor/operation.ts monitor/topics/find-by-slug.ts monitor/trends/trend-operation.ts`],
  ['monitor/notes/', `${CONTEXT} monitor/common-inputs.ts monitor/operation.ts monitor/topics/find-by-slug.ts`],
  ['monitor/repeat-pass.ts', 'monitor/context.ts'],
  ['monitor/goals/', `${CONTEXT} monitor/common-inputs.ts monitor/operation.ts monitor/repeat-pass.ts monitor/topics/`],
  ['monitor/derive/rebuild-operations.ts', 'monitor/common-inputs.ts monitor/operation.ts monitor/topics/find-by-slug.ts monitor/derive/'],
  ['monitor/alerts/problem-words.ts', 'lib/ model/ store/'],
  ['monitor/status/', `${CONTEXT} config/ monitor/alerts/problem-words.ts monitor/schedule/`],
  ['monitor/topics/state-operations.ts', `lib/ model/ store/ monitor/operation.ts monitor/status/ monitor/topics/`],
  ['monitor/digests/digest-inputs.ts monitor/digests/digest-shapes.ts', 'model/ monitor/common-inputs.ts monitor/operation.ts'],
  ['monitor/digests/', `${CONTEXT} monitor/operation.ts monitor/alerts/problem-words.ts monitor/digests/digest-inputs.ts monitor/digests/digest-shapes.ts monitor/schedule/ monitor/status/ monitor/topics/find-by-slug.ts monitor/trends/rules/reason-sentence.ts`],
  ['monitor/items/find-items.ts', 'model/ store/ monitor/context.ts monitor/topics/'],
  ['monitor/runs/', `${CONTEXT} monitor/common-inputs.ts monitor/items/item-shapes.ts monitor/operation.ts config/ protocol/ platform/clock.ts platform/run-cooperatively.ts monitor/client/ monitor/parse/ monitor/schedule/ monitor/topics/`],
  ['monitor/alerts/', `${CONTEXT} monitor/operation.ts monitor/put.ts monitor/access/visitor-scopes.ts monitor/alerts/delivery-shapes.ts monitor/alerts/problem-words.ts monitor/digests/ monitor/schedule/ protocol/ platform/clock.ts platform/network.ts platform/vault.ts platform/http/allowed-hosts.ts type:config/config.ts monitor/topics/find-by-slug.ts`],
  ['monitor/translations/', `${CONTEXT} monitor/repeat-pass.ts`],
  ['monitor/briefs/', `${CONTEXT} monitor/alerts/enqueue-channels.ts monitor/digests/ monitor/repeat-pass.ts`],
  ['monitor/status/status-operations.ts', 'model/ store/ monitor/context.ts monitor/operation.ts monitor/alerts/problem-operations.ts monitor/status/'],
  ['monitor/feeds/', `${CONTEXT} monitor/operation.ts config/version.ts platform/keys.ts monitor/topics/find-by-slug.ts`],
  ['monitor/sources/', `${CONTEXT} protocol/ monitor/operation.ts monitor/client/ monitor/topics/`],
  ['monitor/runs/trial-shapes.ts', 'model/'],
  ['monitor/topics/note-members.ts', ''],
  ['monitor/topics/search-shapes.ts', 'model/ store/ monitor/status/status-shapes.ts monitor/topics/note-members.ts'],
  ['monitor/erase/', 'model/ store/ monitor/context.ts monitor/operation.ts'],
  ['monitor/topics/topic-operations.ts monitor/topics/search-operations.ts monitor/topics/purge-operations.ts', 'model/ store/ monitor/common-inputs.ts monitor/context.ts monitor/enqueue.ts monitor/operation.ts monitor/runs/ monitor/schedule/ monitor/status/ monitor/topics/ monitor/sources/'],
  ['monitor/system-events/', `${CONTEXT} platform/presence.ts monitor/alerts/ monitor/status/`],
  ['monitor/recurring-work.ts', `lib/ store/ monitor/context.ts platform/clock.ts monitor/alerts/ monitor/schedule/plan-digests.ts monitor/system-events/`],
  ['monitor/http/', `${CONTEXT} config/version.ts type:protocol/ platform/ monitor/access/`],
  ['monitor/request-parts.ts monitor/invoke.ts', 'lib/ model/ monitor/operation.ts monitor/http/'],
  ['monitor/items/', `${CONTEXT} monitor/common-inputs.ts monitor/operation.ts monitor/topics/find-by-slug.ts monitor/runs/run-shapes.ts monitor/items/item-shapes.ts monitor/items/find-items.ts monitor/status/status-shapes.ts monitor/typed-values.ts monitor/http/ config/version.ts`],
  ['monitor/items/first-view-operation.ts', 'model/ store/ monitor/operation.ts monitor/runs/trial-shapes.ts monitor/topics/ monitor/items/discovery-operations.ts'],
  ['monitor/watch-file/write-yaml.ts', 'lib/'],
  ['monitor/watch-file/', `${CONTEXT} config/ platform/vault.ts protocol/ monitor/operation.ts monitor/held-changes.ts monitor/access/visitor-scopes.ts monitor/alerts/ monitor/http/ monitor/names/ monitor/schedule/ monitor/sources/ monitor/topics/`],
  ['api/', `${ENTRY} protocol/`],
  ['web/', `${ENTRY} type:protocol/ web/answer/ web/components/untrusted-text.tsx web/components/page-html.ts web/components/asset-files.ts`],
  ['mcp/', `${ENTRY} protocol/specification.ts`],
  ['worker/', 'lib/ model/ type:platform/logger.ts platform/presence.ts platform/queue/ store/ not:store/save/ not:store/runs/slots.ts not:store/topics/search-states.ts monitor/'],
  ['app/', ABOVE],
  ['cli/', `${ENTRY} platform/queue/connection.ts app/ worker/ mcp/`],
  ['main.ts', ABOVE],
];

/** Packages that only some of us may know. */
export const PACKAGES: Readonly<Record<string, string>> = {
  'drizzle-orm': 'store/',
  bullmq: 'platform/queue/',
  '@modelcontextprotocol/server': 'mcp/tool-server.ts',
  undici: 'monitor/client/ monitor/alerts/ service/sources/ service/answering/',
};

/** Words that only one file may say, with a line that must not pass elsewhere. */
export type Word = { what: string; word: RegExp; only: string; planted: string };

// biome-ignore format: one line for each
export const WORDS: readonly Word[] = [
  { what: 'process.env', word: /\bprocess\s*\.\s*env\b|\{[^{}]*\benv\b[^{}]*\}\s*=\s*process\b/, only: 'config/environment.ts', planted: "export const home = process.env['HOME'];" },
  { what: 'Date.now()', word: /\bDate\s*\.\s*now\b/, only: 'platform/clock.ts', planted: 'export const now = Date.now();' },
  { what: 'new Date() without a time', word: /\bnew\s+Date\s*(?:\(\s*\)|(?![\s(<\w]))|(?<!\bnew\s+)\bDate\s*\(\s*\)/, only: 'platform/clock.ts', planted: 'export const now = new Date();' },
  { what: 'URL.canParse', word: /\bURL\s*\.\s*canParse\b/, only: 'none', planted: "export const known = URL.canParse('http://a.example');" },
  { what: 'sql.raw', word: /\bsql\s*\.\s*raw\b/, only: 'none', planted: 'export const ordered = sql.raw(given);' },
];
