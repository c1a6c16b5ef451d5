/**
 * An operation is one thing that a person or a program can do, declared once beside the rules it calls. The API mounts it as a
 * route (`api/operation-routes.ts`); the command line has a printed description of it (`cli/operation-specs.json`), and requests it.
 */
import { z } from 'zod';
import type { Scope, Visitor } from './access/visitor-scopes.ts';
import type { ActingContext, EmbeddedDatabase } from './context.ts';
import type { TypedValue } from './typed-values.ts';

/** Who calls, and what the functions of the monitor need. */
export type Call = {
  ctx: ActingContext;
  visitor: Visitor;
  /** Of a list: how many rows to read, and the key of the last row before them; undefined for the first rows. */
  page: { limit: number; after: unknown };
  /** Where the caller finds the pages and the API, without a slash at its end. */
  findPublicBase: () => string | Promise<string>;
  /** The database that the program runs itself; null for an external one. */
  embedded: EmbeddedDatabase | null;
  /** Takes a place of the client for a text search, and returns the function that frees it. @throws Denied, Refused */
  takeFind?: () => () => void;
  /** Aborted when a command is interrupted. Routes continue without their client, unless `endsWithClient`. */
  stopping?: AbortSignal;
  /** Of a PUT: what exists must not be replaced (`If-None-Match: *`). */
  onlyCreate?: boolean;
};

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** The members of the request: one object, or several of which one is given. */
export type Input = z.ZodObject | z.ZodUnion<readonly z.ZodObject[]>;

/** @template In its input @template Out what it returns, or the rows of a list */
export type Operation<In extends Input = Input, Out = unknown> = {
  /** The name in the API: a verb and a noun in camel case. */
  id: string;
  /** Omitted: the API does not have it. */
  route?: `${Method} /api/${string}`;
  /** As a person types it, without arguments. Omitted: there is no such command. */
  command?: string;
  /** What it does, in a few words, for the document of the API and the help of the command. */
  does: string;
  /** More about it, in sentences, for the document of the API. */
  more: string;
  tag: string;
  /** If there are several, all are needed. */
  scope: Scope | readonly Scope[];
  /**
   * Members that the route names are in its path; the others are in the query of GET and DELETE, and in the body of other
   * methods.
   */
  input: In;
  /** Members of the query although the route has a body. */
  query?: readonly string[];
  /** The route takes a request without a body as well. */
  mayLackBody?: true;
  /** The reply, or a row of a list. */
  output: z.core.$ZodType;
  /**
   * A list: what its cursor contains, and how this is read from a row.
   * `item`: what a row is in the reply; omitted: itself. `beside`: further members of the reply; `run` returns them with `rows`.
   * `shown`: how many rows the command prints unless asked; omitted: all.
   */
  list?: {
    cursor: z.core.$ZodType;
    key: (row: never) => unknown;
    item?: (row: never) => unknown;
    beside?: z.ZodRawShape;
    shown?: number;
  };
  /** The member of the reply that is shown once and never stored. */
  once?: string;
  /** It creates something (201): its path; or true if it has none. Of a PUT, `run` returns whether it did: see `put.ts`. */
  created?: true | ((out: never) => string);
  /** It is done later (202): the path where it can be followed; or true if there is none. */
  accepted?: true | ((out: never) => string);
  /** The route honors `Idempotency-Key`. */
  idempotent?: true;
  /** It waits for a service, so it may take as long as a call; what it records is committed at once. */
  callsService?: true;
  /** The route stops when its client disconnects: `stopping` is aborted. */
  endsWithClient?: true;
  /** It depends on the configuration or calls services, so a command waits for a server that is starting. */
  runsIn?: 'server';
  /** What the command sends unless asked, where this differs from the default of the route. */
  sends?: Readonly<Record<string, unknown>>;
  /** Flags of the command that set members instead of their options. */
  shortcuts?: Readonly<Record<`--${string}`, { help: string; sets: Readonly<Record<string, unknown>> }>>;
  /** A command for the help; several are lines. */
  example?: string;
  run(call: Call, input: z.output<In>): Promise<Out>;
};

/** An operation whose types are erased, as lists of operations have them: what its schema validated fits its `run`. */
export type AnyOperation = Omit<Operation, 'run'> & { run(call: Call, input: never): Promise<unknown> };

/** Infers the types of a declaration. */
export function declareOperation<const In extends Input, Out>(
  operation: Operation<In, Out>,
): Operation<In, Out> {
  return operation;
}

/** How a command reads and describes a member of an input; the API needs none of it. */
export type CommandWords = {
  /** The option. Without a value in angle brackets it is a flag. Default: `--name <value>`. */
  flag?: string;
  /** What the option takes. Default: the name of the member. */
  value?: string;
  /** The member is this argument instead. */
  argument?: string;
  /** Help; default: the description of the member. */
  help?: string;
  /** How the API's value is read from what is typed. Default: the text, or the parts of a list. */
  read?: TypedValue;
  /** What is expected where `read` refuses. */
  expected?: string;
  /**
   * The option names a file that contains the value, because other users can see arguments. With `argument`, either is
   * given.
   */
  file?: true;
};
export const commandWords = z.registry<CommandWords>();

/** The rows of a list, and what is beside them. @param made what `run` of the list returned */
export function readRows(
  { list }: Pick<AnyOperation, 'list'>,
  made: unknown,
): { rows: unknown[]; beside: object } {
  if (list?.beside === undefined) return { rows: made as unknown[], beside: {} }; // as it is declared
  const { rows, ...beside } = made as { rows: unknown[] }; // likewise
  return { rows, beside };
}

/** The name of a list in its cursors: `tokens` for `/api/v1/tokens`. */
export function nameList({ id, route }: Pick<AnyOperation, 'id' | 'route'>): string {
  return route === undefined ? id : route.slice(route.lastIndexOf('/') + 1);
}

/** The alternative objects of an input, of which a request has one. */
export function listShapes(input: Input): readonly z.ZodObject[] {
  return input instanceof z.ZodObject ? [input] : input.options;
}

/** The names of all members. */
export function listMembers(input: Input): string[] {
  return [...new Set(listShapes(input).flatMap(({ shape }) => Object.keys(shape)))];
}

/** The schema of a member, from the first object that has it. @throws Error if none has */
export function memberOf(input: Input, name: string): z.core.$ZodType {
  const shape = listShapes(input).find((each) => Object.hasOwn(each.shape, name))?.shape[name];
  if (shape === undefined) throw new Error(`the input has no member ${name}`);
  return shape;
}
