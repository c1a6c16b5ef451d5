/** The document of the API as tests walk through it. */
import { z } from 'zod';
import type { App } from '../../../src/doors/routes.ts';

export type Schema = Record<string, unknown>;
type Media = { schema?: Schema; example?: unknown; examples?: Record<string, { value: unknown }> };

export type Parameter = Media & { name: string; in: 'path' | 'query' | 'header'; required: boolean };
export type Operation = {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  path: string;
  operationId: string;
  parameters: readonly Parameter[];
  /** Schema and example of its body; undefined where it takes none. */
  body: Media | undefined;
  responses: Record<string, { content?: Record<string, Media> }>;
};
export type Document = {
  openapi: string;
  paths: Record<
    string,
    Record<string, Partial<Operation> & { requestBody?: { content: Record<string, Media> } }>
  >;
  components: { schemas: Record<string, Schema> };
};

export function documentOf(app: App): Document {
  return JSON.parse(JSON.stringify(app.swagger())) as Document; // of the shape that OpenAPI gives it
}

const ORDER = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

/** In the order in which they can be called one after the other: what takes something away comes last. */
export function operationsOf({ paths }: Document): Operation[] {
  return Object.entries(paths)
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, one]) => ({
        operationId: '',
        responses: {},
        parameters: [],
        ...one,
        method: method.toUpperCase() as Operation['method'], // a key of a path is a method
        path,
        body: one.requestBody?.content['application/json'],
      })),
    )
    .toSorted((a, b) => ORDER.indexOf(a.method) - ORDER.indexOf(b.method) || (a.path < b.path ? -1 : 1));
}

/** The address of an operation with its examples: what is required, and beside it what is named. */
export function urlOf({ path, parameters }: Operation, beside?: Parameter): string {
  const given: Record<string, unknown> = {};
  const query: Record<string, unknown> = {};
  for (const parameter of parameters) {
    if (parameter.in === 'path') given[parameter.name] = exampleOf(parameter);
    else if (parameter.in === 'query' && (parameter.required || parameter === beside))
      query[parameter.name] = exampleOf(parameter);
  }
  return addressOf(path, given, query);
}

export function addressOf(
  path: string,
  params: Record<string, unknown>,
  query: Record<string, unknown>,
): string {
  const url = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encode(params[name]));
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    [value].flat().map((one) => `${encode(name)}=${encode(one)}`),
  );
  return pairs.length === 0 ? url : `${url}?${pairs.join('&')}`;
}

function encode(value: unknown): string {
  return encodeURIComponent(String(value).toWellFormed());
}

/** What a document says may stand there; where it says nothing, the first of what is allowed. */
export function exampleOf({ example, examples, schema = {} }: Media): unknown {
  const { examples: inside, enum: allowed, default: usual, minimum } = schema;
  const [first] = [inside, allowed].flatMap((some) => (Array.isArray(some) ? some : []));
  return example ?? Object.values(examples ?? {})[0]?.value ?? first ?? usual ?? minimum;
}

/** What a body of this schema must be; the document's parts are at hand in it. */
export function shapeOf(document: Document, schema: Schema): z.ZodType {
  const whole = JSON.stringify({ ...schema, $defs: document.components.schemas });
  return z.fromJSONSchema(JSON.parse(whole.replaceAll('#/components/schemas/', '#/$defs/')) as Schema); // was one
}
