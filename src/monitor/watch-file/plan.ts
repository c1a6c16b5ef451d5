/** Compares a file with the database: what applying it would do. Changes nothing. */
import { isPlain } from '../../lib/json-values.ts';
import { InvalidInput, type Problem } from '../../model/errors.ts';
import { diffFields } from '../../store/access/audit-entries.ts';
import { readOwners } from '../../store/access/owners.ts';
import type { Id } from '../../store/db/database.ts';
import type { Context } from '../context.ts';
import { type CallsPerDay, forecastCalls } from './plan-calls.ts';
import { type FileState, identify, type KindState, readFile } from './read-file.ts';
import type { Existing, ResourceKind, Settings, Wanted } from './resource.ts';
import { isActive, type Step, type StepAction } from './step.ts';
import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';

/** What happens to resources that the name owns and the file lacks: they stay, are removed, or stay without an owner. */
export const ABSENT = ['keep', 'remove', 'release'] as const;
export type Absent = (typeof ABSENT)[number];

/** A change, as it is shown. */
export type PlanStep = {
  action: StepAction;
  kind: string;
  /** Its slug; of a source its address. */
  key: string;
  topic: string | null;
  /** All settings, if it is created; the settings that differ, if it is changed. Secrets are hidden. */
  changes: Record<string, { before?: unknown; after?: unknown }>;
  /** Its next run is a new baseline. */
  baseline: boolean;
  /** Why it is so; null if that is obvious. */
  note: string | null;
};

export type Plan = {
  name: string | null;
  /** Hash of everything that the plan depends on. */
  fingerprint: string;
  steps: PlanStep[];
  /** Whether applying it does anything. */
  differs: boolean;
  /** Whether it removes more than half of what the name owns. */
  removes_most: boolean;
  /** Planned calls a day of each service. */
  calls: CallsPerDay[];
};

/**
 * @param file as a client sends it
 * @throws InvalidInput with all problems of the file, and of resources that another file owns
 */
export async function planFile(ctx: Context, file: unknown, absent: Absent): Promise<Plan> {
  return (await compareFile(ctx, file, absent)).plan;
}

export async function compareFile(
  ctx: Context,
  file: unknown,
  absent: Absent,
): Promise<{ plan: Plan; steps: Step[] }> {
  const state = await readFile(ctx, file);
  const { name, kinds } = state;
  if (name === null && absent !== 'keep')
    throw new InvalidInput([
      {
        path: 'name',
        given: undefined,
        expected: `a name: only what it owns can be ${absent === 'remove' ? 'removed' : 'released'}`,
      },
    ]);
  const problems: Problem[] = [];
  const steps: Step[] = [];
  let owned = 0;
  for (const each of kinds) {
    const owners = await readOwners(ctx.db.pool, each.kind.table);
    steps.push(...(await compareKind(each, { name, owners, problems })));
    const left = name === null ? [] : findLeft(each, owners, name);
    owned += each.existing.filter(({ id }) => owners.get(id) === name && name !== null).length;
    steps.push(...left.map((row): Step => ({ ...describeLeft(row, each.kind, absent), owner: name })));
  }
  if (problems.length > 0) throw new InvalidInput(problems);
  keepParents(steps, state);
  const ordered = orderSteps(steps);
  const removed = ordered.filter(({ action }) => action === 'remove').length;
  const plan: Plan = {
    name,
    fingerprint: await computeFingerprint(ordered, name),
    steps: await mapInTurns(ordered, showStep),
    differs: ordered.some(isActive),
    removes_most: removed * 2 > owned,
    calls: await forecastCalls(ctx, ordered),
  };
  return { plan, steps: ordered };
}

type Owning = { name: string | null; owners: ReadonlyMap<Id, string>; problems: Problem[] };

/** What becomes of the resources of the file. */
async function compareKind(
  { kind, wanted, existing }: KindState,
  { name, owners, problems }: Owning,
): Promise<Step[]> {
  const rows = new Map(existing.map((row) => [identify(kind, row), row]));
  return mapInTurns(wanted, (each): Step => {
    const before = rows.get(identify(kind, each));
    const base = { kind, wanted: each, before, owner: null, note: null };
    if (before === undefined) return { ...base, action: 'create', changed: { ...each.settings } };
    const owner = owners.get(before.id) ?? null;
    const changed = diffFields(before.settings, each.settings);
    const differs = Object.keys(changed).length > 0;
    const isForeign = owner !== null && owner !== name;
    if (isForeign && differs)
      problems.push({
        path: each.path,
        given: each.key,
        expected: `no changes: it belongs to "${owner}". Change it there, or take it out of that file and apply it with --release (differs: ${Object.keys(changed).join(', ')})`,
      });
    const note = isForeign ? `belongs to ${owner}` : null;
    if (owner === null && name !== null) return { ...base, owner, changed, action: 'adopt' };
    return { ...base, owner, changed, note, action: differs ? 'change' : 'unchanged' };
  });
}

