/**
 * What Grafana makes of a panel's SQL before Postgres gets it: first the page fills in variables, then the
 * server of the PostgreSQL data source its macros. Written after Grafana's behaviour, its limits included: an
 * argument of a macro ends at the first `)`, and arguments are split at every comma.
 */
export type Filling = Readonly<{
  range: Readonly<{ from: Date; to: Date }>;
  /** Values by name; an array is what a variable with several values holds, `All` is all of them. */
  variables: Readonly<Record<string, string | readonly string[]>>;
}>;

/** @throws Error where a variable or a macro is not known, or a macro's arguments are wrong */
export function fillIn(sql: string, filling: Filling): string {
  return fillMacros(fillVariables(sql, filling), filling.range);
}

const VARIABLE = /\$(\w+)|\[\[(\w+?)(?::(\w+))?\]\]|\$\{(\w+)(?:\.[^:^}]+)?(?::([^}]+))?\}/g;
const MACRO = /\$(__[_a-zA-Z0-9]+)\(([^)]*)\)/g;

/** The variables that a statement names. */
export function variablesIn(sql: string): string[] {
  return [...sql.matchAll(VARIABLE)].flatMap(([, plain, square, , braced]) => {
    const name = plain ?? square ?? braced ?? '';
    return name.startsWith('__') ? [] : [name];
  });
}

function fillVariables(sql: string, { variables }: Filling): string {
  return sql.replace(VARIABLE, (all, plain, square, squareFormat, braced, bracedFormat) => {
    const name = String(plain ?? square ?? braced);
    if (name.startsWith('__')) return all;
    const value = variables[name];
    if (value === undefined) throw new Error(`the variable ${name} is not defined`);
    return written(value, squareFormat ?? bracedFormat);
  });
}

/** Without a format, a data source of SQL quotes several values and escapes one. */
function written(value: string | readonly string[], format: string | undefined): string {
  const values = typeof value === 'string' ? [value] : value;
  switch (format) {
    case undefined:
      return typeof value === 'string' ? value.replaceAll("'", "''") : values.map(quoted).join(',');
    case 'sqlstring':
      return values.map((one) => quoted(one.replaceAll('"', '\\"'))).join(',');
    case 'csv':
    case 'raw':
      return values.join(',');
    default:
      throw new Error(`the format ${format} is not known here`);
  }
}

const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`;

function fillMacros(sql: string, range: Filling['range']): string {
  const filled = sql.replace(MACRO, (all, name: string, list: string, at: number) => {
    const args = list.split(',').map((arg) => arg.trim());
    // As it was in Grafana 5.2: what groups and is followed by a comma names its column.
    const alias = name === '__timeGroup' && sql[at + all.length] === ',';
    return macro(alias ? '__timeGroupAlias' : name, args, range);
  });
  if (/\$(?:__|\{|\[\[)/.test(filled)) throw new Error(`a macro is left: ${filled}`);
  return filled;
}

function macro(name: string, args: readonly string[], { from, to }: Filling['range']): string {
  const [column = '', interval] = args;
  switch (name) {
    case '__time':
      return `${column} AS "time"`;
    case '__timeFilter':
      return `${column} BETWEEN '${from.toISOString()}' AND '${to.toISOString()}'`;
    case '__timeFrom':
      return `'${from.toISOString()}'`;
    case '__timeTo':
      return `'${to.toISOString()}'`;
    case '__timeGroup': {
      if (interval === undefined) throw new Error('__timeGroup takes a column and an interval');
      const seconds = secondsOf(interval.replaceAll("'", ''));
      return `floor(extract(epoch from ${column})/${seconds})*${seconds}`;
    }
    case '__timeGroupAlias':
      return `${macro('__timeGroup', args, { from, to })} AS "time"`;
    case '__unixEpochFilter':
      return `${column} >= ${epoch(from)} AND ${column} <= ${epoch(to)}`;
    default:
      throw new Error(`the macro ${name} is not known here`);
  }
}

const epoch = (at: Date) => Math.floor(at.getTime() / 1_000);
const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400, w: 604_800 };

function secondsOf(interval: string): number {
  const [, count, unit = ''] = /^(\d+)([smhdw])$/.exec(interval) ?? [];
  const seconds = SECONDS[unit];
  if (seconds === undefined) throw new Error(`${interval} is not an interval`);
  return Number(count) * seconds;
}
