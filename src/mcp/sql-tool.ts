/** Questions that no other tool answers, as SQL over the views. */
import { formatWhole } from '../lib/display-format.ts';
import { textParam } from '../model/value-shapes.ts';
import { escapeUnsafe, truncateText } from '../lib/text.ts';
import { MAX_SQL_LENGTH } from '../store/reader/ask-reader.ts';
import { declareTool } from './tool.ts';
import { QUOTED_NOTICE } from './tool-text.ts';
import { z } from 'zod';

const MAX_ROWS = 100;
/** UTF-16 code units: of a reply, and of a value. */
const MAX_REPLY = 12_000;
const MAX_VALUE = 400;

export const sqlTool = declareTool({
  name: 'sql',
  title: 'SQL query',
  description:
    "One read-only Postgres statement over the views, such as topics, searches, runs, posts, post_sightings, links, discoveries, completions, claims, volume_hourly, spikes. For columns: select view, name, type, meaning from contract_columns where view = 'posts'. Aggregate, and limit the rows.",
  scope: 'sql',
  input: z.strictObject({
    sql: textParam(MAX_SQL_LENGTH)
      .min(1)
      .describe('Begins with select, with, values, table, explain or show.'),
  }),
  run: async ({ askSql }, { sql }) => {
    const { body } = await askSql(sql);
    const result = JSON.parse(body.toString('utf8')) as SqlResult; // as `renderJson` in store/reader writes it
    return writeResult(result);
  },
});

type SqlResult = { columns: { name: string }[]; rows: unknown[][]; truncated: boolean };

/** Rows as JSON, so that no value ends its quotes. */
function writeResult({ columns, rows, truncated }: SqlResult): string {
  const lines: string[] = [];
  let length = 0;
  for (const row of rows.slice(0, MAX_ROWS)) {
    const line = escapeUnsafe(JSON.stringify(row.map(shorten)));
    length += line.length;
    if (length > MAX_REPLY) break;
    lines.push(line);
  }
  const all = `${truncated ? 'more than ' : ''}${formatWhole(rows.length)}`;
  return [
    lines.length < rows.length || truncated
      ? `${formatWhole(lines.length)} of ${all} rows; aggregate, or select less.`
      : `${all} ${rows.length === 1 ? 'row' : 'rows'}.`,
    QUOTED_NOTICE,
    escapeUnsafe(JSON.stringify(columns.map(({ name }) => truncateText(name, MAX_VALUE)))),
    ...lines,
  ].join('\n');
}

function shorten(value: unknown): unknown {
  if (typeof value === 'string') return truncateText(value, MAX_VALUE);
  if (typeof value !== 'object' || value === null) return value;
  const json = JSON.stringify(value);
  return json.length <= MAX_VALUE ? value : truncateText(json, MAX_VALUE);
}
