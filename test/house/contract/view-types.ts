/** `src/store/schema/analytics-views.ts`: the views of a migrated database, declared for Drizzle. */
import { execFile } from 'node:child_process';
import path from 'node:path';
import * as time from '../../../src/lib/time.ts';
import * as alerts from '../../../src/model/alerts.ts';
import * as audit from '../../../src/model/audit.ts';
import * as closedLists from '../../../src/model/closed-lists.ts';
import * as enumerations from '../../../src/model/enumerations.ts';
import * as errors from '../../../src/model/errors.ts';
import * as toolCoverage from '../../../src/model/tool-coverage.ts';
import { REPOSITORY } from '../sources.ts';
import type { ContractColumn, ContractView } from './contract.ts';

export const VIEWS_FILE = path.join(REPOSITORY, 'src/store/schema/analytics-views.ts');

/** The files with closed lists. Lists of columns that a CHECK limits are compared with it in `closed-lists.test.ts`. */
const FILES = {
  '../../lib/time.ts': time,
  '../../model/alerts.ts': alerts,
  '../../model/audit.ts': audit,
  '../../model/closed-lists.ts': closedLists,
  '../../model/enumerations.ts': enumerations,
  '../../model/errors.ts': errors,
  '../../model/tool-coverage.ts': toolCoverage,
};
type NameIn<File> = File extends unknown ? keyof File & string : never;
type List = NameIn<(typeof FILES)[keyof typeof FILES]>;

/** The closed list of a column: by its name in all views, or in one. */
const LIST_OF_COLUMN: Readonly<Record<string, List>> = {
  date_filter: 'DATE_FILTERS',
  only_by: 'SPIKE_CAUSES',
  operation: 'OPERATIONS',
  pauses: 'PAUSE_SCOPES',
  published_precision: 'TIME_PRECISIONS',
  role: 'CLAIM_ROLES',
  sensitivity: 'SENSITIVITIES',
  service_kind: 'SERVICE_KINDS',
  side: 'NAME_SIDES',
  tool: 'TOOLS',
  tools: 'TOOLS',
  trigger: 'RUN_TRIGGERS',
  waits_for: 'WAIT_REASONS',
  'audit_log.action': 'AUDIT_ACTIONS',
  'audit_log.actor': 'ACTORS',
  'briefs.kind': 'BRIEF_KINDS',
  'calls.code': 'RUN_CODE_NAMES',
  'calls.state': 'CALL_STATES',
  'channels.state': 'CHANNEL_STATES',
  'deliveries.code': 'DELIVERY_CODE_NAMES',
  'deliveries.state': 'DELIVERY_STATES',
  'discoveries.kind': 'DISCOVERY_KINDS',
  'discovery_times.kind': 'DISCOVERY_KINDS',
  'interval_changes.reason': 'INTERVAL_REASONS',
  'key_items.list': 'KEY_LISTS',
  'link_ranks.source': 'SOURCES',
  'link_sightings.source': 'SOURCES',
  'link_sources.source': 'SOURCES',
  'name_changes.change': 'NAME_CHANGES',
  'new_today.kind': 'DISCOVERY_KINDS',
  'rejects.code': 'REJECT_CODES',
  'rules.kinds': 'STORED_RULE_KINDS',
  'rules.state': 'RULE_STATES',
  'run_tools.reason': 'TOOL_REASON_NAMES',
  'runs.code': 'RUN_CODE_NAMES',
  'runs.status': 'RUN_STATUSES',
  'search_states.state': 'SEARCH_STATES',
  'search_status.last_run_code': 'RUN_CODE_NAMES',
  'search_status.last_run_status': 'RUN_OUTCOMES',
  'search_status.status': 'SEARCH_STATUSES',
  'search_versions.model': 'MODELS',
  'searches.model': 'MODELS',
  'searches.state': 'SEARCH_STATES',
  'spikes.measure': 'SPIKE_MEASURES',
  'spikes.reason': 'SPIKE_REASONS',
  'system_events.kind': 'SYSTEM_EVENT_KINDS',
  'system_events.outcome': 'SYSTEM_EVENT_OUTCOMES',
  'translations.kind': 'TRANSLATED_KINDS',
  'trend_states.previous_state': 'TREND_STATES',
  'trend_states.reason': 'TREND_REASONS',
  'trend_states.state': 'TREND_STATES',
  'trials.code': 'RUN_CODE_NAMES',
  'trials.model': 'MODELS',
  'trials.state': 'CALL_STATES',
};

/** Content of JSON that the program itself writes. */
const JSON_TYPES: Readonly<Record<string, string>> = {
  'audit_log.changes': 'Readonly<Record<string, Change>>',
  'spikes.distinct_names': 'readonly DistinctName[]',
};

