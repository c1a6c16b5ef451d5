/** The OpenAPI document in a form for tests. */
import type { App } from '../../../src/monitor/http/route-types.ts';

export type Schema = Record<string, unknown>;
type Media = { schema?: Schema; example?: unknown; examples?: Record<string, { value: unknown }> };

export type Parameter = Media & { name: string; in: 'path' | 'query' | 'header'; required: boolean };
export type Response = {
  description?: string;
  content?: Record<string, Media>;
  headers?: Record<string, { schema: Schema }>;
};
export type Operation = {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  path: string;
  operationId: string;
  parameters: readonly Parameter[];
  /** Schema and example of its body; undefined where it takes none. */
  body: Media | undefined;
  summary?: string;
  description?: string;
  tags?: readonly string[];
  responses: Record<string, Response>;
};
export type Document = {
  openapi: string;
  paths: Record<
    string,
    Record<string, Partial<Operation> & { requestBody?: { content: Record<string, Media> } }>
  >;
  components: { schemas: Record<string, Schema>; responses: Record<string, Response> };
  tags: readonly { name: string; description: string }[];
  webhooks: Record<string, { post: { requestBody: { content: Record<string, Media> } } }>;
  info: Record<string, unknown>;
};

export function documentOf(app: App): Document {
  return JSON.parse(JSON.stringify(app.swagger())) as Document; // of the shape that OpenAPI gives it
}

/** These delete what others have in their examples. */
const ERASING = ['forget', 'purge'] as const;
const ORDER = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'forget', 'purge'] as const;
const rankOf = ({ method, path }: Operation) =>
  ORDER.indexOf(
    (method === 'POST' ? ERASING.find((name) => path.endsWith(`/${name}`)) : undefined) ?? method,
  );

/** What belongs to something is taken away before it. */
function comparePaths(a: Operation, b: Operation): number {
  if (a.method === 'DELETE' && a.path !== b.path && a.path.startsWith(`${b.path}/`)) return -1;
  if (a.method === 'DELETE' && a.path !== b.path && b.path.startsWith(`${a.path}/`)) return 1;
  return a.path < b.path ? -1 : 1;
}

/** In the order in which they can be called one after the other: what takes something away comes last. */
export function operationsOf(document: Document): Operation[] {
  return Object.entries(document.paths)
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, one]) => ({
        operationId: '',
        parameters: [],
        ...one,
        method: method.toUpperCase() as Operation['method'], // a key of a path is a method
        path,
        body: one.requestBody?.content['application/json'],
        responses: Object.fromEntries(
          Object.entries(one.responses ?? {}).map(([status, reply]) => [status, wholeReply(document, reply)]),
        ),
      })),
    )
    .toSorted((a, b) => rankOf(a) - rankOf(b) || comparePaths(a, b));
}

/** A reply with what it refers to, its headers included. */
function wholeReply(document: Document, reply: object): Response {
  const found = followed(document, reply) as Response; // what a reply refers to is one
  const headers = Object.entries(found.headers ?? {}).map(
    ([name, header]) => [name, followed(document, header) as { schema: Schema }] as const, // likewise
  );
  return { ...found, headers: Object.fromEntries(headers) };
}

/** @param node itself or a reference into the document */
function followed(document: Document, node: object): unknown {
  if (!('$ref' in node)) return node;
  const steps = String(node.$ref).split('/').slice(1);
  return steps.reduce<unknown>((inside, step) => Reflect.get(Object(inside), step), document);
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