/** Resources that the name owns and the file lacks. */
function findLeft(
  { kind, wanted, existing }: KindState,
  owners: ReadonlyMap<Id, string>,
  name: string,
): Existing[] {
  const listed = new Set(wanted.map((each) => identify(kind, each)));
  return existing.filter((row) => owners.get(row.id) === name && !listed.has(identify(kind, row)));
}

function describeLeft(before: Existing, kind: ResourceKind, absent: Absent): Omit<Step, 'owner'> {
  const note = absent === 'keep' ? 'not in the file' : null;
  return { kind, before, wanted: undefined, changed: {}, action: absent, note };
}

/** A topic stays while something in it stays: removing it would remove that, too. */
function keepParents(steps: readonly Step[], { kinds }: FileState): void {
  for (const step of steps) {
    if (step.action !== 'remove' || step.kind.of !== undefined || step.before === undefined) continue;
    const { key } = step.before;
    const staying = kinds.flatMap(({ kind, existing }) =>
      kind.of !== step.kind.name
        ? []
        : existing
            .filter(
              (row) =>
                row.parent === key &&
                !steps.some(({ action, before }) => action === 'remove' && before === row),
            )
            .map((row) => `the ${kind.name} ${showKey(kind, row)}`),
    );
    if (staying.length === 0) continue;
    step.action = 'keep';
    step.note = `has ${staying[0]}${staying.length > 1 ? ` and ${staying.length - 1} more` : ''}, which the name does not own`;
  }
}

/** Orders steps: creations and changes first, each after the resources that it needs; then removals, in reverse. */
function orderSteps(steps: readonly Step[]): Step[] {
  const goes = ({ wanted }: Step) => wanted === undefined;
  return [...steps.filter((step) => !goes(step)), ...steps.filter(goes).toReversed()];
}

const showKey = (kind: ResourceKind, place: Existing | Wanted): string => kind.showKey?.(place) ?? place.key;

export function showStep({ kind, action, wanted, before, changed, note }: Step): PlanStep {
  const place = wanted ?? before;
  if (place === undefined) throw new Error('a step is about a resource');
  const baseline = wanted !== undefined && kind.startsBaseline?.(Object.keys(changed)) === true;
  const changes = showChanges(kind, before, wanted);
  return { action, kind: kind.name, key: showKey(kind, place), topic: place.parent, changes, baseline, note };
}

/**
 * The changes of a step: of a new resource its settings in the file, without defaults; of an existing resource the settings
 * that differ.
 */
function showChanges(
  kind: ResourceKind,
  before: Existing | undefined,
  wanted: Wanted | undefined,
): PlanStep['changes'] {
  if (wanted === undefined) return {};
  const show = (settings: Settings) => kind.show?.(settings) ?? settings;
  const after = show(wanted.settings);
  if (before !== undefined) {
    const old = show(before.settings);
    const names = Object.keys(diffFields(before.settings, wanted.settings));
    return Object.fromEntries(names.map((name) => [name, { before: old[name], after: after[name] }]));
  }
  const input = kind.toInput({ ...wanted, id: 0n });
  const names = isPlain(input) ? Object.keys(input).filter((name) => name in after) : [];
  return Object.fromEntries(names.map((name) => [name, { after: after[name] }]));
}

/** Identifies a resource as it is now: the hash differs if anything of the resource was changed. */
export function hashRow(row: Existing | undefined, owner: string | null): string {
  const { id, parent, key, settings, stored } = row ?? {};
  return hash([String(id), parent, key, stored ?? settings, owner]);
}

async function computeFingerprint(steps: readonly Step[], name: string | null): Promise<string> {
  const parts = await mapInTurns(steps, ({ kind, action, wanted, before, owner, changed }) =>
    hash([
      kind.name,
      action,
      wanted?.parent,
      wanted?.key,
      Object.keys(changed),
      wanted === undefined ? null : (kind.show?.(wanted.settings) ?? wanted.settings),
      hashRow(before, owner),
    ]),
  );
  return hash([name, parts]).slice(0, 32);
}

/** Mapped between two turns of the event loop. */
const BATCH = 50;

async function mapInTurns<T, R>(all: readonly T[], map: (each: T) => R): Promise<R[]> {
  const mapped: R[] = [];
  for (const [i, each] of all.entries()) {
    if (i % BATCH === BATCH - 1) await nextTurn();
    mapped.push(map(each));
  }
  return mapped;
}

/** Members in a fixed order, as objects of the database and of a file may have them in another. */
function hash(value: unknown): string {
  const sorted = (_name: string, member: unknown): unknown =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : member;
  return createHash('sha256').update(JSON.stringify(value, sorted)).digest('hex');
}
