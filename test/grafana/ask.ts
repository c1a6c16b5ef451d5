/** Runs the statements of a dashboard as Grafana would: as the reader, with every choice of its variables. */
import { connect } from '../../src/platform/postgres/connect.ts';
import { readerQuery, type ReaderResult } from '../../src/store/reader/reader-query.ts';
import type { Dashboard } from './dashboards.ts';
import { type Filling, fillIn } from './fill-in.ts';

export type Choice = Filling['variables'];

/** No schema is searched, so that a view must be named in full: a reader of one's own has no search path of ours. */
export function searchingNothing(readerUrl: string): string {
  const url = new URL(readerUrl);
  url.searchParams.set('options', '-c search_path=pg_catalog');
  return url.href;
}

/** @throws pg's error where the statement is wrong or not allowed, Error where it cannot be filled in */
export async function ask(readerUrl: string, sql: string, filling: Filling): Promise<ReaderResult> {
  const statement = fillIn(sql, filling);
  // Statements of the program's reader have a search path; those of Grafana have none.
  const client = await connect(searchingNothing(readerUrl), 'test');
  try {
    await client.query(`EXPLAIN ${statement}`);
  } finally {
    await client.end();
  }
  return readerQuery({ url: readerUrl, sql: statement });
}

/**
 * What can be chosen, variable after variable: `All` where there is such a thing, otherwise one choice per value.
 * @throws Error where a variable has no value and `empty` is not given
 */
export async function choicesOf(
  readerUrl: string,
  dashboard: Dashboard,
  range: Filling['range'],
  options: { empty?: boolean } = {},
): Promise<Choice[]> {
  let choices: Choice[] = [{}];
  const { empty = false } = options;
  for (const one of dashboard.templating.list) {
    // The reader stands for the data source.
    if (one.type === 'datasource') continue;
    if (one.type === 'interval') {
      choices = choices.map((choice) => ({ ...choice, [one.name]: one.current.value }));
      continue;
    }
    const next: Choice[] = [];
    for (const choice of choices) {
      const { rows } = await ask(readerUrl, one.query, { range, variables: choice });
      const values = rows.map(([value]) => String(value));
      if (values.length === 0 && !empty) throw new Error(`${one.name} has no values`);
      if (one.multi) next.push({ ...choice, [one.name]: values });
      // What a page fills in where there is nothing to choose.
      else for (const value of values.length > 0 ? values : ['']) next.push({ ...choice, [one.name]: value });
    }
    choices = next;
  }
  return choices;
}

/** Why there is nothing to see in a result; `null` where every column has a value in some row. */
export function emptiness({ columns, rows }: Pick<ReaderResult, 'columns' | 'rows'>): string | null {
  if (rows.length === 0) return 'no rows';
  const blank = columns.filter((_, i) => rows.every((row) => row[i] === null || row[i] === ''));
  return blank.length === 0 ? null : `nothing but null in ${blank.map(({ name }) => name).join(', ')}`;
}

/** Why Grafana could not draw a result as time series; `null` where it can. */
export function undrawable({ columns, rows }: Pick<ReaderResult, 'columns' | 'rows'>): string | null {
  const time = columns.findIndex(({ name }) => name === 'time');
  if (time < 0) return 'there is no column time';
  if (!/^(timestamp with time zone|numeric|double precision)$/.test(columns[time]?.type ?? ''))
    return `time is ${columns[time]?.type}`;
  const names = columns.filter(({ type }) => type === 'text');
  if (names.length > 0 && (columns.length !== 3 || names[0]?.name !== 'metric'))
    return 'a series is named by one column, metric, beside time and one value';
  const values = columns.filter(({ name }) => name !== 'time' && name !== 'metric');
  const wrong = values.find(({ type }) => !/^(bigint|integer|numeric|double precision)$/.test(type));
  if (wrong !== undefined) return `${wrong.name} is ${wrong.type}`;
  const times = rows.map((row) =>
    typeof row[time] === 'string' ? Date.parse(row[time]) : Number(row[time]),
  );
  if (times.some((at, i) => at < (times[i - 1] ?? at))) return 'rows are not in the order of time';
  const keys = rows.map((row) =>
    columns.flatMap(({ name }, i) => (values.some((v) => v.name === name) ? [] : [row[i]])).join(),
  );
  return new Set(keys).size === keys.length ? null : 'a series has two values at one time';
}
