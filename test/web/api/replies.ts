/** Real replies against the document: their status, headers and body must match it, without extras. */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { Document, Operation, Schema } from './operations.ts';

export type Reply = { status: number; headers: Record<string, unknown>; body: string | Buffer };

/** What any reply may have: of HTTP itself, and what helmet adds to protect whoever shows it. */
const EVERYWHERE =
  /^(?:content-(?:type|length|encoding|security-policy)|transfer-encoding|connection|keep-alive|date|vary|cache-control|x-accel-buffering|cross-origin-.*|origin-agent-cluster|referrer-policy|strict-transport-security|permissions-policy|x-(?:content-type-options|dns-prefetch-control|download-options|frame-options|permitted-cross-domain-policies|xss-protection))$/;
/** Where they are documented for a reply they are always there. */
const ALWAYS_SENT: Readonly<Record<string, readonly number[]>> = {
  location: [201, 202],
  'content-disposition': [200],
  'www-authenticate': [401],
  'retry-after': [429, 503],
};

/** The document says that members may come to everything that is sent; here none may that it does not name. */
export function replyChecker(document: Document): {
  /** What is wrong with a reply, in words; nothing where it is as documented. */
  wrongIn: (operation: Operation, reply: Reply) => string[];
  /** The same for a text of JSON and its schema in the document. */
  misfits: (schema: Schema, json: string) => string[];
} {
  const ajv = new Ajv2020({
    strict: false,
    allErrors: true,
    formats: { 'date-time': isTime, binary: true },
    // A validator checks a few replies: making it costs more than using it.
    code: { optimize: false },
  });
  ajv.addSchema(closed({ components: document.components }), 'document');
  /** By the text of a schema: most operations share those of their errors. */
  const compiled = new Map<string, ValidateFunction>();
  const misfits = (schema: Schema, json: string) => {
    const written = JSON.stringify(schema);
    const validate = compiled.get(written) ?? ajv.compile(closed(schema));
    compiled.set(written, validate);
    return validate(JSON.parse(json)) ? [] : [ajv.errorsText(validate.errors)];
  };
  const wrongIn = ({ responses }: Operation, { status, headers, body }: Reply) => {
    const documented = responses[String(status)];
    if (documented === undefined) return [`status ${status} is not documented`];
    const names = new Set(Object.keys(documented.headers ?? {}).map((name) => name.toLowerCase()));
    const wrong = Object.entries(headers).flatMap(([name, value]) =>
      EVERYWHERE.test(name) || (names.has(name) && isOf(documented.headers, name, value))
        ? []
        : [`header ${name}: ${String(value)} is not documented for ${status}`],
    );
    for (const [name, statuses] of Object.entries(ALWAYS_SENT))
      if (statuses.includes(status) && names.has(name) && headers[name] === undefined)
        wrong.push(`header ${name} is documented for ${status} and was not sent`);
    const type = String(headers['content-type']).replace(/;.*/, '');
    const media = documented.content?.[type];
    if (media === undefined) return [...wrong, `${type} is not documented for ${status}`];
    if (!/^application\/(?:problem\+)?json$/.test(type) || media.schema === undefined) return wrong;
    return [...wrong, ...misfits(media.schema, String(body))];
  };
  return { wrongIn, misfits };
}

function isOf(headers: Operation['responses'][string]['headers'], name: string, value: unknown): boolean {
  const found = Object.entries(headers ?? {}).find(([one]) => one.toLowerCase() === name)?.[1];
  return found?.schema['type'] === 'integer' ? /^\d+$/.test(String(value)) : typeof value === 'string';
}

/** Times as replies have them: in UTC, and of the calendar. */
function isTime(text: string): boolean {
  const time = new Date(text);
  return !Number.isNaN(time.getTime()) && time.toISOString() === text;
}

/** A copy in which an object has the members that it names and no others, and references lead to the whole document. */
function closed<T>(value: T): T {
  const text = JSON.stringify(value, (_name, one: unknown) =>
    typeof one === 'object' && one !== null && 'properties' in one && !('additionalProperties' in one)
      ? { ...one, additionalProperties: false }
      : one,
  );
  return JSON.parse(text.replaceAll('"#/components/', '"document#/components/')) as T; // was one
}
