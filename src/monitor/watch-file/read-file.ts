/** Reads a file, which a client sends as JSON: every entry by its kind, and all problems at once, each with its path. */
import { InvalidInput, type Problem } from '../../model/errors.ts';
import { isPlain, own, type Plain } from '../../lib/json-values.ts';
import { findNearestName } from '../../lib/nearest-name.ts';
import { checkSlug } from '../../model/slug.ts';
import type { Context } from '../context.ts';
import {
  describeGiven,
  type Entry,
  type Existing,
  findUnknownMembers,
  type Place,
  placeProblems,
  type ResourceKind,
  type Wanted,
} from './resource.ts';
import { RESOURCE_KINDS } from './resource-kinds.ts';
import { setImmediate as nextTurn } from 'node:timers/promises';

/** Resources of a kind, in the file and in the database. */
export type KindState = { kind: ResourceKind; wanted: Wanted[]; existing: Existing[] };
export type FileState = {
  /** What the file owns is under this name; null: it owns nothing. */
  name: string | null;
  /** In the order of creation. */
  kinds: KindState[];
};

/** Recognizes a resource: by its key, or by this and its topic. */
export function identify({ isKeyedByParent }: ResourceKind, { key, parent }: Place): string {
  return isKeyedByParent === true ? `${parent ?? ''}\n${key}` : key;
}

/** The most resources of a file: what is read and compared at a time. */
const MAX_ENTRIES = 2_000;
/** Read between two turns of the event loop. */
const BATCH = 10;
/** Looking for the name that is meant takes long where there are many. */
const MAX_SUGGESTIONS = 20;

const TOP = RESOURCE_KINDS.filter(({ of }) => of === undefined);

/** @throws InvalidInput with all problems of the file, at paths such as `topics.ferry.searches.ferry-posts.every` */
export async function readFile(ctx: Context, file: unknown): Promise<FileState> {
  if (!isPlain(file)) {
    const given = typeof file === 'string' ? 'text' : describeGiven(file);
    const expected = `members: name, ${TOP.map(({ member }) => member).join(', ')}`;
    throw new InvalidInput([{ path: '', given, expected }]);
  }
  const problems = findUnknownMembers(file, ['name', ...TOP.map(({ member }) => member)]);
  const given = own(file, 'name') ?? null;
  const name = typeof given === 'string' ? checkSlug(given, 'name', problems) : null;
  if (given !== name) problems.push({ path: 'name', given: describeGiven(given), expected: 'text' });
  const kinds: KindState[] = [];
  for (const kind of RESOURCE_KINDS) kinds.push({ kind, wanted: [], existing: await kind.list(ctx) });
  const listed = listAll(file, kinds, problems);
  if ([...listed.values()].reduce((sum, { length }) => sum + length, 0) > MAX_ENTRIES)
    throw new InvalidInput([{ path: '', given: 'more', expected: `at most ${MAX_ENTRIES} resources` }]);
  for (const state of kinds) {
    const { kind, wanted, existing } = state;
    const before = new Map(existing.map((row) => [identify(kind, row), row]));
    const nested = RESOURCE_KINDS.flatMap(({ of, member }) => (of === kind.name ? [member] : []));
    for (const [i, { value, path, key, parent }] of (listed.get(kind) ?? []).entries()) {
      if (i % BATCH === BATCH - 1) await nextTurn();
      const at = { key, parent };
      try {
        const reading = { ...at, ctx, before: before.get(identify(kind, at)), nested };
        const settings = await kind.read(value, reading);
        wanted.push({ ...at, path, settings });
      } catch (error) {
        if (!(error instanceof InvalidInput)) throw error;
        problems.push(...placeProblems(path, error.problems));
      }
    }
  }
  problems.push(...findMissing(kinds, listed));
  if (problems.length > 0) throw new InvalidInput(problems);
  return { name, kinds };
}

/** The entries of each kind; problems of those whose place or key is not valid are added. */
function listAll(file: Plain, kinds: readonly KindState[], problems: Problem[]): Map<ResourceKind, Entry[]> {
  const listed = new Map<ResourceKind, Entry[]>();
  for (const { kind, existing } of kinds) {
    const owners: Entry[] =
      kind.of === undefined ? [{ key: '', parent: null, value: file, path: '' }] : topicsOf(listed);
    const entries: Entry[] = [];
    const seen = new Map<string, string>();
    for (const { key: topic, value, path: above } of owners) {
      const parent = kind.of === undefined ? null : topic;
      const members = isPlain(value) ? own(value, kind.member) : undefined;
      if (members === undefined || members === null) continue;
      const path = above === '' ? kind.member : `${above}.${kind.member}`;
      const about = { parent, path, existing };
      for (const entry of kind.listEntries?.(members, about, problems) ??
        listByKey(members, about, problems)) {
        const id = identify(kind, entry);
        const first = seen.get(id);
        if (first === undefined) entries.push(entry);
        else
          problems.push({
            path: entry.path,
            given: entry.key,
            expected: `another slug: ${first} has this one`,
          });
        seen.set(id, first ?? entry.path);
      }
    }
    listed.set(kind, entries);
  }
  return listed;
}

function topicsOf(listed: ReadonlyMap<ResourceKind, readonly Entry[]>): Entry[] {
  return [...listed].flatMap(([{ name }, entries]) => (name === 'topic' ? entries : []));
}

/** The entries of an object, by slug. */
function listByKey(
  value: unknown,
  { parent, path }: { parent: string | null; path: string },
  problems: Problem[],
): Entry[] {
  if (!isPlain(value)) {
    problems.push({ path, given: describeGiven(value), expected: 'members, each named by its slug' });
    return [];
  }
  return Object.entries(value).map(([key, entry]) => {
    const at = `${path}.${key}`;
    return { key: checkSlug(key, at, problems), parent, value: entry, path: at };
  });
}

/** Resources that entries need and that are neither in the file nor in the database. A stored resource may already need one that is gone. */
function findMissing(
  kinds: readonly KindState[],
  listed: ReadonlyMap<ResourceKind, readonly Entry[]>,
): Problem[] {
  const known = new Map(
    kinds.map(({ kind, existing }) => [
      kind.name,
      new Set([...(listed.get(kind) ?? []), ...existing].map(({ key }) => key)),
    ]),
  );
  let suggestions = 0;
  return kinds.flatMap(({ kind, existing }) => {
    if (kind.needs === undefined) return [];
    const rows = new Map(existing.map((row) => [identify(kind, row), row]));
    return (listed.get(kind) ?? []).flatMap((entry): Problem[] => {
      const before = rows.get(identify(kind, entry));
      const kept = before === undefined ? [] : (kind.needs?.(before.settings) ?? []);
      const needs = isPlain(entry.value) ? (kind.needs?.(entry.value) ?? []) : [];
      return needs
        .filter((need) => known.get(need.kind)?.has(need.key) !== true)
        .filter((need) => !kept.some((had) => had.kind === need.kind && had.key === need.key))
        .map(({ kind: missing, key, path }) => {
          suggestions += 1;
          const names = suggestions > MAX_SUGGESTIONS ? [] : [...(known.get(missing) ?? [])];
          const near = findNearestName(key, names);
          const meant = near === undefined ? 'there is none with this slug' : `did you mean ${near}?`;
          return {
            path: `${entry.path}.${path}`,
            given: key,
            expected: `a ${missing} of the file or the database; ${meant}`,
          };
        });
    });
  });
}
