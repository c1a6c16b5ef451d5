/**
 * What makes a collected OpenAPI document whole: words of the SQL contract, failures and headers of replies, replies as
 * they look, messages of webhooks, no unused parts.
 */
import { readFileSync } from 'node:fs';
import type { RouteOptions } from 'fastify';
import { z } from 'zod';
import { FAILURES, failuresOf } from './failures.ts';
import { headersOfFailure, headersOfSuccess, REPLY_HEADERS } from './reply-headers.ts';
import { Problem } from './shapes.ts';
import { WEBHOOKS } from './webhooks.ts';

type Node = { [member: string]: unknown };

/**
 * @param meanings of the contract's columns, by `view.column`
 * @param routes by their `operationId`
 */
export function finish<D extends object>(
  document: D,
  { meanings, routes }: { meanings: ReadonlyMap<string, string>; routes: ReadonlyMap<unknown, RouteOptions> },
): D {
  const components = 'components' in document ? document.components : {};
  const whole = {
    ...document,
    webhooks: WEBHOOKS,
    components: { ...Object(components), headers: REPLY_HEADERS, responses: failureReplies() },
  };
  // Rows of views are named schemas, so describing the components describes every row.
  eachNode(whole.components, (node) => describeMembers(node, meanings));
  const replies = readReplies();
  for (const operation of operationsIn(document)) {
    const route = routes.get(operation['operationId']);
    if (route === undefined || !isNode(operation['responses'])) continue;
    operation['responses'] = { ...successesOf(operation['responses'], route), ...failureRefs(route) };
    showReply(operation, replies);
  }
  dropUnused(whole);
  return whole;
}

function operationsIn(document: object): Node[] {
  const paths = 'paths' in document && isNode(document.paths) ? Object.values(document.paths) : [];
  return paths.flatMap((methods) => Object.values(isNode(methods) ? methods : {})).filter(isNode);
}

/** Members of a row that say nothing of themselves are described by the comment of their column. */
function describeMembers(node: Node, meanings: ReadonlyMap<string, string>): void {
  const { 'x-view': view, properties } = node;
  if (typeof view !== 'string' || !isNode(properties)) return;
  for (const [name, member] of Object.entries(properties)) {
    const meaning = meanings.get(`${view}.${name}`);
    if (isNode(member) && meaning !== undefined) member['description'] ??= meaning;
  }
}

const SUCCESSES: Readonly<Record<string, string>> = {
  200: 'Success.',
  201: 'Created.',
  202: 'Accepted; the work follows.',
};

/** @param replies as they were collected: with the library's words where a route has none */
function successesOf(replies: Node, route: RouteOptions): Node {
  return Object.fromEntries(
    Object.entries(replies).map(([status, reply]) => {
      const { description, ...rest } = isNode(reply) ? reply : {};
      const words = description === 'Default Response' ? SUCCESSES[status] : description;
      return [status, { description: words, headers: headersOfSuccess(route), ...rest }];
    }),
  );
}

function failureRefs(route: RouteOptions): Node {
  return Object.fromEntries(
    failuresOf(route).map((status) => [status, { $ref: `#/components/responses/${FAILURES[status].name}` }]),
  );
}

/** Failures once for all operations, that of a method that no operation has included. */
function failureReplies(): Node {
  const schema = { $ref: `#/components/schemas/${String(Problem.meta()?.id)}` };
  const statuses = Object.keys(FAILURES).map((status) => Number(status) as keyof typeof FAILURES); // its own keys
  return Object.fromEntries(
    statuses.map((status) => {
      const { name, meaning } = FAILURES[status];
      const content = { 'application/problem+json': { schema } };
      return [name, { description: meaning, headers: headersOfFailure(status), content }];
    }),
  );
}

const repliesShape = z.record(z.string(), z.unknown());

/** What operations answer, as they once were answered; `npm run -s api:examples` asks anew. */
function readReplies(): Record<string, unknown> {
  return repliesShape.parse(JSON.parse(readFileSync(new URL('examples.json', import.meta.url), 'utf8')));
}

function showReply({ operationId, responses }: Node, replies: Record<string, unknown>): void {
  if (typeof operationId !== 'string' || !isNode(responses)) return;
  const reply = replies[operationId];
  const [success] = Object.entries(responses).flatMap(([status, one]) =>
    status.startsWith('2') ? [one] : [],
  );
  const content = isNode(success) ? success['content'] : undefined;
  const json = isNode(content) ? content['application/json'] : undefined;
  if (reply !== undefined && isNode(json)) json['example'] ??= reply;
}

/** Every named schema is written for requests and for replies; one that nothing refers to only takes room. */
function dropUnused(document: { components: { responses: object; schemas?: unknown } }): void {
  const { components, ...rest } = document;
  const { schemas } = components;
  if (!isNode(schemas)) return;
  const used = new Set<string>();
  const follow = (from: unknown) =>
    eachNode(from, ({ $ref }) => {
      const name = typeof $ref === 'string' ? $ref.slice($ref.lastIndexOf('/') + 1) : undefined;
      if (name === undefined || used.has(name)) return;
      used.add(name);
      follow(schemas[name]);
    });
  follow(rest);
  follow(components.responses);
  for (const name of Object.keys(schemas)) if (!used.has(name)) delete schemas[name];
}

function eachNode(value: unknown, visit: (node: Node) => void): void {
  if (Array.isArray(value)) for (const one of value) eachNode(one, visit);
  if (!isNode(value)) return;
  visit(value);
  for (const one of Object.values(value)) eachNode(one, visit);
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
