/** What makes a collected OpenAPI document whole: words of the SQL contract, replies as they look, no unused parts. */
import { readFileSync } from 'node:fs';
import { z } from 'zod';

type Node = { [member: string]: unknown };

/** @param meanings of the contract's columns, by `view.column` */
export function finish<D extends object>(document: D, meanings: ReadonlyMap<string, string>): D {
  eachNode(document, (node) => describeMembers(node, meanings));
  const replies = readReplies();
  eachNode(document, (node) => showReply(node, replies));
  dropUnused(document);
  return document;
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
function dropUnused(document: object): void {
  const schemas =
    'components' in document && isNode(document.components) ? document.components['schemas'] : undefined;
  if (!isNode(schemas) || !('paths' in document)) return;
  const used = new Set<string>();
  const follow = (from: unknown) =>
    eachNode(from, ({ $ref }) => {
      const name = typeof $ref === 'string' ? $ref.slice($ref.lastIndexOf('/') + 1) : undefined;
      if (name === undefined || used.has(name)) return;
      used.add(name);
      follow(schemas[name]);
    });
  follow(document.paths);
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