const HEAD = `/**
 * Views of the SQL contract, as reads use them. Written by \`npm run types\` from a migrated database: names, types and comments
 * are those of \`migrations/views/\`; a column may be null if its comment says what null means. Closed lists of texts are named
 * in \`test/house/contract/view-types.ts\`.
 */`;

/** The file of these views, as formatted as every other. */
export async function formatViewTypes(views: readonly ContractView[]): Promise<string> {
  const known = new Set(
    views.flatMap(({ name, columns }) => columns.map((column) => `${name}.${column.name}`)),
  );
  const unknown = [...Object.keys(LIST_OF_COLUMN), ...Object.keys(JSON_TYPES)].filter(
    (name) => name.includes('.') && !known.has(name),
  );
  if (unknown.length > 0)
    throw new Error(`no view has the columns ${unknown.join(', ')}: remove them from view-types.ts`);
  const named = [...new Set(Object.values(LIST_OF_COLUMN))].sort();
  const lists = Object.entries(FILES).map(
    ([file, exported]) => `import { ${named.filter((name) => name in exported).join(', ')} } from '${file}';`,
  );
  return format(`${HEAD}

import { boolean, doublePrecision, integer, jsonb, numeric, pgSchema, text } from 'drizzle-orm/pg-core';
import type { Change } from '../../model/audit.ts';
import type { DistinctName } from '../../model/closed-lists.ts';
${lists.join('\n')}
import { ANALYTICS } from '../../model/database-kind.ts';
import { counter, instant, ref } from './schema.ts';

/** Not exported: drizzle-kit reads this folder, and migrations create the tables' schema only. */
const analytics = pgSchema(ANALYTICS);

${views.map(declareView).join('\n')}`);
}

function declareView({ name, meaning, columns }: ContractView): string {
  return `${comment(meaning)}
export const ${camelCase(name)}View = analytics.view('${name}', {
${columns.map((column) => `${comment(column.meaning)}\n${column.name}: ${declareColumn(name, column)},`).join('\n')}
}).existing();
`;
}

function declareColumn(view: string, { name, type, nullable }: ContractColumn): string {
  const [, element = '', array = ''] = /^(.+?)(\[\])?$/.exec(type) ?? [];
  const place = `${view}.${name}`;
  return [
    array !== '' && element === 'bigint' ? 'ref()' : declareType(place, element),
    array === '' ? '' : '.array()',
    place in JSON_TYPES ? `.$type<${JSON_TYPES[place]}>()` : '',
    nullable ? '' : '.notNull()',
  ].join('');
}

function declareType(place: string, type: string): string {
  const name = place.slice(place.indexOf('.') + 1);
  if (type === 'text') {
    const list = LIST_OF_COLUMN[place] ?? LIST_OF_COLUMN[name];
    return list === undefined ? 'text()' : `text({ enum: ${list} })`;
  }
  // Keys exceed what a number can hold; numbers of rows and counters do not.
  if (type === 'bigint') return /(^|_)id$/.test(name) ? 'ref()' : 'counter()';
  const declared = DECLARED.find(([pattern]) => pattern.test(type))?.[1];
  if (declared === undefined)
    throw new Error(`${place} has the type ${type}, which view-types.ts does not know`);
  return declared;
}

const DECLARED: readonly (readonly [pattern: RegExp, declared: string])[] = [
  [/^timestamp(\(3\))? with time zone$/, 'instant()'],
  [/^double precision$/, 'doublePrecision()'],
  [/^integer$/, 'integer()'],
  [/^boolean$/, 'boolean()'],
  [/^jsonb$/, 'jsonb()'],
  [/^numeric(\(\d+,\d+\))?$/, "numeric({ mode: 'number' })"],
];

/** In lines of at most 100 characters. */
function comment(meaning: string): string {
  const safe = meaning.replaceAll('*/', '* /');
  if (safe.length <= 96) return `/** ${safe} */`;
  const lines: string[] = [];
  for (const word of safe.split(/\s+/)) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + word.length < 97) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return `/**\n${lines.map((line) => ` * ${line}`).join('\n')}\n */`;
}

function camelCase(name: string): string {
  return name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** Formats as `npm run format` does. */
async function format(text: string): Promise<string> {
  const biome = path.join(REPOSITORY, 'node_modules/.bin/biome');
  return new Promise((resolve, reject) => {
    const child = execFile(
      biome,
      ['format', `--stdin-file-path=${VIEWS_FILE}`],
      { cwd: REPOSITORY, maxBuffer: 2 ** 24 },
      (error, formatted) => (error === null ? resolve(formatted) : reject(error)),
    );
    child.stdin?.end(text);
  });
}
