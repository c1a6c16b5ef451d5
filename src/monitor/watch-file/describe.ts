/** Describes what there is as a file: applying it changes nothing. Secrets are `keep`. */
import { readOwners } from '../../store/access/owners.ts';
import type { Context } from '../context.ts';
import { requireTopic } from '../topics/find-by-slug.ts';
import type { Existing, ResourceKind } from './resource.ts';
import { RESOURCE_KINDS } from './resource-kinds.ts';
import { setImmediate as nextTurn } from 'node:timers/promises';

/** Described between two turns of the event loop. */
const BATCH = 100;

/** A file: `name`, and members of each kind. */
export type DescribedFile = Record<string, unknown>;
export type Description = {
  file: DescribedFile;
  /** What no file can describe, such as `the rule system`. */
  left_out: string[];
};

/** @param topic only this topic, with rules about it and their channels; undefined: everything @throws Refused `not_found` */
export async function describeAll(ctx: Context, topic?: string): Promise<Description> {
  const about = topic === undefined ? undefined : (await requireTopic(ctx.db.pool, topic)).slug;
  const rows: { kind: ResourceKind; row: Existing; input: unknown; owner: string | null }[] = [];
  for (const kind of RESOURCE_KINDS) {
    const owners = await readOwners(ctx.db.pool, kind.table);
    for (const [i, row] of (await kind.list(ctx)).entries()) {
      if (i % BATCH === BATCH - 1) await nextTurn();
      rows.push({ kind, row, input: kind.toInput(row), owner: owners.get(row.id) ?? null });
    }
  }
  const chosen = chooseRows(rows, about);
  const known = chosen.filter(({ input }) => input !== null);
  const owners = new Set(known.map(({ owner }) => owner));
  const [owner = null] = owners;
  const file: DescribedFile = owners.size === 1 && owner !== null ? { name: owner } : {};
  for (const { kind, row, input } of known) addEntry(file, kind, row, input);
  return {
    file,
    left_out: chosen
      .filter(({ input }) => input === null)
      .map(({ kind, row }) => `the ${kind.name} ${row.key}`),
  };
}

type Row = { kind: ResourceKind; row: Existing };

/** All resources; or the resources of a topic, those that need them, and those that all of these need. */
function chooseRows<R extends Row>(rows: readonly R[], topic: string | undefined): readonly R[] {
  if (topic === undefined) return rows;
  const name = (kind: string, key: string) => `${kind} ${key}`;
  const listNeeds = ({ kind, row }: Row) =>
    (kind.needs?.(row.settings) ?? []).map((need) => name(need.kind, need.key));
  const isInside = ({ kind, row }: Row) =>
    kind.of === undefined ? kind.name === 'topic' && row.key === topic : row.parent === topic;
  const inside = new Set(rows.filter(isInside).map(({ kind, row }) => name(kind.name, row.key)));
  const chosen = rows.filter((each) => isInside(each) || listNeeds(each).some((need) => inside.has(need)));
  const needed = new Set(chosen.flatMap(listNeeds));
  const isOfTopics = ({ kind }: Row) => kind.name === 'topic' || kind.of !== undefined;
  return rows.filter(
    (each) => chosen.includes(each) || (!isOfTopics(each) && needed.has(name(each.kind.name, each.row.key))),
  );
}

/** Inside of its topic, or of the file; a list for kinds that are listed. */
function addEntry(file: DescribedFile, kind: ResourceKind, { key, parent }: Existing, input: unknown): void {
  const owner = parent === null ? file : memberOf(memberOf(file, 'topics'), parent);
  if (kind.listEntries === undefined) memberOf(owner, kind.member)[key] = input;
  else {
    const list: unknown = owner[kind.member];
    owner[kind.member] = [...(Array.isArray(list) ? list : []), input];
  }
}

/** The object of a member, which is added if there is none. Slugs are no names of prototypes: `__proto__` is no slug. */
function memberOf(object: Record<string, unknown>, name: string): Record<string, unknown> {
  if (!Object.hasOwn(object, name)) object[name] = {};
  return object[name] as Record<string, unknown>; // it was made here
}
