/**
 * Which way imports go. `.oxlintrc.json` says it while one writes; here it is said once more, for what the
 * lint cannot see: an `import()`, a file in a folder that no rule knows, a `new Date()`.
 */

/** Who may import whom of `src`. A folder ends in a slash and may always import itself. */
export type Rule = {
  of: string;
  may: readonly string[];
  /** As types only: nothing of it is there at run time. */
  types?: readonly string[];
  /** Excepted from what `may` allows. */
  never?: readonly string[];
  /** An import that must not pass: what shows that the rule can fail. */
  planted: string;
};

const leaves = ['src/contract/', 'src/config.ts', 'src/errors.ts', 'src/engine/clock.ts'];
/** What changes things under a search's row lock belongs to the monitor's verbs. */
const writes = ['src/store/save/', 'src/store/slots.ts'];
const behindDoors = [
  ...leaves,
  'src/engine/keys.ts',
  'src/engine/logger.ts',
  'src/engine/patience.ts',
  'src/version.ts',
  'src/demo.ts',
  'src/home.ts',
  'src/service-access.ts',
  'src/service-ports.ts',
  'src/store/',
  'src/monitor/context.ts',
  'src/monitor/enqueue.ts',
  'src/monitor/access/',
  'src/monitor/derive/',
  'src/monitor/export/',
  'src/monitor/feed/',
  'src/monitor/run/',
  'src/monitor/schedule/',
  'src/monitor/status/',
  'src/monitor/tell/',
  'src/monitor/topic/',
  'src/monitor/trend/',
  'src/monitor/volume/',
];

