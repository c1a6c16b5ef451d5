/**
 * A list of topics, as people have it: one topic a line, or CSV whose first line has a column `text`. Each is watched as
 * `strandline watch` does: by a microblog search and an AI search.
 */
import { InvalidInput, type Problem } from '../model/errors.ts';
import { DEFAULT_EVERY } from '../monitor/schedule/schedule.ts';
import { createSlug, listSlugs } from '../monitor/topics/save-topic.ts';

/** Columns of CSV: options of `strandline watch`. */
const COLUMNS = ['text', 'name', 'slug', 'every', 'ai_every', 'service'];
type Row = { line: number; values: Readonly<Record<string, string>> };

export type TopicList = { topics: Record<string, unknown>; lines: ReadonlyMap<string, number> };

/** @throws InvalidInput with all problems, at `LINE` */
export function readTopicList(list: string): TopicList {
  const text = list.replace(/^\uFEFF/, '');
  const [head, ...rows] = readCsv(text);
  const columns = (head?.fields ?? []).map((name) => name.trim().toLowerCase());
  const problems: Problem[] = [];
  const isCsv = columns.includes('text');
  for (const name of isCsv ? columns : [])
    if (!COLUMNS.includes(name))
      problems.push({
        path: '1',
        given: name,
        expected: `unknown column ${name}; columns are ${COLUMNS.join(', ')}`,
      });
  const listed = isCsv ? readColumns(columns, rows) : readLines(text);
  const topics = new Map<string, unknown>();
  const lines = new Map<string, number>();
  for (const { line, values } of listed) {
    const { text: prompt = '', name = prompt, slug = createSlug(prompt) } = values;
    if (prompt === '') problems.push({ path: String(line), given: '', expected: 'no text to search for' });
    else if (topics.has(slug))
      problems.push({
        path: String(line),
        given: prompt,
        expected: `line ${lines.get(`topics.${slug}`)} has the slug ${slug}, too`,
      });
    else {
      topics.set(slug, { name, searches: buildSearches(slug, prompt, values) });
      lines.set(`topics.${slug}`, line);
    }
  }
  if (listed.length === 0)
    problems.push({ path: '1', given: undefined, expected: 'no topics: write one a line' });
  if (problems.length > 0) throw new InvalidInput(problems);
  return { topics: Object.fromEntries(topics), lines };
}

function buildSearches(slug: string, prompt: string, { every, ai_every, service }: Row['values']): object {
  const intervals = { microblog: every, ai: ai_every };
  return Object.fromEntries(
    (['microblog', 'ai'] as const).map((operation) => [
      listSlugs(slug, operation)[0],
      {
        operation,
        prompt,
        every: intervals[operation] ?? DEFAULT_EVERY[operation],
        ...(service === undefined ? {} : { service }),
      },
    ]),
  );
}

/** Lines that are empty or begin with `#` say nothing. */
function readLines(text: string): Row[] {
  return text.split(/\r?\n|\r/).flatMap((each, i) => {
    const line = each.trim();
    return line === '' || line.startsWith('#') ? [] : [{ line: i + 1, values: { text: line } }];
  });
}

function readColumns(columns: readonly string[], rows: readonly CsvRow[]): Row[] {
  return rows.flatMap(({ line, fields }) => {
    const given = columns.flatMap((name, at) => {
      const value = (fields[at] ?? '').trim();
      return value === '' ? [] : [[name, value] as const];
    });
    return given.length === 0 ? [] : [{ line, values: Object.fromEntries(given) }];
  });
}

type CsvRow = { line: number; fields: string[] };

/** A field of CSV with what separates it from the next; quotes in quotes are doubled. */
const FIELD = /("(?:[^"]|"")*"|[^,\r\n]*)(,|\r?\n|\r|$)/y;

/** Rows of CSV (RFC 4180). */
function readCsv(text: string): CsvRow[] {
  const rows: CsvRow[] = [{ line: 1, fields: [] }];
  let line = 1;
  FIELD.lastIndex = 0;
  while (FIELD.lastIndex < text.length) {
    const [whole, field = '', separator] = FIELD.exec(text) ?? [''];
    const isQuoted = /^"[^]*"$/.test(field) && field.length > 1;
    rows.at(-1)?.fields.push(isQuoted ? field.slice(1, -1).replaceAll('""', '"') : field);
    line += whole.match(/\r?\n|\r/g)?.length ?? 0;
    if (separator !== ',') rows.push({ line, fields: [] });
    if (whole === '') break;
  }
  return rows.filter(({ fields }) => fields.length > 0);
}
