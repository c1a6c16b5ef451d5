/** Requests generated from the document: valid, nearly valid, and hostile ones. */
import * as fc from 'fast-check';
import {
  addressOf,
  type Document,
  exampleOf,
  type Operation,
  type Parameter,
  type Schema,
} from './operations.ts';

export type Request = {
  method: Operation['method'];
  url: string;
  headers: Record<string, string>;
  payload?: string;
};

/** What replies held: cursors, ids and slugs that are there. */
export type Seen = { cursors: readonly string[]; names: readonly string[] };

const TEXTS = [
  ...' |  |\u202egnp.exe|\' OR 1=1 --|%|_|\\|"|*|true|null|[]|{}|__proto__|constructor|toString|../../etc/passwd'.split(
    '|',
  ),
  ...'-1|0|1.5|1e309|NaN|0x10|9223372036854775807|9223372036854775808'.split('|'),
  ...'2026-02-30T00:00:00Z|0000-01-01T00:00:00Z|9999-12-31T23:59:59-14:00|1969-07-20T20:17:40Z'.split('|'),
  '9'.repeat(40),
  'x'.repeat(3_000),
];
const CURSORS = ['["runs",["1"]]', '["runs",[{}]]', '["topics","\0"]', '[[[]]]'].map((text) =>
  Buffer.from(text).toString('base64url'),
);

/** Texts that break what believes them. */
const HOSTILE = fc.oneof(
  fc.constantFrom('\0', 'a\0b', '\ud800', 'a\udfff'),
  fc.constantFrom(...TEXTS, ...CURSORS),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ maxLength: 40 }),
);

const WRONG: fc.Arbitrary<unknown> = fc.oneof(
  HOSTILE,
  fc.array(HOSTILE, { minLength: 1, maxLength: 2 }),
  fc.dictionary(HOSTILE, HOSTILE, { minKeys: 1, maxKeys: 2 }),
  fc.constantFrom(null, true, 0, -1, 1.5, 2 ** 53, 1e308, [], {}, [[]], [null]),
  fc.jsonValue({ maxDepth: 3 }),
  fc.constant(nested(70)),
);

export function requestOf(operation: Operation, document: Document, seen: Seen): fc.Arbitrary<Request> {
  const { path, method, parameters, body } = operation;
  const of = (place: Parameter['in']) => parameters.filter((one) => one.in === place);
  const query = fc.tuple(
    fc.record(Object.fromEntries(of('query').map((one) => [one.name, givenFor(one, document, seen)]))),
    mostly({}, fc.dictionary(fc.constantFrom('limit', 'x', '__proto__', 'a[b]'), HOSTILE, { maxKeys: 2 })),
  );
  const params = fc.record(
    Object.fromEntries(of('path').map((one) => [one.name, givenFor(one, document, seen)])),
  );
  const none: fc.Arbitrary<Sent> = fc.constant({});
  const payload =
    body === undefined
      ? fc.oneof({ weight: 3, arbitrary: none }, method === 'GET' ? none : UNASKED)
      : payloadOf(body.schema ?? {}, exampleOf(body), document);
  const keys = of('header').some(({ name }) => name === 'Idempotency-Key')
    ? mostly({}, KEYS)
    : fc.constant({});
  return fc.tuple(params, query, payload, keys).map(([given, [known, unknown], { type, ...sent }, key]) => ({
    method,
    url: addressOf(path, given, defined({ ...known, ...unknown })),
    headers: { ...(type === undefined ? {} : { 'content-type': type }), ...key },
    ...sent,
  }));
}

type Sent = { payload?: string; type?: string };

/** Six times of seven what is usual. */
function mostly<U, T>(usual: U, other: fc.Arbitrary<T>): fc.Arbitrary<U | T> {
  return fc.oneof({ weight: 6, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: other });
}

/** A body where none is asked for. */
const UNASKED: fc.Arbitrary<Sent> = fc.constantFrom(
  ...['{}', '[]', '"x"', '{', '\0'].map((payload) => ({ payload, type: 'application/json' })),
  { payload: 'a=b', type: 'application/x-www-form-urlencoded' },
  { payload: '<a/>', type: 'text/xml' },
  { payload: '{}', type: '%' },
);

/** Few keys, so that some come again: with the same request, and with another one. */
const KEYS = fc
  .constantFrom('a', '"a"', 'b', 'two words', '"', '', 'x'.repeat(255), 'x'.repeat(256))
  .map((key) => ({ 'idempotency-key': key }));

