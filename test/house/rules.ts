/**
 * Which way imports go: the one place that says it. `imports.ts` checks it and renders it into `docs/architecture.md`
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

const BASE = 'domain/ platform/clock.ts';
const CONTEXT = `${BASE} store/ monitor/context.ts`;
/** Entry points call the monitor's functions and the store's queries: they do not save, parse, or call a service. */
const ENTRY = `domain/ config/ platform/ not:platform/network.ts not:platform/postgres/ not:platform/queue/
  not:platform/vault.ts store/ not:store/save/ not:store/slots.ts monitor/ not:monitor/client/ not:monitor/parse/`;

// biome-ignore format: one line for each
export const RULES: readonly Rule[] = [
  ['domain/', ''],
  ['platform/', 'domain/'],
  ['config/', 'domain/ platform/small-file.ts'],
  ['protocol/', 'domain/ platform/small-file.ts'],
  ['service/', `${BASE} protocol/ platform/keys.ts platform/listen.ts platform/logger.ts`],
  ['monitor/parse/', 'domain/ protocol/'],
  ['monitor/client/', `${BASE} protocol/`],
  ['monitor/trends/rules/', 'platform/clock.ts'],
  ['store/', 'domain/ config/ protocol/ platform/'],
  ['monitor/context.ts monitor/enqueue.ts', 'type:config/ type:platform/ platform/clock.ts store/'],
  ['monitor/access/', `${CONTEXT} platform/keys.ts`],
  ['monitor/events/', CONTEXT],
  ['monitor/export/', 'domain/ config/version.ts store/ monitor/context.ts'],
  ['monitor/trends/', `platform/clock.ts store/ monitor/context.ts monitor/trends/rules/`],
  ['monitor/derive/', `platform/clock.ts store/ monitor/context.ts monitor/trends/rules/`],
  ['monitor/schedule/', `${CONTEXT} monitor/enqueue.ts`],
  ['monitor/status/', `${CONTEXT} config/ monitor/schedule/`],
  ['monitor/topics/', `${CONTEXT} config/ protocol/ monitor/enqueue.ts monitor/schedule/`],
  ['monitor/runs/', `${CONTEXT} config/ protocol/ monitor/client/ monitor/parse/ monitor/schedule/ monitor/topics/`],
  ['monitor/alerts/', `${CONTEXT} protocol/ platform/network.ts platform/vault.ts`],
  ['monitor/recurring-work.ts', 'platform/clock.ts store/ monitor/context.ts monitor/alerts/'],
  ['monitor/http/', `${CONTEXT} platform/ monitor/access/`],
  ['api/', `${ENTRY} protocol/`],
  ['web/', `${ENTRY} protocol/`],
  ['app/', ABOVE],
  ['worker/', `${BASE} platform/queue/ store/ not:store/save/ not:store/slots.ts monitor/`],
  ['cli/', `${ENTRY} platform/queue/connection.ts app/ worker/`],
  ['main.ts', ABOVE],
];

/** Imports that the table does not allow. None is added. */
export const KNOWN_EXCEPTIONS: readonly string[] = [
  'api/service-metrics.ts -> type app/service-access.ts',
  'domain/parsed-results.ts -> type protocol/enumerations.ts',
  'domain/parsed-results.ts -> type protocol/microblog-response.ts',
  'domain/relevance.ts -> platform/clock.ts',
  'monitor/http/route-types.ts -> type app/program.ts',
  'web/system/system-services.tsx -> type app/service-access.ts',
];

/** Files that import each other in a circle, by types or not. None is added. */
export const KNOWN_CYCLES: readonly string[] = [
  'monitor/export/parquet.ts, monitor/export/row-encoders.ts',
  'platform/queue/begin-worker.ts, platform/queue/queue-workers.ts, platform/queue/queue.ts',
  'store/save/outcome.ts, store/save/save-responses.ts, store/save/save.ts',
];

/** Packages that only some of us may know. */
export const PACKAGES: Readonly<Record<string, string>> = {
  'drizzle-orm': 'store/',
  bullmq: 'platform/queue/',
  undici: 'monitor/client/ monitor/alerts/ service/sources/ service/answering/',
};

/** Words that only one file may say, with a line that must not pass elsewhere. */
export type Word = { what: string; word: RegExp; only: string; planted: string };

// biome-ignore format: one line for each
export const WORDS: readonly Word[] = [
  { what: 'process.env', word: /\bprocess\s*\.\s*env\b|\{[^{}]*\benv\b[^{}]*\}\s*=\s*process\b/, only: 'config/environment.ts', planted: "export const home = process.env['HOME'];" },
  { what: 'Date.now()', word: /\bDate\s*\.\s*now\b/, only: 'platform/clock.ts', planted: 'export const now = Date.now();' },
  { what: 'new Date() without a time', word: /\bnew\s+Date\s*(?:\(\s*\)|(?![\s(<\w]))|(?<!\bnew\s+)\bDate\s*\(\s*\)/, only: 'platform/clock.ts', planted: 'export const now = new Date();' },
  { what: 'URL.canParse', word: /\bURL\s*\.\s*canParse\b/, only: 'domain/url.ts', planted: "export const known = URL.canParse('http://a.example');" },
  { what: 'sql.raw', word: /\bsql\s*\.\s*raw\b/, only: 'none', planted: 'export const ordered = sql.raw(given);' },
];
