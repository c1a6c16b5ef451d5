/** Parses the OpenAPI document for the API reference. Pure. */
import { isPlain } from '../../lib/json-values.ts';
import { z } from 'zod';

const schemaNode = z.looseObject({});
const parameter = z.looseObject({
  name: z.string(),
  in: z.string(),
  required: z.boolean().optional(),
  description: z.string().optional(),
  example: z.unknown().optional(),
  schema: schemaNode.optional(),
});
const content = z.record(
  z.string(),
  z.looseObject({ schema: schemaNode.optional(), example: z.unknown().optional() }),
);
const response = z.looseObject({ description: z.string().optional(), content: content.optional() });
const operationNode = z.looseObject({
  operationId: z.string(),
  summary: z.string().optional(),
  description: z.string().optional(),
  tags: z.array(z.string()).default(['other']),
  parameters: z.array(parameter).default([]),
  requestBody: z.looseObject({ content: content.default({}) }).optional(),
  'x-scope': z.union([z.string(), z.array(z.string())]).optional(),
  responses: z.record(z.string(), response.extend({ $ref: z.string().optional() })),
});
const openApiDocument = z.looseObject({
  info: z.looseObject({ title: z.string(), version: z.string(), description: z.string().optional() }),
  paths: z.record(z.string(), z.record(z.string(), operationNode)),
  components: z.looseObject({
    schemas: z.record(z.string(), schemaNode).default({}),
    responses: z.record(z.string(), response).default({}),
  }),
});

type SchemaNode = z.infer<typeof schemaNode>;
export type Member = { name: string; type: string; meaning: string; required: boolean; of: string | null };
export type Operation = ReturnType<typeof readOperation>;
export type ApiReference = ReturnType<typeof readDocument>;

/** @throws ZodError if it is not an OpenAPI document */
export function readDocument(json: unknown) {
  const { info, paths, components } = openApiDocument.parse(json);
  const { schemas, responses } = components;
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, node]) =>
      readOperation(method, path, { ...node, responses: resolveReplies(node.responses, responses) }, schemas),
    ),
  );
  return {
    title: info.title,
    version: info.version,
    description: info.description ?? '',
    operations,
    schemas: Object.entries(schemas).map(([name, node]) => ({
      name,
      meaning: readText(node, 'description'),
      members: listMembers(node, schemas),
    })),
  };
}

/** Resolves references to shared responses. */
function resolveReplies(
  replies: z.infer<typeof operationNode>['responses'],
  shared: Readonly<Record<string, z.infer<typeof response>>>,
): z.infer<typeof operationNode>['responses'] {
  return Object.fromEntries(
    Object.entries(replies).map(([status, { $ref, ...reply }]) => [
      status,
      $ref === undefined ? reply : (shared[$ref.slice($ref.lastIndexOf('/') + 1)] ?? reply),
    ]),
  );
}

type Schemas = Readonly<Record<string, SchemaNode>>;

function readOperation(method: string, path: string, node: z.infer<typeof operationNode>, schemas: Schemas) {
  const [sent] = Object.values(node.requestBody?.content ?? {});
  const replies = Object.entries(node.responses);
  const scope = node['x-scope'] ?? [];
  return {
    id: node.operationId,
    /** Upper case. */
    method: method.toUpperCase(),
    path,
    tag: node.tags[0] ?? 'other',
    summary: node.summary ?? node.operationId,
    description: node.description ?? '',
    /** All are required; empty if open. */
    scopes: [scope].flat().filter((name) => name !== 'open'),
    parameters: node.parameters.map(
      ({ name, in: place, required = false, description, example, schema: type = {} }) => ({
        name,
        place,
        required,
        meaning: description ?? readText(type, 'description'),
        type: describeType(type),
        example: formatJson(example ?? getFirst(type['examples'])),
      }),
    ),
    /** Members of the body; null without a body. */
    body: sent?.schema === undefined ? null : listMembers(sent.schema, schemas),
    /** JSON, or null. */
    example: sent === undefined ? null : findExample(sent, schemas),
    answers: replies
      .filter(([status]) => status.startsWith('2'))
      .map(([status, { description, content: kinds = {} }]) => {
        const [[type, reply] = []] = Object.entries(kinds);
        return {
          status,
          words: description ?? '',
          type: type ?? null,
          of: reply?.schema === undefined ? null : findSchemaName(reply.schema),
          example: reply === undefined ? null : findExample(reply, schemas),
        };
      }),
    /** Error statuses. */
    failures: replies
      .filter(([status]) => !status.startsWith('2'))
      .map(([status, { description = '' }]) => ({ status, words: description })),
  };
}

