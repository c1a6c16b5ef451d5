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

const CONTEXT = 'store/ monitor/context.ts engine/clock.ts';
/** Entry points call the monitor's functions and the store's queries: they do not save, parse, or call a service. */
const ENTRY = `errors.ts version.ts config.ts contract/ engine/ not:engine/network/ not:engine/postgres/ not:engine/queue/
  not:engine/vault.ts store/ not:store/save/ not:store/slots.ts monitor/ not:monitor/client/ not:monitor/read/`;

// biome-ignore format: one line for each
export const RULES: readonly Rule[] = [
  ['errors.ts version.ts environment.ts', ''],
  ['contract/', 'errors.ts'],
  ['config/ config.ts', 'errors.ts environment.ts contract/'],
  ['engine/', 'errors.ts'],
  ['relevance/', 'engine/clock.ts'],
  ['service/', 'errors.ts contract/ relevance/ engine/clock.ts engine/keys.ts engine/listen.ts engine/logger.ts'],
  ['monitor/read/', 'errors.ts contract/ engine/clock.ts'],
  ['monitor/client/', 'errors.ts contract/ engine/clock.ts'],
  ['monitor/trend/', 'engine/clock.ts'],
  ['store/', 'errors.ts contract/ config.ts engine/ relevance/ type:monitor/read/'],
  ['monitor/context.ts monitor/enqueue.ts', 'type:config.ts type:engine/ engine/clock.ts store/'],
  ['monitor/access/', `${CONTEXT} errors.ts engine/keys.ts`],
  ['monitor/feed/', `${CONTEXT} errors.ts type:monitor/access/`],
  ['monitor/export/', 'errors.ts version.ts type:store/ store/export/ monitor/context.ts'],
  ['monitor/volume/', `${CONTEXT} monitor/trend/`],
  ['monitor/derive/', `${CONTEXT} monitor/trend/`],
  ['monitor/schedule/', `${CONTEXT} errors.ts monitor/enqueue.ts`],
  ['monitor/status/', `${CONTEXT} errors.ts contract/ config.ts engine/patience.ts monitor/schedule/`],
  ['monitor/topic/', `${CONTEXT} errors.ts contract/ config.ts monitor/enqueue.ts monitor/schedule/`],
  ['monitor/run/', `${CONTEXT} errors.ts contract/ config.ts monitor/client/ monitor/read/ monitor/schedule/ monitor/topic/`],
  ['monitor/tell/', `${CONTEXT} errors.ts contract/ engine/network/ engine/vault.ts`],
  ['monitor/recurring.ts', `${CONTEXT} monitor/tell/`],
  ['doors/failure.ts doors/gone.ts doors/json.ts doors/routes.ts', 'errors.ts store/ monitor/access/ type:monitor/context.ts'],
  ['doors/http/', `${ENTRY} doors/failure.ts doors/gone.ts doors/json.ts doors/routes.ts`],
  ['doors/pages/', `${ENTRY} doors/failure.ts doors/gone.ts doors/routes.ts`],
  ['archive.ts demo.ts home.ts queue-access.ts reader-process.ts service-access.ts service-ports.ts simulation.ts simulation/ web.ts', ABOVE],
  ['doors/worker.ts', 'errors.ts engine/clock.ts engine/queue/ store/ not:store/save/ not:store/slots.ts monitor/'],
  ['doors/cli/', `${ENTRY} engine/queue/redis-check.ts demo.ts home.ts service-access.ts web.ts doors/json.ts doors/worker.ts`],
  ['main.ts', ABOVE],
];

/** Imports that the table does not allow, all of them upward by types. None is added. */
export const KNOWN_EXCEPTIONS: readonly string[] = [
  'doors/http/metrics/service.ts -> type service-access.ts',
  'doors/pages/system/sources.tsx -> type service-access.ts',
  'doors/routes.ts -> type home.ts',
];

/** Files that import each other in a circle, by types or not. None is added. */
export const KNOWN_CYCLES: readonly string[] = [
  'doors/cli/config-of-service.ts, doors/cli/config.ts',
  'engine/queue/begin.ts, engine/queue/queue.ts, engine/queue/workers.ts',
  'monitor/export/csv.ts, monitor/export/format.ts, monitor/export/ndjson.ts, monitor/export/parquet.ts',
  'service/sandbox/article.ts, service/sandbox/documents.ts',
  'service/sandbox/role.ts, service/sandbox/seeds.ts',
  'service/sources/open.ts, service/sources/probe.ts',
  'store/save/outcome.ts, store/save/save-responses.ts, store/save/save.ts',
];

/** Packages that only some of us may know. */
export const PACKAGES: Readonly<Record<string, string>> = {
  'drizzle-orm': 'store/',
  bullmq: 'engine/queue/ engine/queue-parts.ts engine/queue-schema.ts',
  undici: 'monitor/client/ monitor/tell/ service/sources/ service/answer/',
};

/** Words that only one file may say, with a line that must not pass elsewhere. */
export type Word = { what: string; word: RegExp; only: string; planted: string };

// biome-ignore format: one line for each
export const WORDS: readonly Word[] = [
  { what: 'process.env', word: /\bprocess\s*\.\s*env\b|\{[^{}]*\benv\b[^{}]*\}\s*=\s*process\b/, only: 'environment.ts', planted: "export const home = process.env['HOME'];" },
  { what: 'Date.now()', word: /\bDate\s*\.\s*now\b/, only: 'engine/clock.ts', planted: 'export const now = Date.now();' },
  { what: 'new Date() without a time', word: /\bnew\s+Date\s*(?:\(\s*\)|(?![\s(<\w]))|(?<!\bnew\s+)\bDate\s*\(\s*\)/, only: 'engine/clock.ts', planted: 'export const now = new Date();' },
  { what: 'URL.canParse', word: /\bURL\s*\.\s*canParse\b/, only: 'contract/url.ts', planted: "export const known = URL.canParse('http://a.example');" },
  { what: 'sql.raw', word: /\bsql\s*\.\s*raw\b/, only: 'none', planted: 'export const ordered = sql.raw(given);' },
];
