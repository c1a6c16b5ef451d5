/**
 * What breaks clients between two documents of the API, by the policy of docs/reference/api.md: replies are open and may gain members
 * and values; requests are strict and may gain what is optional. Pure.
 */
type Node = { readonly [member: string]: unknown };

/** Each with a name of its own, such as `GET /api/v1/runs: parameter query.code removed`. */
export function breakingChanges(before: Node, after: Node): string[] {
  const found = new Set<string>();
  const documents = { before, after, tell: (change: string) => void found.add(change) };
  const [was, is] = [operationsOf(before), operationsOf(after)];
  for (const [name, operation] of was) {
    const kept = is.get(name);
    if (kept === undefined) found.add(`${name}: operation removed`);
    else compareOperations(name, operation, kept, documents);
  }
  const messages = (document: Node) => Object.entries(nodeIn(document, 'webhooks'));
  for (const [name, webhook] of messages(before)) {
    const kept = nodeIn(after, 'webhooks')[name];
    if (kept === undefined) found.add(`webhook ${name}: removed`);
    // We send them: to their receivers they are what replies are to clients.
    else
      compareSent(
        `webhook ${name}: body`,
        bodyOf(nodeIn(webhook, 'post')),
        bodyOf(nodeIn(kept, 'post')),
        documents,
      );
  }
  return [...found].toSorted();
}

type Documents = { before: Node; after: Node; tell: (change: string) => void };

function operationsOf(document: Node): Map<string, Node> {
  const methods = new Set(['get', 'put', 'post', 'patch', 'delete', 'head', 'options', 'trace']);
  return new Map(
    Object.entries(nodeIn(document, 'paths')).flatMap(([path, of]) =>
      Object.entries(toNode(of))
        .filter(([method]) => methods.has(method))
        // What a parameter of a path is called is nothing that a client sends.
        .map(([method, one]) => [`${method.toUpperCase()} ${path}`, toNode(one)] as const),
    ),
  );
}

function compareOperations(name: string, was: Node, is: Node, documents: Documents): void {
  const { tell } = documents;
  if (was['operationId'] !== is['operationId']) tell(`${name}: operationId changed`);
  const scopes = (operation: Node) =>
    [operation['x-scope'] ?? 'open']
      .flat()
      .map(String)
      .filter((one) => one !== 'open');
  for (const scope of scopes(is)) if (!scopes(was).includes(scope)) tell(`${name}: scope ${scope} needed`);
  compareParameters(name, was, is, documents);
  const [sentBefore, sentNow] = [bodyOf(was), bodyOf(is)];
  if (sentBefore === undefined) {
    if (nodeIn(is, 'requestBody')['required'] === true) tell(`${name}: body required`);
  } else if (sentNow === undefined) tell(`${name}: body removed`);
  else compareTaken(`${name}: body`, sentBefore, sentNow, documents);
  compareReplies(name, was, is, documents);
}

function compareParameters(name: string, was: Node, is: Node, documents: Documents): void {
  const { tell } = documents;
  const parametersOf = (operation: Node) =>
    new Map(
      listOf(operation['parameters']).map((one) => {
        const place = String(one['in']);
        const called = place === 'header' ? String(one['name']).toLowerCase() : String(one['name']);
        return [`${place}.${called}`, one] as const;
      }),
    );
  const [before, now] = [parametersOf(was), parametersOf(is)];
  for (const [at, parameter] of before) {
    const kept = now.get(at);
    if (kept === undefined) tell(`${name}: parameter ${at} removed`);
    else {
      if (kept['required'] === true && parameter['required'] !== true)
        tell(`${name}: parameter ${at} required`);
      compareTaken(
        `${name}: parameter ${at}`,
        nodeIn(parameter, 'schema'),
        nodeIn(kept, 'schema'),
        documents,
      );
    }
  }
  for (const [at, parameter] of now)
    if (!before.has(at) && parameter['required'] === true) tell(`${name}: parameter ${at} required`);
}

