/** The OpenAPI 3.1 document of the API, generated from its routes: `/openapi.json`. */

import { isPlain, type Plain, toJson } from '../../lib/json-values.ts';
import { VERSION } from '../../config/version.ts';
import type { App, RouteContext } from '../../monitor/http/route-types.ts';
import { readMeanings } from '../../store/queries/sql-contract.ts';
import { keyHeaders } from '../idempotency-key.ts';
import { Problem } from '../reply-shapes.ts';
import {
  FAILURES,
  listFailureHeaders,
  listFailures,
  listSuccessHeaders,
  REPLY_HEADERS,
  WEBHOOKS,
} from './components.ts';
import swagger from '@fastify/swagger';
import type { RouteOptions } from 'fastify';
import { createJsonSchemaTransform, createJsonSchemaTransformObject } from 'fastify-type-provider-zod';
import { readFileSync } from 'node:fs';
import { z } from 'zod';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Request headers that the handler reads, for the document. */
    reads?: z.ZodObject;
  }
}

const DESCRIPTION = `Create and run searches, read what they found, and follow it as it is found.

Ids are strings, times are ISO 8601 in UTC, unknown counters are null. To get the next page of a list, send its
\`next_cursor\` as \`cursor\`, with the same filters. Failures are problem details (RFC 9457); \`type\` is for programs.

Replies may gain members, and their enumerations values. Requests are strict: unknown members are refused. Every GET route
also accepts HEAD. Unsupported methods return 405 with \`Allow\`.`;

const TAGS: readonly { name: string; description: string }[] = [
  { name: 'topics', description: 'Topics. Each has saved searches.' },
  { name: 'searches', description: 'Saved searches: request, service and schedule.' },
  { name: 'files', description: 'What is watched as a file: plan, apply, describe.' },
  { name: 'runs', description: 'Executions of searches, their paid calls, and stored responses.' },
  { name: 'status', description: 'Health of the database, the queue, workers and services.' },
  { name: 'find', description: 'Full-text search over posts and links.' },
  { name: 'posts', description: 'Posts, and their counters over time.' },
  { name: 'authors', description: 'Authors of posts, and their counters over time.' },
  { name: 'links', description: 'Links, the searches that found them, and their ranks.' },
  { name: 'stories', description: 'Items of a topic that say the same thing.' },
  { name: 'names', description: 'Names that a topic lists, and the answers that have them.' },
  { name: 'notes', description: 'What people know about a time of a topic, shown on its chart.' },
  { name: 'goals', description: 'What the news of a topic is about, as a language model judges it.' },
  { name: 'completions', description: 'Texts written by the AI of a service, and their statements.' },
  { name: 'discoveries', description: 'Items found for the first time: as a list, a feed and events.' },
  { name: 'evidence', description: 'What was found, with the raw responses that say so.' },
  { name: 'trends', description: 'Volume, spikes, growth, rankings and share of voice.' },
  { name: 'exports', description: 'Files with all rows of a kind.' },
  { name: 'alerts', description: 'Rules decide what to send, channels where. Deliveries are the messages.' },
  { name: 'feeds', description: 'Addresses for feed readers. Each has a key that reads one feed.' },
  { name: 'digests', description: 'What a span of time brought, in two minutes of reading.' },
  { name: 'views', description: 'Addresses of pages with their filters, each under a name.' },
  { name: 'shares', description: 'Links that show one page of the dashboard, without a token.' },
  { name: 'tokens', description: 'Tokens for the API and the dashboard.' },
  { name: 'audit log', description: 'Who created, changed or removed what.' },
  { name: 'retention', description: 'How long data is kept, and what has expired.' },
  { name: 'sql', description: 'SQL queries over the documented views.' },
];

/**
 * Collects every route of `/api` declared after it. Once the server is ready, `app.swagger()` returns the document, which
 * must not be modified.
 */
