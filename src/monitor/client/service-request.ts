/** Composes the HTTP request of a saved search: URL, headers, body. Pure. */
import { VERSION } from '../../config/version.ts';
import { type Dialect, buildOperationPaths } from '../../protocol/dialect.ts';
import type { DateFilter, Model, Operation, Tool } from '../../model/enumerations.ts';
import type { OwnSources } from '../../protocol/own-sources.ts';
import {
  type aiSearchRequest,
  type microblogSearchRequest,
  REQUEST_MEMBERS,
} from '../../protocol/specification.ts';
import { toWire } from '../../protocol/wire.ts';
import { parseUrl, trimEndSlashes } from '../../model/links/link.ts';
import { RunError } from '../../model/errors.ts';

/** A request in the terms of the specification; null or missing members are not sent. */
export type ServiceRequest = {
  operation: Operation;
  prompt: string;
  tools?: readonly Tool[] | null;
  model?: Model | null;
  date_filter?: DateFilter | null;
  streaming: boolean;
  /** Sources of the topic: an extension of our own service. Never set for a hosted one. */
  own_sources?: OwnSources | undefined;
  /** Members beyond the specification, as sent; they never replace specified ones. */
  extra?: Readonly<Record<string, unknown>>;
};

export type Target = {
  baseUrl: string;
  /** Replaces the dialect's service path segment. */
  prefix?: string | undefined;
  dialect: Dialect;
  key: string | undefined;
  /** Additional headers; only those that begin with `x-` are sent. */
  headers?: Readonly<Record<string, string>>;
};

export type HttpRequest = { url: URL; headers: Record<string, string>; body: string };

/**
 * @throws RunError `auth` for a key with characters that are invalid in a header, `internal` for an invalid URL
 */
export function composeRequest(target: Target, request: ServiceRequest): HttpRequest {
  return {
    url: buildAddress(target, request.operation),
    headers: {
      ...selectOwnHeaders(target.headers ?? {}),
      accept: request.streaming ? 'text/event-stream, application/json' : 'application/json',
      'accept-encoding': 'gzip, deflate, br',
      'content-type': 'application/json',
      'user-agent': `strandline/${VERSION}`,
      ...buildAuthorization(target.key),
    },
    body: JSON.stringify(buildBody(target.dialect, request)),
  };
}

function buildAddress({ baseUrl, prefix, dialect }: Target, operation: Operation): URL {
  const base = parseUrl(baseUrl);
  if (base === undefined) throw new RunError('internal', { detail: 'the URL of the service is invalid' });
  const { origin, pathname } = base;
  return new URL(origin + trimEndSlashes(pathname) + buildOperationPaths(dialect, prefix)[operation]);
}

/** Each member of the specification: a forgotten member does not compile. */
type MembersOf<Schema extends { shape: object }> = Record<keyof Schema['shape'], unknown>;

/** Operation A always sends `streaming`: without it, the service has sent a stream. */
export function buildBody(dialect: Dialect, request: ServiceRequest): Record<string, unknown> {
  const { operation, prompt, tools, model, date_filter, streaming, own_sources, extra = {} } = request;
  const specified =
    operation === 'ai'
      ? ({ prompt, tools, model, date_filter, streaming } satisfies MembersOf<typeof aiSearchRequest>)
      : ({ prompt, model } satisfies MembersOf<typeof microblogSearchRequest>);
  const wire = toWire(dialect, 'request', omitEmpty(specified)) as Record<string, unknown>; // object in, object out
  return {
    ...Object.fromEntries(Object.entries(extra).filter(([name]) => !REQUEST_MEMBERS.has(name))),
    ...(own_sources && { own_sources }),
    ...wire,
  };
}

function omitEmpty(members: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(members).filter(([, value]) => value !== null && value !== undefined),
  );
}

function selectOwnHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => name.toLowerCase().startsWith('x-')));
}

/** The raw key, without a scheme. */
function buildAuthorization(key: string | undefined): { authorization?: string } {
  if (key === undefined) return {};
  if (/^[\x21-\x7e]+$/.test(key)) return { authorization: key };
  throw new RunError('auth', { detail: 'the API key contains characters that are invalid in a header' });
}
