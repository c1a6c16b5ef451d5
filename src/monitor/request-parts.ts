/** Where the members of an operation are in a request, and the types of its parts. */
import { z } from 'zod';
import { type AnyOperation, type Input, listMembers, listShapes, memberOf } from './operation.ts';

export type Routed = AnyOperation & { route: string };

/** @returns names of members, by part of the request */
export function splitRequest({ route, input, query: named = [] }: Pick<Routed, 'route' | 'input' | 'query'>) {
  const [method = '', path = ''] = route.split(' ');
  const isQuery = (name: string) => method === 'GET' || method === 'DELETE' || named.includes(name);
  const names = listMembers(input);
  const params = names.filter((name) => path.includes(`{${name}}`));
  const others = names.filter((name) => !params.includes(name));
  return {
    method,
    path,
    params,
    query: others.filter(isQuery),
    body: others.filter((name) => !isQuery(name)),
  };
}

/** The types of the parts; undefined: it has none. */
export function defineParts(operation: Routed) {
  const { input, mayLackBody } = operation;
  const { params, query, body } = splitRequest(operation);
  return {
    params: params.length === 0 ? undefined : z.strictObject(shapeOf(input, params)),
    filters: shapeOf(input, query),
    body: body.length === 0 ? undefined : orNone(buildBody(input, body), mayLackBody),
  };
}

function orNone(body: z.ZodType, mayLack = false): z.ZodType {
  const { examples } = body.meta() ?? {};
  return mayLack ? body.nullish().meta({ examples }) : body;
}

function shapeOf(input: Input, names: readonly string[]): z.ZodRawShape {
  return Object.fromEntries(names.map((name) => [name, memberOf(input, name)]));
}

/** The input reduced to the members of its body; the input itself if these are all of them. Its examples are bodies. */
function buildBody(input: Input, names: readonly string[]): z.ZodType {
  if (names.length === listMembers(input).length) return input;
  const bodies = listShapes(input).map((each) => {
    const { examples } = each.meta() ?? {};
    const own = names.filter((name) => Object.hasOwn(each.shape, name));
    const body = z.strictObject(shapeOf(each, own)).meta(examples === undefined ? {} : { examples });
    // Checks of the whole input need members of the body only.
    return body.check(...((each.def.checks ?? []) as z.core.$ZodCheck<object>[]));
  });
  const [only] = bodies;
  if (only !== undefined && bodies.length === 1) return only;
  // The error of a union of objects is one of this union of objects, too.
  const error = input.def.error as z.core.$ZodErrorMap<z.core.$ZodIssueInvalidUnion> | undefined;
  const { examples } = input.meta() ?? {};
  return z.union(bodies, { error }).meta(examples === undefined ? {} : { examples });
}