export async function documentApi(app: App, { ctx, mount = '' }: RouteContext): Promise<void> {
  const meanings = await readMeanings(ctx.db);
  const routes = new Map<unknown, RouteOptions>();
  const toSchemas = createJsonSchemaTransform({ zodToJsonConfig: { override: overrideSchema } });
  const withComponents = createJsonSchemaTransformObject({ zodToJsonConfig: { override: overrideSchema } });
  await app.register(swagger, {
    convertConstToEnum: false,
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'strandline',
        version: VERSION,
        summary: 'Scheduled monitoring of topics, with their history.',
        description: DESCRIPTION,
        license: { name: 'MIT', identifier: 'MIT' },
      },
      servers: [{ url: mount === '' ? '/' : mount }],
      tags: [...TAGS],
      components: {
        securitySchemes: {
          bearer: { type: 'http', scheme: 'bearer', description: 'A token, such as `st_...`.' },
        },
      },
    },
    transform: (input) => {
      const { route, url } = input;
      if (!url.startsWith('/api/')) return { schema: { ...input.schema, hide: true }, url };
      const { scope, idempotent, reads } = route.config ?? {};
      if (route.method !== 'HEAD') routes.set(route.schema?.operationId, route);
      const headers = idempotent === undefined ? reads : keyHeaders;
      const schema = {
        ...input.schema,
        ...(headers === undefined ? {} : { headers }),
        'x-scope': scope,
        ...(scope === 'open' ? {} : { security: [{ bearer: [] }] }),
      };
      return toSchemas({ ...input, schema });
    },
    transformObject: (input) => completeDocument(withComponents(input), { meanings, routes }),
  });
}

type ConvertedSchema = { zodSchema: z.core.$ZodType; jsonSchema: z.core.JSONSchema.BaseSchema };

function overrideSchema({ zodSchema, jsonSchema }: ConvertedSchema): void {
  // zod omits examples of codecs, because input and output differ. Ours are always inputs.
  const { examples } = z.globalRegistry.get(zodSchema) ?? {};
  if (examples !== undefined) Object.assign(jsonSchema, { examples });
  // Only strict objects are closed: others may gain members.
  if (zodSchema instanceof z.ZodObject && zodSchema.def.catchall === undefined)
    delete jsonSchema.additionalProperties;
}

/** The document is public: it contains nothing about data or users. */
export function documentRoutes(app: App): void {
  let document: string | undefined;
  app.get('/openapi.json', { config: { scope: 'open' }, schema: { hide: true } }, (_request, reply) =>
    reply
      .type('application/json; charset=utf-8')
      .serializer(String)
      .send((document ??= toJson(app.swagger()))),
  );
}

/**
 * Adds what routes do not declare: descriptions of columns of the SQL contract, failures, reply headers, examples and webhook
 * messages. Removes unused schemas.
 * @param meanings descriptions of columns, by `view.column`
 * @param routes by their `operationId`
 */
function completeDocument<D extends object>(
  document: D,
  { meanings, routes }: { meanings: ReadonlyMap<string, string>; routes: ReadonlyMap<unknown, RouteOptions> },
): D {
  const components = 'components' in document ? document.components : {};
  const whole = {
    ...document,
    webhooks: WEBHOOKS,
    components: { ...Object(components), headers: REPLY_HEADERS, responses: buildFailureReplies() },
  };
  // Rows of views are named schemas, so describing the components describes every row.
  visitNodes(whole.components, (node) => describeMembers(node, meanings));
  const replies = readExamples();
  for (const operation of listOperations(document)) {
    const route = routes.get(operation['operationId']);
    if (route === undefined || !isPlain(operation['responses'])) continue;
    operation['responses'] = {
      ...describeSuccesses(operation['responses'], route),
      ...buildFailureRefs(route),
    };
    // The library calls every body required.
    const requestBody = operation['requestBody'];
    if (isPlain(requestBody) && mayBeMissing(route.schema?.body)) requestBody['required'] = false;
    addExample(operation, replies);
  }
  removeUnusedSchemas(whole);
  return whole;
}

function mayBeMissing(body: unknown): boolean {
  return body instanceof z.ZodType && body.safeParse(undefined).success;
}