/** The longest match decides. The composition root (home, service-access, archive, main) may import everything. */
export const RULES: readonly Rule[] = [
  { of: 'src/errors.ts', may: [], planted: "import { readConfig } from './config.ts';" },
  { of: 'src/environment.ts', may: [], planted: "import { readConfig } from './config.ts';" },
  { of: 'src/version.ts', may: [], planted: "import { Refused } from './errors.ts';" },
  {
    of: 'src/config/',
    may: ['src/errors.ts', 'src/contract/short-file.ts', 'src/contract/url.ts'],
    planted: "import { readConfig } from '../config.ts';",
  },
  {
    of: 'src/config.ts',
    may: ['src/errors.ts', 'src/environment.ts', 'src/config/'],
    planted: "import { SECOND } from './engine/clock.ts';",
  },
  { of: 'src/contract/', may: ['src/errors.ts'], planted: "import { readConfig } from '../config.ts';" },
  { of: 'src/engine/clock.ts', may: [], planted: "import { Refused } from '../errors.ts';" },
  { of: 'src/engine/logger.ts', may: [], planted: "import { systemClock } from './clock.ts';" },
  { of: 'src/engine/keys.ts', may: [], planted: "import { Refused } from '../errors.ts';" },
  { of: 'src/engine/', may: ['src/errors.ts'], planted: "import type { Config } from '../config.ts';" },
  {
    of: 'src/relevance/',
    may: ['src/engine/clock.ts'],
    planted: "import type { Found } from '../service/source.ts';",
  },
  {
    of: 'src/store/',
    may: ['src/contract/', 'src/relevance/', 'src/errors.ts', 'src/config.ts', 'src/engine/'],
    types: ['src/monitor/read/findings.ts'],
    planted: "import { POST_COUNTERS } from '../monitor/read/findings.ts';",
  },
  {
    of: 'src/monitor/context.ts',
    may: [],
    types: ['src/config.ts', 'src/engine/', 'src/store/'],
    planted: "import { openDatabase } from '../store/database.ts';",
  },
  {
    of: 'src/monitor/enqueue.ts',
    may: ['src/engine/clock.ts', 'src/store/', 'src/monitor/context.ts'],
    types: ['src/engine/queue/'],
    planted: "import { executeRun } from './run/execute.ts';",
  },
  {
    of: 'src/monitor/recurring.ts',
    may: ['src/engine/clock.ts', 'src/store/', 'src/monitor/tell/', 'src/monitor/context.ts'],
    planted: "import { executeRun } from './run/execute.ts';",
  },
  {
    of: 'src/monitor/read/',
    may: ['src/contract/', 'src/errors.ts', 'src/engine/clock.ts'],
    planted: "import type { Id } from '../../store/database.ts';",
  },
  {
    of: 'src/monitor/client/',
    may: ['src/contract/', 'src/errors.ts', 'src/engine/clock.ts'],
    planted: "import { readAnswer } from '../read/answer.ts';",
  },
  {
    of: 'src/monitor/trend/',
    may: ['src/engine/clock.ts'],
    planted: "import type { Id } from '../../store/database.ts';",
  },
  {
    of: 'src/monitor/run/',
    may: [
      ...leaves,
      'src/store/',
      'src/monitor/client/',
      'src/monitor/read/',
      // A failure that stops its search stops it as a person does: with a row for each slot that was due.
      'src/monitor/schedule/stop.ts',
      // A search that is tried out is checked, and finds its service, as when it is saved.
      'src/monitor/topic/definition.ts',
      'src/monitor/topic/service-for.ts',
      'src/monitor/enqueue.ts',
      'src/monitor/context.ts',
    ],
    planted: "import { scan } from '../schedule/scan.ts';",
  },
  {
    of: 'src/monitor/schedule/',
    may: [
      'src/errors.ts',
      'src/engine/clock.ts',
      'src/store/',
      'src/monitor/enqueue.ts',
      'src/monitor/context.ts',
    ],
    types: ['src/engine/queue/'],
    planted: "import { openQueue } from '../../engine/queue/queue.ts';",
  },
  {
    of: 'src/monitor/topic/',
    may: [
      ...leaves,
      'src/store/',
      'src/monitor/schedule/',
      'src/monitor/enqueue.ts',
      'src/monitor/context.ts',
    ],
    planted: "export { executeRun } from '../run/execute.ts';",
  },
  {
    of: 'src/monitor/status/',
    may: [
      ...leaves,
      'src/engine/patience.ts',
      'src/store/',
      // When slots are, and how they are written: pure.
      'src/monitor/schedule/cadence.ts',
      'src/monitor/schedule/schedule.ts',
      'src/monitor/schedule/schedule-of.ts',
      'src/monitor/schedule/words.ts',
      'src/monitor/context.ts',
    ],
    planted: "import { previewSearch } from '../topic/preview.ts';",
  },
  {
    of: 'src/monitor/export/',
    may: [
      'src/errors.ts',
      'src/version.ts',
      'src/engine/clock.ts',
      'src/store/export/',
      'src/store/database.ts',
      'src/monitor/context.ts',
    ],
    planted: "import { readPosts } from '../../store/reads/posts.ts';",
  },
  {
    of: 'src/monitor/derive/',
    may: ['src/engine/clock.ts', 'src/store/', 'src/monitor/trend/', 'src/monitor/context.ts'],
    planted: "import { executeRun } from '../run/execute.ts';",
  },
  {
    of: 'src/monitor/volume/',
    may: [
      'src/errors.ts',
      'src/engine/clock.ts',
      'src/store/',
      'src/monitor/trend/',
      'src/monitor/context.ts',
    ],
    planted: "import { previewSearch } from '../topic/preview.ts';",
  },
  {
    of: 'src/monitor/feed/',
    may: [...leaves, 'src/store/', 'src/monitor/context.ts'],
    types: ['src/monitor/access/'],
    planted: "import { previewSearch } from '../topic/preview.ts';",
  },
  {
    of: 'src/monitor/access/',
    may: [...leaves, 'src/engine/keys.ts', 'src/store/', 'src/monitor/context.ts'],
    planted: "import { previewSearch } from '../topic/preview.ts';",
  },
  {
    of: 'src/monitor/tell/',
    may: [...leaves, 'src/engine/network/', 'src/engine/vault.ts', 'src/store/', 'src/monitor/context.ts'],
    types: ['src/engine/queue/'],
    planted: "import { previewSearch } from '../topic/preview.ts';",
  },
  {
    of: 'src/service/',
    may: [
      'src/contract/',
      'src/relevance/',
      'src/errors.ts',
      ...['clock', 'keys', 'listen', 'logger'].map((name) => `src/engine/${name}.ts`),
    ],
    planted: "import { findToken } from '../store/tokens.ts';",
  },
  {
    of: 'src/doors/worker.ts',
    may: [...behindDoors, 'src/engine/queue/', 'src/monitor/recurring.ts'],
    never: writes,
    planted: "import { lockSearch } from '../store/slots.ts';",
  },
  {
    of: 'src/doors/cli/',
    // `doctor` looks at Redis without opening a queue on it.
    may: [
      ...behindDoors,
      'src/doors/json.ts',
      'src/doors/worker.ts',
      'src/engine/queue/redis-check.ts',
      'src/web.ts',
    ],
    types: ['connection', 'queue', 'workers'].map((name) => `src/engine/queue/${name}.ts`),
    never: writes,
    planted: "import { startService } from '../../service/server.ts';",
  },
  {
    of: 'src/doors/failure.ts',
    may: ['src/errors.ts', 'src/monitor/access/', 'src/store/database.ts', 'src/store/sql-state.ts'],
    planted: "import { openHome } from '../home.ts';",
  },
  { of: 'src/doors/gone.ts', may: [], planted: "import { openHome } from '../home.ts';" },
  { of: 'src/doors/json.ts', may: [], planted: "import { openHome } from '../home.ts';" },
  {
    of: 'src/doors/routes.ts',
    may: [],
    types: ['src/home.ts', 'src/monitor/access/', 'src/monitor/context.ts', 'src/store/reader/'],
    planted: "import { openHome } from '../home.ts';",
  },
  {
    of: 'src/doors/http/',
    may: [
      ...behindDoors,
      'src/doors/failure.ts',
      'src/doors/gone.ts',
      'src/doors/json.ts',
      'src/doors/routes.ts',
      'src/engine/listen.ts',
    ],
    never: writes,
    planted: "import { page } from '../pages/page.tsx';",
  },
  {
    of: 'src/doors/pages/',
    may: [
      ...behindDoors,
      'src/doors/failure.ts',
      'src/doors/gone.ts',
      'src/doors/json.ts',
      'src/doors/routes.ts',
    ],
    never: writes,
    planted: "import { startHttp } from '../http/server.ts';",
  },
];