function compareReplies(name: string, was: Node, is: Node, documents: Documents): void {
  const { before, after, tell } = documents;
  for (const [status, given] of Object.entries(nodeIn(was, 'responses'))) {
    const found = nodeIn(is, 'responses')[status];
    if (found === undefined) {
      tell(`${name}: status ${status} removed`);
      continue;
    }
    const [reply, kept] = [resolved(before, toNode(given)), resolved(after, toNode(found))];
    const headers = new Set(Object.keys(nodeIn(kept, 'headers')).map((header) => header.toLowerCase()));
    for (const header of Object.keys(nodeIn(reply, 'headers')))
      if (!headers.has(header.toLowerCase())) tell(`${name}: header ${header} of ${status} removed`);
    const [media, keptMedia] = [mediaOf(reply), mediaOf(kept)];
    for (const [type, schema] of media) {
      const same = keptMedia.get(type);
      if (same === undefined) tell(`${name}: ${type} of ${status} removed`);
      else compareSent(`${name}: ${status}`, schema, same, documents);
    }
  }
}

/** By media type without its parameters. */
function mediaOf(reply: Node): Map<string, Node> {
  return new Map(
    Object.entries(nodeIn(reply, 'content')).map(([type, media]) => [
      type.replace(/;.*/, ''),
      nodeIn(toNode(media), 'schema'),
    ]),
  );
}

function bodyOf(operation: Node): Node | undefined {
  const { content } = nodeIn(operation, 'requestBody');
  const [media] = Object.values(toNode(content));
  return media === undefined ? undefined : nodeIn(toNode(media), 'schema');
}

/** What clients send: all that could be sent before must be taken still. */
function compareTaken(at: string, was: Node, is: Node, documents: Documents): void {
  const { tell } = documents;
  const [before, now] = [shapeOf(documents.before, was), shapeOf(documents.after, is)];
  if (!isWithin(before.types, now.types)) return tell(`${at}: type narrowed`);
  if (now.values !== undefined && [...(before.values ?? [null])].some((value) => !now.values?.has(value)))
    tell(`${at}: values narrowed`);
  for (const [bound, tighter] of BOUNDS) {
    const [former, given] = [was[bound], is[bound]];
    if (typeof given === 'number' && (typeof former !== 'number' || tighter(given, former)))
      tell(`${at}: ${bound} narrowed`);
  }
  if (is['pattern'] !== undefined && is['pattern'] !== was['pattern']) tell(`${at}: pattern changed`);
  if ('default' in was && JSON.stringify(was['default']) !== JSON.stringify(is['default']))
    tell(`${at}: default changed`);
  for (const [member, { schema }] of before.members) {
    const kept = now.members.get(member);
    if (kept !== undefined) compareTaken(`${at}.${member}`, schema, kept.schema, documents);
    else if (now.closed) tell(`${at}.${member}: removed`);
  }
  for (const [member, { required }] of now.members)
    if (required && before.members.get(member)?.required !== true) tell(`${at}.${member}: required`);
  if (before.items !== undefined && now.items !== undefined)
    compareTaken(`${at}[]`, before.items, now.items, documents);
}

const BOUNDS: readonly [name: string, tighter: (given: number, former: number) => boolean][] = [
  ...['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems'].map(
    (name) => [name, (given: number, former: number) => given < former] as const,
  ),
  ...['minimum', 'exclusiveMinimum', 'minLength', 'minItems'].map(
    (name) => [name, (given: number, former: number) => given > former] as const,
  ),
].map(([name, tighter]) => [name, tighter]);

/** What clients read: all that they relied on must be there still. Values and members may come. */
function compareSent(at: string, was: Node | undefined, is: Node | undefined, documents: Documents): void {
  const { tell } = documents;
  const [before, now] = [shapeOf(documents.before, was ?? {}), shapeOf(documents.after, is ?? {})];
  if (before.closed && !now.closed) tell('replies: members may come that are not named');
  if (!isWithin(now.types, before.types)) return tell(`${at}: type widened`);
  for (const [member, { schema, required }] of before.members) {
    const kept = now.members.get(member);
    if (kept === undefined) tell(`${at}.${member}: removed`);
    else {
      if (required && !kept.required) tell(`${at}.${member}: no longer always there`);
      compareSent(`${at}.${member}`, schema, kept.schema, documents);
    }
  }
  if (before.items !== undefined && now.items !== undefined)
    compareSent(`${at}[]`, before.items, now.items, documents);
}

