/** Placeholders in extra members of a request, such as `{"start_date": "{{since}}"}`. Pure. */

/** `since`: the publication time of the newest post of the last response, in ISO 8601. */
export const PLACEHOLDERS = ['since'] as const;
export type Placeholder = (typeof PLACEHOLDERS)[number];

/** The name may have spaces around it. */
const PATTERN = /\{\{([^{}]*)\}\}/g;

/** The names in all strings of a value, each once, known or not. Names of members have no placeholders. */
export function listPlaceholders(value: unknown): string[] {
  if (typeof value === 'string')
    return [...new Set([...value.matchAll(PATTERN)].map(([, name]) => (name ?? '').trim()))];
  if (typeof value !== 'object' || value === null) return [];
  return [...new Set(Object.values(value).flatMap(listPlaceholders))];
}

/**
 * Replaces placeholders inside strings, so that each value stays a JSON string. A member whose placeholder has no value yet is
 * left out: the first request of a search asks for everything.
 */
export function fillPlaceholders(
  members: Readonly<Record<string, unknown>>,
  values: Readonly<Record<Placeholder, string | null>>,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(members).flatMap(([name, value]) => {
      const filled = fillValue(value, values);
      return filled === undefined ? [] : [[name, filled]];
    }),
  );
}

/** @returns undefined if a placeholder in a string has no value */
function fillValue(value: unknown, values: Readonly<Record<Placeholder, string | null>>): unknown {
  if (typeof value === 'string') return fillText(value, values);
  if (Array.isArray(value))
    return value.map((element) => fillValue(element, values)).filter((element) => element !== undefined);
  return typeof value === 'object' && value !== null ? fillPlaceholders({ ...value }, values) : value;
}

function fillText(text: string, values: Readonly<Record<Placeholder, string | null>>): string | undefined {
  let isKnown = true;
  const filled = text.replaceAll(PATTERN, (whole, name: string) => {
    const placeholder = PLACEHOLDERS.find((known) => known === name.trim());
    if (placeholder === undefined) return whole;
    isKnown &&= values[placeholder] !== null;
    return values[placeholder] ?? '';
  });
  return isKnown ? filled : undefined;
}
