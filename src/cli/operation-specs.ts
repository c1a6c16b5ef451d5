/**
 * What a command needs to know of an operation: its options, and how its request is made. It is printed from the declarations by
 * `npm run -s operations:print`, so that a command loads no schema.
 */
import { readFileSync } from 'node:fs';
import type { Subject } from '../app/operations.ts';
import type { TypedValue } from '../monitor/typed-values.ts';

export type MemberSpec = {
  name: string;
  in: 'params' | 'query' | 'body';
  /** The name of the argument; omitted: it is an option. */
  argument?: string;
  /** Of the option, such as `--name <name>`. */
  flag: string;
  help: string;
  required?: true;
  /** The option names a file that contains the value. */
  file?: true;
  list?: true;
  read?: TypedValue;
  /** Of a command that has fewer choices than the route. */
  choices?: readonly string[];
  /** What is expected where `read` refuses, or of a part of the path that is empty. */
  expected?: string;
};

export type OperationSpec = {
  id: string;
  subject: Subject;
  command?: string;
  does: string;
  method: string;
  /** With `{name}` where a member is. */
  path: string;
  members: readonly MemberSpec[];
  /** Of a list: how many rows the command prints unless asked; null: all. */
  shown?: number | null;
  once?: string;
  callsService?: true;
  runsIn?: 'server';
  sends?: Readonly<Record<string, unknown>>;
  shortcuts?: Readonly<Record<string, { help: string; sets: Readonly<Record<string, unknown>> }>>;
  example?: string;
};

let specs: readonly OperationSpec[] | undefined;

export function listSpecs(): readonly OperationSpec[] {
  specs ??= JSON.parse(
    readFileSync(new URL('operation-specs.json', import.meta.url), 'utf8'),
  ) as OperationSpec[]; // as it was printed, which test/house compares
  return specs;
}

/** @throws Error if there is none */
export function findSpec(id: string): OperationSpec {
  const spec = listSpecs().find((each) => each.id === id);
  if (spec === undefined) throw new Error(`no operation ${id}`);
  return spec;
}
