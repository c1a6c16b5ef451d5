/** The version change that a difference between two contracts requires. */
import type { Contract, ContractView } from './contract.ts';

export type Change = { size: 'minor' | 'major'; what: string };

/** Major: may break a query or change its meaning. Minor: additions and documentation. */
export function changesBetween(before: Contract, after: Contract): Change[] {
  const now = new Map(after.views.map((view) => [view.name, view]));
  const was = new Map(before.views.map((view) => [view.name, view]));
  return [
    ...before.views.flatMap((view) => {
      const same = now.get(view.name);
      return same === undefined ? [major(`${view.name} was removed`)] : changesOf(view, same);
    }),
    ...after.views.filter(({ name }) => !was.has(name)).map(({ name }) => minor(`${name} was added`)),
  ];
}

function changesOf(before: ContractView, after: ContractView): Change[] {
  const changes: Change[] = [];
  if (before.meaning !== after.meaning) changes.push(minor(`${after.name} has a changed comment`));
  for (const [i, column] of before.columns.entries()) {
    const name = `${before.name}.${column.name}`;
    const place = after.columns.findIndex((one) => one.name === column.name);
    const same = after.columns[place];
    if (same === undefined) {
      changes.push(major(`${name} was removed`));
      continue;
    }
    if (place !== i) changes.push(major(`${name} was moved`));
    if (same.type !== column.type) changes.push(major(`${name} changed from ${column.type} to ${same.type}`));
    if (same.nullable && !column.nullable) changes.push(major(`${name} became nullable`));
    if (!same.nullable && column.nullable) changes.push(minor(`${name} is no longer nullable`));
    if (same.meaning !== column.meaning) changes.push(minor(`${name} has a changed comment`));
  }
  const known = new Set(before.columns.map(({ name }) => name));
  for (const { name } of after.columns)
    if (!known.has(name)) changes.push(minor(`${after.name}.${name} was added`));
  return changes;
}

const major = (what: string): Change => ({ size: 'major', what });
const minor = (what: string): Change => ({ size: 'minor', what });

/** The lowest version allowed after these changes; unchanged if there are none. */
export function nextVersion(version: string, changes: readonly Change[]): string {
  const [high, low] = partsOf(version);
  if (changes.length === 0) return version;
  return changes.some(({ size }) => size === 'major') ? `${high + 1}.0` : `${high}.${low + 1}`;
}

/** Compares numbers, so that 1.10 comes after 1.9. */
export function isAtLeast(version: string, least: string): boolean {
  const [high, low] = partsOf(version);
  const [leastHigh, leastLow] = partsOf(least);
  return high === leastHigh ? low >= leastLow : high > leastHigh;
}

function partsOf(version: string): [number, number] {
  const [, high, low] = /^(\d+)\.(\d+)$/.exec(version) ?? [];
  if (high === undefined || low === undefined)
    throw new Error(`expected a version such as 1.1, got ${version}`);
  return [Number(high), Number(low)];
}
