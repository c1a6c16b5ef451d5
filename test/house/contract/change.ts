/** What a difference between two states of the contract means for its version. */
import type { Contract, ContractView } from './contract.ts';

export type Change = { size: 'minor' | 'major'; what: string };

/** Major is what may break a query or change what it says; minor is what comes, and what is said of it. */
export function changesBetween(before: Contract, after: Contract): Change[] {
  const now = new Map(after.views.map((view) => [view.name, view]));
  const was = new Map(before.views.map((view) => [view.name, view]));
  return [
    ...before.views.flatMap((view) => {
      const same = now.get(view.name);
      return same === undefined ? [major(`${view.name} is gone`)] : changesOf(view, same);
    }),
    ...after.views.filter(({ name }) => !was.has(name)).map(({ name }) => minor(`${name} is new`)),
  ];
}

function changesOf(before: ContractView, after: ContractView): Change[] {
  const changes: Change[] = [];
  if (before.meaning !== after.meaning) changes.push(minor(`${after.name} says differently what it is`));
  for (const [i, column] of before.columns.entries()) {
    const name = `${before.name}.${column.name}`;
    const place = after.columns.findIndex((one) => one.name === column.name);
    const same = after.columns[place];
    if (same === undefined) {
      changes.push(major(`${name} is gone`));
      continue;
    }
    if (place !== i) changes.push(major(`${name} stands elsewhere`));
    if (same.type !== column.type) changes.push(major(`${name} was ${column.type} and is ${same.type}`));
    if (same.nullable && !column.nullable) changes.push(major(`${name} may be null`));
    if (!same.nullable && column.nullable) changes.push(minor(`${name} is never null`));
    if (same.meaning !== column.meaning) changes.push(minor(`${name} says differently what it is`));
  }
  const known = new Set(before.columns.map(({ name }) => name));
  for (const { name } of after.columns)
    if (!known.has(name)) changes.push(minor(`${after.name}.${name} is new`));
  return changes;
}

const major = (what: string): Change => ({ size: 'major', what });
const minor = (what: string): Change => ({ size: 'minor', what });

/** The lowest version that may follow; the same where nothing changed. */
export function nextVersion(version: string, changes: readonly Change[]): string {
  const [high, low] = partsOf(version);
  if (changes.length === 0) return version;
  return changes.some(({ size }) => size === 'major') ? `${high + 1}.0` : `${high}.${low + 1}`;
}

/** Whether a version is at least another: numbers are compared, so that 1.10 comes after 1.9. */
export function isAtLeast(version: string, least: string): boolean {
  const [high, low] = partsOf(version);
  const [leastHigh, leastLow] = partsOf(least);
  return high === leastHigh ? low >= leastLow : high > leastHigh;
}

function partsOf(version: string): [number, number] {
  const [, high, low] = /^(\d+)\.(\d+)$/.exec(version) ?? [];
  if (high === undefined || low === undefined) throw new Error(`no version such as 1.1: ${version}`);
  return [Number(high), Number(low)];
}
