/** SQL statements as tagged templates: each value in the text becomes a parameter, so that parameters are not numbered by hand. */

import type { QueryResult, QueryResultRow } from 'pg';
import { CLOCK_SQL, type Id, type Queryable } from './database.ts';

/** What a statement may contain: a parameter, such as an array or an object for jsonb, or a part that is a statement. */
type Part =
  | string
  | number
  | bigint
  | boolean
  | Date
  | Uint8Array
  | readonly unknown[]
  | Readonly<Record<string, unknown>>
  | Statement
  | null;

/** A statement, or a part of one: text, and the values between it. */
export class Statement {
  readonly #texts: readonly string[];
  readonly #parts: readonly Part[];

  constructor(texts: readonly string[], parts: readonly Part[]) {
    this.#texts = texts;
    this.#parts = parts;
  }

  /** Its text. @param bind writes a value: as a parameter, or as a literal where a statement takes no parameters */
  write(bind: (value: Part) => string): string {
    let text = this.#texts[0] ?? '';
    // An index: this is built anew whenever a statement is run, and entries() would double its cost.
    for (let i = 0; i < this.#parts.length; i += 1) {
      const part = this.#parts[i] ?? null;
      text += part instanceof Statement ? part.write(bind) : bind(part);
      text += this.#texts[i + 1] ?? '';
    }
    return text;
  }
}

/**
 * A statement as it is written: `statement`SELECT … WHERE slug = ${slug}``. Values become parameters, and statements parts of it. A
 * value that stands in it twice is two parameters, whose types Postgres infers apart.
 *
 * Not the `sql` tag of Drizzle, which is for conditions of its query builder: building a statement with it costs a tenth of a cheap
 * statement, and this a hundredth.
 */
export function statement(texts: TemplateStringsArray, ...parts: Part[]): Statement {
  return new Statement(texts, parts);
}

/** Text of the program itself as a part of a statement, such as names of columns. Never a value, and nothing from outside. */
export function verbatim(text: string | number): Statement {
  return new Statement([String(text)], []);
}

/** Statements in a row. @param separator such as `, ` */
export function join(statements: readonly Statement[], separator: string): Statement {
  const between = statements.slice(1).map(() => separator);
  return new Statement(['', ...between, ''].slice(0, statements.length + 1), statements);
}

/**
 * Runs a statement.
 * @param name prepares it once per connection; of this statement alone, whose text must then always be the same
 */
export function execute<Row extends QueryResultRow>(
  db: Queryable,
  what: Statement,
  name?: string,
): Promise<QueryResult<Row>> {
  const values: Part[] = [];
  const text = what.write((value) => `$${values.push(value)}`);
  return name === undefined ? db.query<Row>(text, values) : db.query<Row>({ name, text, values });
}

/** The rows that a statement returns, as {@link execute} runs it. */
export async function rowsOf<Row extends QueryResultRow>(
  db: Queryable,
  what: Statement,
  name?: string,
): Promise<Row[]> {
  return (await execute<Row>(db, what, name)).rows;
}

/** The IDs that a statement returns as `id`, in its order. */
export async function selectIds(db: Queryable, what: Statement, name?: string): Promise<Id[]> {
  return (await rowsOf<{ id: Id }>(db, what, name)).map(({ id }) => id);
}

/**
 * The time of a statement: the passed one (of a simulation or test), or else the database's clock.
 * @param time the result of `Clock.statementTime`, or a column with a time; null: the database's clock
 */
export function timeOf(time: Date | Statement | null): Statement {
  return statement`coalesce(${time}::timestamptz, ${CLOCK})`;
}
const CLOCK = verbatim(CLOCK_SQL);

/** {@link timeOf} as SQL, for a statement that numbers its values. @param time such as `$1` */
export function sqlTime(time: `$${number}` | `asked.${string}`): string {
  return timeOf(verbatim(time)).write(() => '');
}

/**
 * Whether a wait is over: its time has come, or is further ahead than such a wait can last, because the clock that set it was
 * wrong or the database's was set back since. A wait without a time is over, too.
 * @param until the end of the wait
 * @param longest the longest wait of its kind, such as `interval '1 hour'`
 */
export function isOver(until: Statement, now: Statement, longest: Statement): Statement {
  return statement`coalesce(NOT (${until} > ${now} AND ${until} <= ${now} + ${longest}), true)`;
}

/** {@link isOver} as SQL, of SQL. */
export function isOverSql(until: string, now: string, longest: string): string {
  return isOver(verbatim(until), verbatim(now), verbatim(longest)).write(() => '');
}
