import { types } from 'pg';

/** A column's type in Postgres' words; an array also has that of its elements. */
export type ColumnType = Readonly<{ name: string; element: string | undefined }>;

// The library knows array types, its declarations do not: the number is that of text[].
const splitArray: (text: string) => unknown = types.getTypeParser(1_009 as number);

/**
 * How to read the texts of a column into what JSON can hold without loss: numbers where a number is exact
 * and the column is no key, times as ISO 8601 in UTC, JSON as it is, all else as the text itself.
 * @param options.small JSON stays text, and so do arrays of more than {@link MAX_ARRAY_TEXT} characters
 */
export function readColumn(
  name: string,
  type: ColumnType | undefined,
  { small }: { small: boolean },
): (text: string) => unknown {
  const how = { key: /(^|_)ids?$/.test(name), small };
  if (type?.element === undefined) return (text) => readValue(text, type?.name ?? 'text', how);
  const { element } = type;
  return (text) =>
    small && text.length > MAX_ARRAY_TEXT ? text : readElements(splitArray(text), element, how);
}

/** Characters. Longer arrays stay text: parsed, nested arrays take about seventy times the memory of their text. */
export const MAX_ARRAY_TEXT = 200_000;

/** `key`: digits stay text. */
type How = Readonly<{ key: boolean; small: boolean }>;

function readElements(value: unknown, element: string, how: How): unknown {
  if (Array.isArray(value)) return value.map((one) => readElements(one, element, how));
  return typeof value === 'string' ? readValue(value, element, how) : value;
}

function readValue(text: string, type: string, { key, small }: How): unknown {
  switch (type) {
    case 'boolean':
      return text === 't';
    case 'smallint':
    case 'integer':
    case 'bigint':
    case 'numeric':
    case 'real':
    case 'double precision':
      return key ? text : exactNumber(text, type);
    case 'timestamp with time zone':
      return isoTime(text);
    case 'json':
    case 'jsonb':
      return small ? text : JSON.parse(text);
    default:
      return text;
  }
}

/** A number, if it says the same as the text; `NaN`, infinities and what has more digits stay text. */
function exactNumber(text: string, type: string): number | string {
  const number = Number(text);
  if (!Number.isFinite(number)) return text;
  if (type === 'real' || type === 'double precision') return number;
  if (/^-?\d+$/.test(text)) return Number.isSafeInteger(number) ? number : text;
  const plain = text.includes('.') ? text.replace(/\.?(?<!0)0+$/, '') : text;
  return String(number) === plain ? number : text;
}

/** `2026-11-21 09:04:00.5+00` as `2026-11-21T09:04:00.500Z`; `infinity` and years before 1 stay as they are. */
function isoTime(text: string): string {
  const time = new Date(text.replace(' ', 'T').replace(/\+00$/, 'Z'));
  return Number.isNaN(time.getTime()) ? text : time.toISOString();
}