/** The example of a body, or of its schema. */
function findExample(
  { schema: type, example }: { schema?: SchemaNode | undefined; example?: unknown },
  schemas: Schemas,
): string | null {
  return formatJson(
    example ?? (type === undefined ? undefined : getFirst(resolveRef(type, schemas)['examples'])),
  );
}

/** One member per property, merged over `allOf`, `anyOf` and `oneOf`. */
function listMembers(schema: SchemaNode, schemas: Schemas, depth = 0): Member[] {
  const node = resolveRef(schema, schemas);
  if (depth > 4) return [];
  const own = readProperties(node);
  const required = Array.isArray(node['required']) ? node['required'] : [];
  const members = Object.entries(own).flatMap(([name, value]) => [
    {
      name,
      type: describeType(value),
      meaning: readText(value, 'description') || readText(resolveRef(value, schemas), 'description'),
      required: required.includes(name),
      of: findSchemaName(value),
    },
    ...listNestedMembers(name, value, schemas, depth),
  ]);
  const parts = ['allOf', 'anyOf', 'oneOf'].flatMap((word) => filterNodes(node[word]));
  const more = parts.flatMap((part) => listMembers(part, schemas, depth + 1));
  return [
    ...members,
    ...more.filter(({ name }, i) => more.findIndex((member) => member.name === name) === i),
  ];
}

/** Members of an unnamed object, or of unnamed list items: `searches[].prompt`. */
function listNestedMembers(name: string, value: SchemaNode, schemas: Schemas, depth: number): Member[] {
  const { items } = value;
  const [node, path] = isNode(items) ? [items, `${name}[]`] : [value, name];
  if (readRefName(node) !== null) return [];
  return listMembers(node, schemas, depth + 1).map((member) => ({
    ...member,
    name: `${path}.${member.name}`,
  }));
}

/** `string`, `integer, 1 to 200`, `Topic`, `array of Run`, `"a" or "b"`, `string or null`. */
function describeType(node: SchemaNode): string {
  const name = readRefName(node);
  if (name !== null) return name;
  const { enum: values, const: constant, type, items, format, minimum, maximum } = node;
  if (Array.isArray(values)) return values.map((value) => JSON.stringify(value)).join(' or ');
  if (constant !== undefined) return JSON.stringify(constant);
  const parts = [...filterNodes(node['anyOf']), ...filterNodes(node['oneOf'])];
  if (parts.length > 0) return [...new Set(parts.map(describeType))].join(' or ');
  if (type === 'array') return `array of ${isNode(items) ? describeType(items) : 'anything'}`;
  const words = [type ?? 'anything'].flat().map(String).join(' or ');
  const range =
    typeof minimum === 'number' && typeof maximum === 'number' && Number.isSafeInteger(maximum)
      ? `, ${minimum} to ${maximum}`
      : '';
  return `${words}${typeof format === 'string' ? ` (${format})` : ''}${range}`;
}

/** The named schema that a node refers to, directly, as list items or as an alternative. */
function findSchemaName(node: SchemaNode): string | null {
  const name = readRefName(node);
  if (name !== null) return name;
  const parts = [node['items'], readProperties(node)['items'], ...filterNodes(node['anyOf'])].filter(isNode);
  return parts.map(findSchemaName).find((schemaName) => schemaName !== null) ?? null;
}

function readRefName({ $ref: ref }: SchemaNode): string | null {
  return typeof ref === 'string' ? ref.slice(ref.lastIndexOf('/') + 1) : null;
}

function resolveRef(node: SchemaNode, schemas: Schemas): SchemaNode {
  const name = readRefName(node);
  return name === null ? node : (schemas[name] ?? {});
}

function readProperties({ properties: own }: SchemaNode): Record<string, SchemaNode> {
  return isNode(own)
    ? Object.fromEntries(
        Object.entries(own).flatMap(([name, property]) => (isNode(property) ? [[name, property]] : [])),
      )
    : {};
}

function filterNodes(value: unknown): SchemaNode[] {
  return Array.isArray(value) ? value.filter(isNode) : [];
}

function isNode(value: unknown): value is SchemaNode {
  return isPlain(value);
}

function readText(node: SchemaNode, member: string): string {
  const text = node[member];
  return typeof text === 'string' ? text : '';
}

function getFirst(values: unknown): unknown {
  return Array.isArray(values) ? values[0] : undefined;
}

function formatJson(value: unknown): string | null {
  if (value === undefined) return null;
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}