/** Files that put everything together. */
export const ROOT: readonly string[] = [
  'src/archive.ts',
  'src/demo.ts',
  'src/home.ts',
  'src/queue-access.ts',
  'src/reader-process.ts',
  'src/service-access.ts',
  'src/service-ports.ts',
  'src/simulation.ts',
  'src/simulation/lane.ts',
  'src/web.ts',
  'src/main.ts',
];

/** Packages that only some of us may know. */
export const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  'drizzle-orm': ['src/store/'],
  bullmq: ['src/engine/queue'],
  undici: ['src/monitor/client/', 'src/monitor/tell/', 'src/service/sources', 'src/service/answer'],
};

/** Words that only one file may say, with a line that must not pass elsewhere. */
export const WORDS: readonly { what: string; word: RegExp; only: string; planted: string; lint: boolean }[] =
  [
    {
      what: 'process.env',
      word: /\bprocess\s*\.\s*env\b|\{[^{}]*\benv\b[^{}]*\}\s*=\s*process\b/,
      only: 'src/environment.ts',
      planted: "export const home = process.env['HOME'];",
      lint: true,
    },
    {
      what: 'Date.now()',
      word: /\bDate\s*\.\s*now\b/,
      only: 'src/engine/clock.ts',
      planted: 'export const now = Date.now();',
      lint: true,
    },
    {
      what: 'URL.canParse',
      word: /\bURL\s*\.\s*canParse\b/,
      only: 'src/contract/url.ts',
      planted: "export const known = URL.canParse('http://a.example');",
      lint: true,
    },
    {
      what: 'sql.raw',
      word: /\bsql\s*\.\s*raw\b/,
      only: 'migrations',
      planted: 'export const ordered = sql.raw(given);',
      lint: false,
    },
    {
      what: 'new Date() without a time',
      word: /\bnew\s+Date\s*(?:\(\s*\)|(?![\s(<\w]))|(?<!\bnew\s+)\bDate\s*\(\s*\)/,
      only: 'src/engine/clock.ts',
      planted: 'export const now = new Date();',
      lint: false,
    },
  ];
