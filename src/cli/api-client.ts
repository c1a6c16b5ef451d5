/** Requests operations from a server: one anywhere, or that of the data directory. */

import { SANDBOX_MOUNT } from '../model/mount.ts';
import type { DatabaseKind } from '../model/database-kind.ts';
import { VERSION } from '../config/version.ts';
import {
  InvalidInput,
  isRunCode,
  type Problem,
  readErrorCode,
  Refused,
  RUN_CODES,
  RunError,
} from '../model/errors.ts';
import { isPlain, tryParseJson } from '../lib/json-values.ts';
import { MINUTE, SECOND } from '../lib/time.ts';
import { systemClock as clock } from '../platform/clock.ts';
import { ACCOUNT_HEADER, VERSION_HEADER } from '../model/client-headers.ts';
import type { LocalRuns } from './local-runs.ts';
import type { OperationSpec } from './operation-specs.ts';
import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request as openPlain } from 'node:http';

/** How a command calls operations, wherever they run. */
export type Api = {
  /**
   * @param members as the API takes them @param page of a list
   * @returns the reply as JSON @throws InvalidInput, Refused, RunError as the operation does
   */
  call: (
    spec: OperationSpec,
    members: Readonly<Record<string, unknown>>,
    page?: { limit: number; cursor?: string | undefined },
  ) => Promise<unknown>;
  /**
   * A reply of bytes. @throws as `call`, before its first byte; while it is read, Refused if it breaks off
   */
  stream: (
    spec: OperationSpec,
    members: Readonly<Record<string, unknown>>,
  ) => Promise<AsyncIterable<Uint8Array>>;
  /** The time of the program that runs them. */
  now: () => Date;
  /** Without a server: what this process does in its place. */
  here?: LocalRuns;
};

export type ApiServer = {
  /** The address of the server, without a slash at the end. */
  url: string;
  /** For messages: `The running server (process 7)`. */
  name: string;
  token: string | undefined;
  /** The account that runs the command, for the audit log; only the server of the data directory takes it. */
  account?: string;
  /** What the variable is called that has the token. */
  variable?: string;
};

/** Nothing listens where the server of the data directory was: it has ended. */
export class NothingListens extends Error {
  override readonly name = 'NothingListens';
}

/** Without a reply by then, the server is not there. */
const REPLY_MS = 2 * MINUTE;
/** Operations that wait for a service. */
const SLOW_REPLY_MS = 20 * MINUTE;

/** @param stopping ends requests that wait for a service */
export function openApiClient(server: ApiServer, kind: DatabaseKind, stopping?: AbortSignal): Api {
  let ahead = 0;
  const open = async (
    spec: OperationSpec,
    members: Readonly<Record<string, unknown>>,
  ): Promise<IncomingMessage> => {
    const sent = buildRequest(spec, members);
    const base = `${server.url}${kind === 'sandbox' ? SANDBOX_MOUNT : ''}`;
    const response = await exchange(server, `${base}${sent.path}`, spec, { body: sent.body, stopping });
    const { headers, statusCode = 0 } = response;
    // A second is enough: times are shown by the minute.
    const late = Date.parse(headers.date ?? '') - clock.now().getTime();
    if (Math.abs(late) > 2 * SECOND) ahead = late;
    if (statusCode >= 300 && statusCode < 400) throw describeRedirect(server, headers.location ?? '');
    if (statusCode >= 400) throw readFailure(server, statusCode, await readJson(server, response), members);
    return response;
  };
  return {
    now: () => new Date(clock.now().getTime() + ahead),
    call: async (spec, members, page) => {
      const response = await open(spec, { ...members, ...page });
      const reply = await readJson(server, response);
      assertVersion(server, response.headers[VERSION_HEADER]);
      return reply;
    },
    stream: async (spec, members) => {
      const response = await open(spec, members);
      assertVersion(server, response.headers[VERSION_HEADER]);
      return readWhole(server, response);
    },
  };
}

async function* readWhole(server: ApiServer, response: IncomingMessage): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) yield chunk;
  } catch (error) {
    throw new Refused(
      'unavailable',
      `${server.name} broke off (${readErrorCode(error) ?? 'unknown'}): what was printed is not complete. Try again, or see its log.`,
    );
  }
}