type Shape = {
  /** Undefined: anything. */
  types: ReadonlySet<string> | undefined;
  /** Undefined: no closed list. */
  values: ReadonlySet<unknown> | undefined;
  members: ReadonlyMap<string, { schema: Node; required: boolean }>;
  closed: boolean;
  items: Node | undefined;
};

/** A schema with its branches together. A member that not every branch requires need not be there. */
function shapeOf(document: Node, given: Node): Shape {
  const schema = resolved(document, given);
  const branches = ['anyOf', 'oneOf', 'allOf'].flatMap((word) => listOf(schema[word]));
  const inner = branches.map((one) => shapeOf(document, one));
  const objects = inner.filter(({ types }) => types?.has('object') === true);
  const members = new Map<string, { schema: Node; required: boolean }>();
  for (const { members: some } of objects)
    for (const [name, { schema: of }] of some)
      members.set(name, {
        schema: of,
        required: objects.every((one) => one.members.get(name)?.required === true),
      });
  const required = new Set(Array.isArray(schema['required']) ? schema['required'] : []);
  for (const [name, of] of Object.entries(nodeIn(schema, 'properties')))
    members.set(name, { schema: toNode(of), required: required.has(name) });
  return {
    types: typesOf(schema, inner),
    values: valuesOf(schema, inner),
    members,
    closed: schema['additionalProperties'] === false || inner.some(({ closed }) => closed),
    items:
      'items' in schema ? nodeIn(schema, 'items') : inner.find(({ items }) => items !== undefined)?.items,
  };
}

function typesOf(schema: Node, inner: readonly Shape[]): Shape['types'] {
  const { type, enum: listed, const: only } = schema;
  if (type !== undefined) return new Set([type].flat().map(String));
  const values = Array.isArray(listed) ? listed : 'const' in schema ? [only] : [];
  if (values.length > 0) return new Set(values.map((value) => (value === null ? 'null' : typeof value)));
  if (inner.length === 0 || inner.some(({ types }) => types === undefined)) return undefined;
  return new Set(inner.flatMap(({ types }) => [...(types ?? [])]));
}

function valuesOf(schema: Node, inner: readonly Shape[]): Shape['values'] {
  const { enum: listed, const: only } = schema;
  if (Array.isArray(listed)) return new Set(listed);
  if ('const' in schema) return new Set([only]);
  if (
    inner.length === 0 ||
    inner.some(({ values, types }) => values === undefined && types?.has('null') !== true)
  )
    return undefined;
  return new Set(inner.flatMap(({ values = new Set([null]) }) => [...values]));
}

function isWithin(less: Shape['types'], more: Shape['types']): boolean {
  if (more === undefined) return true;
  if (less === undefined) return false;
  return [...less].every((type) => more.has(type) || (type === 'integer' && more.has('number')));
}

function resolved(document: Node, node: Node): Node {
  const { $ref } = node;
  if (typeof $ref !== 'string') return node;
  const steps = $ref.split('/').slice(1);
  return resolved(
    document,
    steps.reduce<Node>((inside, step) => nodeIn(inside, step), document),
  );
}

function toNode(value: unknown): Node {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

function nodeIn(node: unknown, member: string): Node {
  return toNode(toNode(node)[member]);
}

function listOf(value: unknown): Node[] {
  return Array.isArray(value) ? value.map(toNode) : [];
}

/** A document without what no comparison looks at: words, examples, and the bodies of failures. */
export function reduced(document: Node): Node {
  const strip = (value: unknown, named: boolean): unknown => {
    if (Array.isArray(value)) return value.map((one) => strip(one, false));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).flatMap(([name, one]: [string, unknown]): [string, unknown][] => {
        if (!named && ['description', 'summary', 'example', 'examples', 'tags', 'x-view'].includes(name))
          return [];
        if (name === 'content' && typeof one === 'object' && 'application/problem+json' in Object(one))
          return [];
        return [[name, strip(one, name === 'properties')]];
      }),
    );
  };
  return toNode(strip(document, false));
}