function listOperations(document: object): Plain[] {
  const paths = 'paths' in document && isPlain(document.paths) ? Object.values(document.paths) : [];
  return paths.flatMap((methods) => Object.values(isPlain(methods) ? methods : {})).filter(isPlain);
}

/** Describes members of a row that have no description by the comment of their column. */
function describeMembers(node: Plain, meanings: ReadonlyMap<string, string>): void {
  const { 'x-view': view, properties } = node;
  if (typeof view !== 'string' || !isPlain(properties)) return;
  for (const [name, member] of Object.entries(properties)) {
    const meaning = meanings.get(`${view}.${name}`);
    if (isPlain(member) && meaning !== undefined) member['description'] ??= meaning;
  }
}

const SUCCESS_DESCRIPTIONS: Readonly<Record<string, string>> = {
  200: 'Success.',
  201: 'Created.',
  202: 'Accepted.',
};

/** @param replies as collected, with the library's default description if a route has none */
function describeSuccesses(replies: Plain, route: RouteOptions): Plain {
  return Object.fromEntries(
    Object.entries(replies).map(([status, reply]) => {
      const { description, ...rest } = isPlain(reply) ? reply : {};
      const words = description === 'Default Response' ? SUCCESS_DESCRIPTIONS[status] : description;
      return [status, { description: words, headers: listSuccessHeaders(route), ...rest }];
    }),
  );
}

function buildFailureRefs(route: RouteOptions): Plain {
  return Object.fromEntries(
    listFailures(route).map((status) => [
      status,
      { $ref: `#/components/responses/${FAILURES[status].name}` },
    ]),
  );
}

/** All failures, including 405, which no operation refers to. */
function buildFailureReplies(): Plain {
  const schema = { $ref: `#/components/schemas/${String(Problem.meta()?.id)}` };
  const statuses = Object.keys(FAILURES).map((status) => Number(status) as keyof typeof FAILURES); // Object.keys loses the type
  return Object.fromEntries(
    statuses.map((status) => {
      const { name, meaning } = FAILURES[status];
      const content = { 'application/problem+json': { schema } };
      return [name, { description: meaning, headers: listFailureHeaders(status), content }];
    }),
  );
}

const examplesShape = z.record(z.string(), z.unknown());

/** Replies recorded from a running server by `npm run -s api:examples`. */
function readExamples(): Record<string, unknown> {
  return examplesShape.parse(JSON.parse(readFileSync(new URL('examples.json', import.meta.url), 'utf8')));
}

function addExample({ operationId, responses }: Plain, replies: Record<string, unknown>): void {
  if (typeof operationId !== 'string' || !isPlain(responses)) return;
  const reply = replies[operationId];
  const [success] = Object.entries(responses).flatMap(([status, response]) =>
    status.startsWith('2') ? [response] : [],
  );
  const content = isPlain(success) ? success['content'] : undefined;
  const json = isPlain(content) ? content['application/json'] : undefined;
  if (reply !== undefined && isPlain(json)) json['example'] ??= reply;
}

/** The library writes every named schema twice, for requests and for replies. This removes those not referred to. */
function removeUnusedSchemas(document: { components: { responses: object; schemas?: unknown } }): void {
  const { components, ...rest } = document;
  const { schemas } = components;
  if (!isPlain(schemas)) return;
  const used = new Set<string>();
  const follow = (from: unknown) =>
    visitNodes(from, ({ $ref }) => {
      const name = typeof $ref === 'string' ? $ref.slice($ref.lastIndexOf('/') + 1) : undefined;
      if (name === undefined || used.has(name)) return;
      used.add(name);
      follow(schemas[name]);
    });
  follow(rest);
  follow(components.responses);
  for (const name of Object.keys(schemas)) if (!used.has(name)) delete schemas[name];
}

function visitNodes(value: unknown, visit: (node: Plain) => void): void {
  if (Array.isArray(value)) for (const item of value) visitNodes(item, visit);
  if (!isPlain(value)) return;
  visit(value);
  for (const member of Object.values(value)) visitNodes(member, visit);
}