async function readJson(server: ApiServer, response: IncomingMessage): Promise<unknown> {
  const { headers, statusCode = 0 } = response;
  const reply = tryParseJson(await readText(response));
  if (!/^application\/(?:problem\+)?json\b/.test(headers['content-type'] ?? '') || reply === undefined)
    throw new Refused(
      'unavailable',
      `${server.name} did not reply as strandline does (${statusCode}): correct STRANDLINE_URL, or see the server's log`,
    );
  return reply;
}

/** Its path with the query, and its body. */
function buildRequest({ path, members: specs }: OperationSpec, values: Readonly<Record<string, unknown>>) {
  const body: Record<string, unknown> = {};
  const query = new URLSearchParams();
  let address = path;
  for (const [name, value] of Object.entries(values)) {
    const part = specs.find((member) => member.name === name)?.in ?? 'query';
    if (part === 'params') address = address.replace(`{${name}}`, () => encodeURIComponent(toText(value)));
    else if (part === 'body') body[name] = value;
    else if (value !== undefined) query.append(name, toText(value));
  }
  const search = query.toString();
  return {
    path: search === '' ? address : `${address}?${search}`,
    body: specs.some((member) => member.in === 'body') ? JSON.stringify(body) : undefined,
  };
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

async function exchange(
  server: ApiServer,
  url: string,
  { method, callsService }: OperationSpec,
  { body, stopping }: { body: string | undefined; stopping: AbortSignal | undefined },
): Promise<IncomingMessage> {
  const open = url.startsWith('https:') ? (await import('node:https')).request : openPlain;
  let request: ClientRequest | undefined;
  try {
    request = open(url, {
      method,
      agent: false,
      ...(callsService === undefined || stopping === undefined ? {} : { signal: stopping }),
      headers: {
        accept: 'application/json, text/event-stream;q=0.9, */*;q=0.8',
        [VERSION_HEADER]: VERSION,
        ...(server.token === undefined ? {} : { authorization: `Bearer ${server.token}` }),
        ...(server.account === undefined ? {} : { [ACCOUNT_HEADER]: encodeURIComponent(server.account) }),
        ...(body === undefined
          ? {}
          : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
      },
    });
    const late = new Refused('unavailable', `${server.name} does not respond. Try again, or see its log.`);
    request.setTimeout(callsService === true ? SLOW_REPLY_MS : REPLY_MS, () => request?.destroy(late));
    request.end(body);
    const [response] = (await once(request, 'response')) as [IncomingMessage]; // as node:http says
    return response;
  } catch (error) {
    throw describeConnection(server, error);
  }
}

async function readText(response: IncomingMessage): Promise<string> {
  const chunks: string[] = [];
  for await (const chunk of response.setEncoding('utf8')) chunks.push(String(chunk));
  return chunks.join('');
}

/** Why a connection fails, in words. Codes of certificates are those of OpenSSL. */
const CONNECTION_FAULTS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there: start the server, or correct STRANDLINE_URL',
  ECONNRESET: 'it closed the connection: see its log',
  EHOSTUNREACH: 'there is no way to its host: check the network',
  ENETUNREACH: 'there is no way to its network: check the network',
  ENOTFOUND: 'its host name does not exist: correct STRANDLINE_URL, or check the network',
  EAI_AGAIN: 'its host name cannot be looked up: check the network',
  ETIMEDOUT: 'it did not respond in time: check the network and the firewall',
  EPROTO:
    'it does not speak TLS: use http:// for a server on this machine, or put a proxy with a certificate before it',
  ERR_SSL_WRONG_VERSION_NUMBER:
    'it does not speak TLS: use http:// for a server on this machine, or put a proxy with a certificate before it',
  CERT_HAS_EXPIRED: 'its certificate has expired: renew it',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet: check the clocks of both machines',
  ERR_TLS_CERT_ALTNAME_INVALID:
    'its certificate is for another host name: correct STRANDLINE_URL, or the certificate',
  DEPTH_ZERO_SELF_SIGNED_CERT:
    'its certificate is signed by itself: set NODE_EXTRA_CA_CERTS to a file with it',
  SELF_SIGNED_CERT_IN_CHAIN:
    'its certificate is of an authority that this machine does not know: set NODE_EXTRA_CA_CERTS to a file with that of the authority',
  UNABLE_TO_GET_ISSUER_CERT:
    'its certificate is of an authority that this machine does not know: set NODE_EXTRA_CA_CERTS to a file with that of the authority',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    'its certificate is of an authority that this machine does not know: set NODE_EXTRA_CA_CERTS to a file with that of the authority',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    'its certificate is of an authority that this machine does not know, or it sends no intermediate certificate: set NODE_EXTRA_CA_CERTS, or complete its chain',
};

function describeConnection({ name, variable }: ApiServer, error: unknown): Error {
  if (error instanceof Refused) return error;
  const inner = error instanceof AggregateError ? (error.errors[0] as unknown) : error;
  const code = readErrorCode(inner) ?? readErrorCode(error) ?? '';
  if (code === 'ECONNREFUSED' && variable === undefined) return new NothingListens();
  const words = CONNECTION_FAULTS[code] ?? (inner instanceof Error ? inner.message : String(inner));
  return new Refused(
    'unavailable',
    `${name} cannot be reached (${code === '' ? 'unknown' : code}): ${words}`,
  );
}

function describeRedirect({ name, url }: ApiServer, location: string): Refused {
  const moved = location.startsWith(`https://${url.replace(/^https?:\/\//, '')}`)
    ? ': set STRANDLINE_URL to https'
    : '';
  return new Refused(
    'unavailable',
    `${name} redirects elsewhere, which is not followed with a token${moved}`,
  );
}

function assertVersion({ name }: ApiServer, version: string | string[] | undefined): void {
  if (version !== VERSION)
    throw new Refused(
      'conflict',
      `${name} is strandline ${typeof version === 'string' ? version : 'of an unknown version'}, but this command is ${VERSION}. Use the same version.`,
    );
}

/** The failure that problem details describe. */
function readFailure(
  server: ApiServer,
  status: number,
  reply: unknown,
  sent: Readonly<Record<string, unknown>>,
): Error {
  const { type = '', detail = '', instance = '', errors = [] } = isPlain(reply) ? reply : {};
  const words = String(detail);
  const code = String(type).replace(/^.*[:/]/, '');
  if (Array.isArray(errors) && errors.length > 0)
    return new InvalidInput(errors.filter(isPlain).map((problem) => readProblem(problem, sent)));
  if (status === 401)
    return new Refused(
      'unavailable',
      server.token === undefined
        ? `${server.name} needs a token: set STRANDLINE_TOKEN`
        : `${server.name} refuses the token: ${words}${server.variable === undefined ? '' : ` (${server.variable})`}`,
    );
  if (status === 500)
    return new Refused('unavailable', `${server.name} failed (${String(instance)}): ${words}`);
  if (isRunCode(code)) {
    const more = words.startsWith(`${RUN_CODES[code]}: `)
      ? words.slice(RUN_CODES[code].length + 2)
      : undefined;
    return new RunError(code, { detail: more });
  }
  return new Refused(REFUSALS.find((kind) => kind === code) ?? 'unavailable', words);
}

const REFUSALS: readonly Refused['kind'][] = ['not_found', 'conflict', 'exists', 'changed', 'unavailable'];

/** `scopes[1]` for `body.scopes.1`, as operations name it. */
function readProblem(
  { path, given, expected }: Readonly<Record<string, unknown>>,
  sent: Readonly<Record<string, unknown>>,
): Problem {
  const name = String(path)
    .replace(/^(?:body|query|params)(?:\.|$)/, '')
    .replaceAll(/\.(\d+)(?=\.|$)/g, '[$1]');
  const [first = ''] = name.split(/[.[]/);
  // JSON has no other word for what was not given.
  const isMissing = given === null && sent[first] !== null;
  return { path: name, given: isMissing ? undefined : given, expected: String(expected) };
}
