/** From a saved search's request to what is sent: address, headers, body. Pure. */
import { readFileSync } from 'node:fs';
import { type Dialect, paths } from '../../contract/dialect.ts';
import type { DateFilter, Model, Operation, Tool } from '../../contract/enumerations.ts';
import { toWire } from '../../contract/wire.ts';
import { urlOf, withoutEndSlashes } from '../../contract/url.ts';
import { RunError } from '../../errors.ts';

/** A request in the specification's words; what is null or absent is not sent. */
export type ServiceRequest = {
  operation: Operation;
  prompt: string;
  tools?: readonly Tool[] | null;
  model?: Model | null;
  date_filter?: DateFilter | null;
  streaming: boolean;
  /** Members beyond the specification, in the wire's own words; they never replace one of its members. */
  extra?: Readonly<Record<string, unknown>>;
};

export type Target = {
  baseUrl: string;
  /** Replaces the dialect's service path segment. */
  prefix?: string | undefined;
  dialect: Dialect;
  key: string | undefined;
  /** Sent along where their names begin with `x-`. */
  headers?: Readonly<Record<string, string>>;
};

export type HttpRequest = { url: URL; headers: Record<string, string>; body: string };

const SPECIFIED = new Set(['prompt', 'tools', 'model', 'date_filter', 'streaming']);
const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as {
  version: string; // our own package.json
};

/**
 * @throws RunError `auth` for a key that no header can carry, `internal` for an address that is none.
 */
export function composeRequest(target: Target, request: ServiceRequest): HttpRequest {
  return {
    url: addressOf(target, request.operation),
    headers: {
      ...ownHeaders(target.headers ?? {}),
      accept: request.streaming ? 'text/event-stream, application/json' : 'application/json',
      'accept-encoding': 'gzip, deflate, br',
      'content-type': 'application/json',
      'user-agent': `strandline/${version}`,
      ...authorization(target.key),
    },
    body: JSON.stringify(bodyOf(target.dialect, request)),
  };
}

function addressOf({ baseUrl, prefix, dialect }: Target, operation: Operation): URL {
  const base = urlOf(baseUrl);
  if (base === undefined) throw new RunError('internal', { detail: 'the address of the service is none' });
  const { origin, pathname } = base;
  return new URL(origin + withoutEndSlashes(pathname) + paths(dialect, prefix)[operation]);
}

/** Operation A always says whether it wants a stream: left out, the service has sent one. */
function bodyOf(dialect: Dialect, request: ServiceRequest): Record<string, unknown> {
  const { operation, prompt, tools, model, date_filter, streaming, extra = {} } = request;
  const specified = operation === 'ai' ? { prompt, tools, model, date_filter, streaming } : { prompt, model };
  const wire = toWire(dialect, 'request', withoutNothing(specified)) as Record<string, unknown>; // object in, object out
  return { ...Object.fromEntries(Object.entries(extra).filter(([name]) => !SPECIFIED.has(name))), ...wire };
}

function withoutNothing(members: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(members).filter(([, value]) => value !== null && value !== undefined),
  );
}

function ownHeaders(given: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(given).filter(([name]) => name.toLowerCase().startsWith('x-')));
}

/** The raw key, with no scheme word before it. */
function authorization(key: string | undefined): { authorization?: string } {
  if (key === undefined) return {};
  if (/^[\x21-\x7e]+$/.test(key)) return { authorization: key };
  throw new RunError('auth', { detail: 'the API key holds characters that a header cannot carry' });
}
