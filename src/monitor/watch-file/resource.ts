/**
 * What a file describes: kinds of resources, each declared in one file here and listed in `resource-kinds.ts`. A kind reads an
 * entry of a file and a stored row as the same settings, which are compared.
 */
import { z } from 'zod';
import { InvalidInput, type Problem } from '../../model/errors.ts';
import { isPlain, own } from '../../lib/json-values.ts';
import { findNearestName } from '../../lib/nearest-name.ts';
import type { OwnedTable } from '../../store/access/owners.ts';
import type { Id, Transaction } from '../../store/db/database.ts';
import type { ActingContext, Context } from '../context.ts';
import { decodeInput } from '../http/request-problems.ts';

/** Every member with its value; defaults are filled in, so that two of them are compared member by member. */
export type Settings = Readonly<Record<string, unknown>>;

/** Where a resource is: its slug or address, and for those inside of a topic, the topic. */
export type Place = { key: string; parent: string | null };

/** A resource of the database. `stored`: its settings as they are stored, if some are encrypted. */
export type Existing<S extends Settings = Settings> = Place & {
  id: Id;
  settings: S;
  stored?: unknown;
};

/** A resource of a file. `path`: of its entry, such as `rules.ferry`. */
export type Wanted<S extends Settings = Settings> = Place & { path: string; settings: S };

/** A resource that another one needs. `path`: below its entry. */
export type Need = { kind: string; key: string; path: string };

export type Entry = Place & { value: unknown; path: string };

/** What reading an entry may depend on. */
export type Reading<S extends Settings = Settings> = Place & {
  ctx: Context;
  /** The resource at this place; undefined if there is none. */
  before: Existing<S> | undefined;
  /** Members of the entry that are resources of other kinds. */
  nested: readonly string[];
};

export type ResourceKind<S extends Settings = Settings> = {
  /** The name of one resource of this kind: `topic`. */
  name: string;
  /** The member of the file, or of each topic, that lists these resources. */
  member: string;
  /** The kind of resource that contains these resources, and with which they are removed. */
  of?: 'topic';
  table: OwnedTable;
  /** Lists all resources that are not removed, or the resource at a place, by key. */
  list(ctx: Pick<Context, 'db' | 'config'>, at?: Place): Promise<Existing<S>[]>;
  /**
   * The entries of the member; problems of invalid entries are added to `problems`. Default: the member is an object, by
   * slug.
   */
  listEntries?(
    value: unknown,
    about: { parent: string | null; path: string; existing: readonly Existing<S>[] },
    problems: Problem[],
  ): Entry[];
  /** Keys are unique inside of a topic only. */
  isKeyedByParent?: true;
  /** @throws InvalidInput with all problems; paths are below the entry */
  read(entry: unknown, reading: Reading<S>): Promise<S>;
  /** Resources that it depends on. @param given its settings, or an entry that may not be valid */
  needs?(given: Settings): Need[];
  /** Its entry in a file, without defaults and secrets; null: no file can describe it. */
  toInput(row: Existing<S>): unknown;
  /** Settings that differ, as they may be shown. Default: all of them, as they are. */
  show?(settings: S): Settings;
  showKey?(place: Place): string;
  /** Whether the next run after these changes is a new baseline. */
  startsBaseline?(changed: readonly string[]): boolean;
  /** What keeps others from changing it. Default: the lock of its row. */
  lock?(tx: Transaction, row: Existing<S>): Promise<unknown>;
  /** Creates it, or replaces its settings. @returns a secret that is shown once */
  put(
    ctx: ActingContext,
    wanted: Wanted<S>,
    before: Existing<S> | undefined,
  ): Promise<{ secret?: string | null }>;
  remove(ctx: ActingContext, row: Existing<S>): Promise<unknown>;
};

/** The value of a secret in a file that leaves the secret unchanged. */
export const KEEP = 'keep';

/** A kind whose types are erased, as the list has them: settings that a kind reads fit its other functions. */
export function declareResource<S extends Settings>(kind: ResourceKind<S>): ResourceKind {
  return kind;
}

/** `topics.ferry.searches` and `[0].every`, or `every`, as one path. */
export function joinPath(...parts: readonly string[]): string {
  return parts
    .filter((part) => part !== '')
    .reduce((path, part) => (path === '' || part.startsWith('[') ? path + part : `${path}.${part}`), '');
}

/** Problems of an entry as those of the file. */
export function placeProblems(path: string, problems: readonly Problem[]): Problem[] {
  return problems.map((problem) => ({ ...problem, path: joinPath(path, problem.path) }));
}

/** Members that have no meaning, each with the one that is probably meant. */
export function findUnknownMembers(value: object, known: readonly string[]): Problem[] {
  return Object.keys(value)
    .filter((name) => !known.includes(name))
    .map((name) => {
      const near = findNearestName(name, known);
      const meant = near === undefined ? `members are ${known.join(', ')}` : `did you mean ${near}?`;
      return {
        path: name,
        given: describeGiven(own(value as Settings, name)),
        expected: `unknown member; ${meant}`,
      };
    });
}

/** What was given, without the content of lists and objects. */
export function describeGiven(value: unknown): unknown {
  if (Array.isArray(value)) return 'a list';
  return isPlain(value) ? 'an object' : value;
}

/**
 * Members of an entry by a schema, and the problems of all others.
 * @param nested members that other kinds read
 * @returns also the names of members that are not valid, which are left out
 */
export function readMembers<S extends z.ZodObject>(
  schema: S,
  entry: unknown,
  nested: readonly string[] = [],
): { members: Partial<z.output<S>>; problems: Problem[]; invalid: ReadonlySet<string> } {
  const value = entry === null ? {} : entry;
  if (!isPlain(value))
    throw new InvalidInput([
      { path: '', given: describeGiven(entry), expected: `members: ${Object.keys(schema.shape).join(', ')}` },
    ]);
  const problems = findUnknownMembers(value, [...Object.keys(schema.shape), ...nested]);
  const members: Record<string, unknown> = {};
  const invalid = new Set<string>();
  for (const [name, shape] of Object.entries(schema.shape)) {
    const given = own(value, name);
    if (given === undefined) continue;
    try {
      members[name] = decodeInput(z.object({ [name]: shape as z.ZodType }), { [name]: given })[name]; // of an object of zod
    } catch (error) {
      if (!(error instanceof InvalidInput)) throw error;
      problems.push(...error.problems);
      invalid.add(name);
    }
  }
  return { members: members as Partial<z.output<S>>, problems, invalid }; // what the schema made of each
}
