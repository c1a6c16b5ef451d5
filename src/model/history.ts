/**
 * The history of a post or an author: a function of the set of responses, not of the order in which they are saved.
 * A response is a row of the history if it says something new; it says nothing about unknown members. What a partial
 * copy says counts as long as no full copy has said it.
 *
 * The save applies the same rule in SQL to responses that are the newest (`store/save/facts-sql.ts`).
 */

/** What a response said about an item, by member; null is unknown. Values are JSON. */
export type Observation = {
  /** When the response was received (ms since 1970). */
  at: number;
  isPartial: boolean;
  values: Readonly<Record<string, unknown>>;
};

/**
 * A response of which only the known members are stored, because it said nothing new when it was saved. Those of the
 * same kind that know the same share one list.
 */
export type Confirmation = { at: number; isPartial: boolean; known: readonly string[] };

type Value = { at: number; value: unknown };

/** The newest known value of each member, with the time of the row that has it. */
type LatestValues = ReadonlyMap<string, Value & { isPartial: boolean }>;

class KnownValues {
  readonly #full = new Map<string, Value>();
  readonly #partial = new Map<string, Value>();

  /** The value that a copy of this kind repeats if it says nothing new; undefined: its value was ignored. */
  repeated(member: string, isPartial: boolean): unknown {
    if (!isPartial) return this.#full.get(member)?.value;
    return this.#full.has(member) ? undefined : this.#partial.get(member)?.value;
  }

  /** Whether an observation says something new. */
  isNews({ isPartial, values }: Observation): boolean {
    return Object.entries(values).some(
      ([member, value]) =>
        isKnown(value) &&
        !(isPartial && this.#full.has(member)) &&
        !isEqual(value, this.repeated(member, isPartial)),
    );
  }

  add({ at, isPartial, values }: Observation): void {
    const known = isPartial ? this.#partial : this.#full;
    for (const [member, value] of Object.entries(values))
      if (isKnown(value)) known.set(member, { at, value });
  }

  /** An observation without what is ignored in it, because a full copy has said it. */
  withoutIgnored<T extends Observation>(seen: T): T {
    if (!seen.isPartial) return seen;
    const counted = Object.entries(seen.values).map(([member, value]) => [
      member,
      this.#full.has(member) ? null : value,
    ]);
    return { ...seen, values: Object.fromEntries(counted) };
  }

  latest(): LatestValues {
    const mark = (isPartial: boolean) => (values: Map<string, Value>) =>
      [...values].map(([member, value]) => [member, { ...value, isPartial }] as const);
    return new Map([...mark(true)(this.#partial), ...mark(false)(this.#full)]);
  }
}

const isKnown = (value: unknown) => value !== null && value !== undefined;
const isEqual = (a: unknown, b: unknown) => a === b || JSON.stringify(a) === JSON.stringify(b);
const compareTimes = (a: { at: number }, b: { at: number }) => a.at - b.at;

/**
 * Adds observations to a history.
 * @param stored rows of the history
 * @param confirmations responses that may have no row; others are ignored
 * @param added in any order. One at the time of a row is the same response, parsed again: it replaces what it knows
 * @param keepsFirst whether the first observation is a row even if it knows nothing
 * @returns the rows, oldest first, and what is known now
 */
export function addToHistory<T extends Observation>(
  {
    stored,
    confirmations,
  }: { stored: readonly T[]; confirmations: readonly (Confirmation & Omit<T, 'values'>)[] },
  added: readonly T[],
  { keepsFirst }: { keepsFirst: boolean },
): { rows: T[]; latest: LatestValues } {
  const all = new Map(stored.map((row) => [row.at, row]));
  const before = new KnownValues();
  const times = [...stored, ...added].map(({ at }) => at).toSorted((a, b) => a - b);
  let passed = 0;
  const repeated = new Set<unknown>();
  for (const seen of [...stored, ...confirmations].toSorted(compareTimes)) {
    if ('values' in seen) before.add(seen);
    else if (!all.has(seen.at)) {
      for (; (times[passed] ?? Number.POSITIVE_INFINITY) < seen.at; passed += 1) repeated.clear();
      const { known, ...rest } = seen;
      // Between two rows, the first of several that know the same says what the others say. There may be thousands.
      if (repeated.has(known)) continue;
      repeated.add(known);
      const values = Object.fromEntries(
        known.map((member) => [member, before.repeated(member, seen.isPartial)]),
      );
      all.set(seen.at, { ...rest, values } as unknown as T); // a confirmation is an observation without values
    }
  }
  for (const row of added.toSorted(compareTimes)) {
    const same = stored.find(({ at }) => at === row.at);
    const known = Object.entries(row.values).filter(([, value]) => isKnown(value));
    all.set(
      row.at,
      same === undefined ? row : { ...same, values: { ...same.values, ...Object.fromEntries(known) } },
    );
  }
  const now = new KnownValues();
  const rows = [...all.values()].toSorted(compareTimes).flatMap((seen, i) => {
    if (!(now.isNews(seen) || (keepsFirst && i === 0))) return [];
    const row = now.withoutIgnored(seen);
    now.add(row);
    return [row];
  });
  return { rows, latest: now.latest() };
}