/** A parameter as it should be, as the document allows it, or not; `undefined`: left out. */
function givenFor(parameter: Parameter, document: Document, seen: Seen): fc.Arbitrary<unknown> {
  const example = exampleOf(parameter);
  const real = parameter.name === 'cursor' ? seen.cursors : seen.names;
  const right = fc.oneof(
    { weight: 6, arbitrary: fc.constant(example ?? real[0] ?? 'x') },
    { weight: 4, arbitrary: valueOf(parameter.schema ?? {}, document) },
    { weight: 3, arbitrary: fc.constantFrom(...real) },
    { weight: 1, arbitrary: mutationOf(typeof example === 'string' ? example : 'x') },
  );
  const wrong = fc.oneof(HOSTILE, fc.array(HOSTILE, { minLength: 2, maxLength: 3 }));
  return fc.oneof(
    { weight: 12, arbitrary: right },
    {
      weight: 2,
      arbitrary: parameter.in === 'path' ? fc.oneof(mostly('x'.repeat(101), HOSTILE), HOSTILE) : wrong,
    },
    { weight: parameter.required ? 0 : 24, arbitrary: fc.constant(undefined) },
  );
}

function payloadOf(schema: Schema, example: unknown, document: Document): fc.Arbitrary<Sent> {
  const properties: Record<string, Schema> = Object(resolved(schema, document)['properties']);
  const members = Object.keys(properties);
  const right = fc.oneof({ weight: 3, arbitrary: fc.constant(example) }, valueOf(schema, document));
  const bent = fc
    .tuple(right, fc.constantFrom('x', '__proto__', ...members))
    .chain(([value, member]) =>
      fc
        .oneof(WRONG, valueOf(properties[member] ?? {}, document))
        .map((wrong) => textWith(value, member, wrong)),
    );
  const text = fc.oneof(
    { weight: 5, arbitrary: right.map((value) => JSON.stringify(value)) },
    { weight: 8, arbitrary: bent },
    { weight: 1, arbitrary: WRONG.map((value) => JSON.stringify(value)) },
    { weight: 1, arbitrary: fc.constantFrom('', '{', '[1,', '{"a":1}{', '\ud800', '{"__proto__":{"a":1}}') },
  );
  const type = fc.oneof(
    { weight: 20, arbitrary: fc.constant('application/json') },
    { weight: 1, arbitrary: fc.constantFrom('text/plain', 'application/x-www-form-urlencoded') },
  );
  return fc.record({ payload: text, type });
}

/** A text in which one sign is another one, is left out, or stands twice. */
function mutationOf(text: string): fc.Arbitrary<string> {
  return fc
    .tuple(fc.nat(Math.max(0, text.length - 1)), fc.constantFrom('', 'Z', '0', '-', ' ', '%'))
    .map(([at, sign]) => text.slice(0, at) + sign + text.slice(sign === '' ? at : at + 1));
}

/** Written by hand, for an object literal cannot have a member `__proto__` of its own. */
function textWith(value: unknown, member: string, wrong: unknown): string {
  const others = Object.entries(Object(value)).filter(([name]) => name !== member);
  return `{${[...others, [member, wrong] as const]
    .filter(([, one]) => one !== undefined)
    .map(([name, one]) => `${JSON.stringify(name)}:${JSON.stringify(one)}`)
    .join(',')}}`;
}

/** A value that a schema allows; its texts are hostile wherever it says nothing of them. */
function valueOf(given: Schema, document: Document): fc.Arbitrary<unknown> {
  const schema = resolved(given, document);
  const { type, enum: allowed, anyOf, pattern, items, properties, required, minimum, maximum } = schema;
  if (Array.isArray(allowed)) return fc.constantFrom(...allowed);
  if (Array.isArray(anyOf)) return fc.oneof(...anyOf.map((one: Schema) => valueOf(one, document)));
  if (type === 'boolean') return fc.boolean();
  if (type === 'null') return fc.constant(null);
  if (type === 'integer' || type === 'number')
    return fc.integer({
      min: Math.max(Number(minimum ?? 0), -1e9),
      max: Math.min(Number(maximum ?? 1e9), 1e9),
    });
  if (type === 'array') return fc.array(valueOf(Object(items), document), { maxLength: 3 });
  if (type === 'object')
    return objectOf(Object(properties), Array.isArray(required) ? required : [], document);
  if (schema['format'] === 'date-time')
    return fc
      .date({ noInvalidDate: true, min: new Date(-3e13), max: new Date(25e13) })
      .map((at) => at.toISOString());
  if (typeof pattern === 'string' && pattern.length < 80) return fc.stringMatching(new RegExp(pattern));
  return HOSTILE;
}

function objectOf(
  properties: Record<string, Schema>,
  required: readonly string[],
  document: Document,
): fc.Arbitrary<unknown> {
  const members = Object.entries(properties).map(([name, one]) => [name, valueOf(one, document)] as const);
  if (members.length === 0) return fc.dictionary(HOSTILE, WRONG, { minKeys: 1, maxKeys: 3 });
  return fc.record(Object.fromEntries(members), { requiredKeys: [...required] });
}

function resolved(schema: Schema, document: Document): Schema {
  const { $ref } = schema;
  return typeof $ref === 'string'
    ? (document.components.schemas[$ref.slice($ref.lastIndexOf('/') + 1)] ?? {})
    : schema;
}

function defined(members: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}

function nested(depth: number): unknown {
  let value: unknown = 0;
  for (let i = 0; i < depth; i += 1) value = [value];
  return value;
}
