/** Webhooks, as Standard Webhooks has them: a signed POST; any 2xx means it was taken. */
import type { LookupAddress } from 'node:dns';
import type { Agent as UndiciAgent } from 'undici';
import { retryAfterMs } from '../../../contract/retry-after.ts';
import { oneCleanLine } from '../../../contract/text.ts';
import { InvalidInput } from '../../../errors.ts';
import {
  NotAllowed,
  reachable,
  readAllowed,
  type Resolve,
  systemResolve,
} from '../../../engine/network/allowed.ts';
import { leadsBack } from '../../../engine/network/own.ts';
import { readWebAddress } from '../../../engine/network/web-address.ts';
import type { DeliveryCode } from '../../../store/tell/codes.ts';
import type { Attempt, ChannelKind, Means, Message, Receiver } from './channel.ts';
import { signatureHeaders } from './sign.ts';

/** So much of an answer is read, and so many characters are kept. */
const READ_MAX = 65_536;
const KEPT_MAX = 1_000;

/** @param resolve how names are looked up; given in tests */
export function webhookBy(resolve: Resolve): ChannelKind {
  return {
    readAddress: (given) => readWebAddress(given, 'webhook').href,
    assertReachable: async (address, means) => {
      try {
        await whereTo(new URL(address), means, resolve);
      } catch (error) {
        if (!(error instanceof NotAllowed)) return; // a name that is not known today may be tomorrow
        throw new InvalidInput([
          {
            path: 'webhook',
            given: '(hidden)',
            expected: `an address that may be sent to: ${error.message}`,
          },
        ]);
      }
    },
    send: (message, to, means) => send(message, to, means, resolve),
  };
}

export const webhook = webhookBy(systemResolve);

async function send(message: Message, to: Receiver, means: Means, resolve: Resolve): Promise<Attempt> {
  const late = AbortSignal.timeout(means.timeoutMs);
  const signal = AbortSignal.any([late, means.signal]);
  let agent: UndiciAgent | undefined;
  try {
    const url = new URL(to.address);
    const addresses = await unlessAborted(whereTo(url, means, resolve), signal);
    // Loaded by those that send: the kinds of channels are known to whoever only names one.
    const { Agent, request } = await import('undici');
    // A connection of its own to an address that was just checked: the name is not looked up again.
    agent = new Agent({
      connect: { lookup: always(addresses), timeout: means.timeoutMs },
      pipelining: 1,
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    const { statusCode, headers, body } = await request(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'user-agent': 'strandline',
        ...signatureHeaders(message, to.secrets),
      },
      body: message.body,
      signal,
      dispatcher: agent,
    });
    // A success is one as soon as it is said: what else the receiver writes, and whether it ends, does not matter.
    const answer = await beginningOf(body);
    if (statusCode >= 200 && statusCode < 300) return { kind: 'taken', httpStatus: statusCode, answer };
    const retryAfter = headers['retry-after'];
    return {
      kind: 'failed',
      code: codeOfStatus(statusCode),
      httpStatus: statusCode,
      answer,
      detail: null,
      retryAfterMs: retryAfterMs(
        (Array.isArray(retryAfter) ? retryAfter[0] : retryAfter) ?? null,
        message.at,
      ),
    };
  } catch (error) {
    if (means.signal.aborted) return { kind: 'aborted' };
    const code = late.aborted ? 'timeout' : codeOfError(error);
    const detail = error instanceof NotAllowed ? error.message : nameOf(error);
    return {
      kind: 'failed',
      code,
      httpStatus: null,
      answer: null,
      detail: late.aborted ? null : detail,
      retryAfterMs: null,
    };
  } finally {
    // Whatever is still coming is not waited for.
    await agent?.destroy().catch(() => {});
  }
}

/** Addresses that a message may go to. @throws NotAllowed, and what the resolver throws */
async function whereTo(
  url: URL,
  { allow, doors }: Pick<Means, 'allow' | 'doors'>,
  resolve: Resolve,
): Promise<readonly LookupAddress[]> {
  const addresses = await reachable(url, readAllowed(allow, 'WEBHOOK_ALLOW'), resolve);
  if (leadsBack(url, addresses, doors)) throw new NotAllowed(`${url.host} is strandline itself`);
  return addresses;
}

/** What `net.connect` asks for addresses with, answered with those that were checked. */
function always(addresses: readonly LookupAddress[]) {
  return (
    _host: string,
    options: { all?: boolean | undefined },
    done: (error: Error | null, address: string | LookupAddress[], family?: number) => void,
  ): void => {
    const [first] = addresses;
    if (options.all === true) done(null, [...addresses]);
    else done(null, first?.address ?? '', first?.family);
  };
}

/** The resolver cannot be stopped: whoever waits for it can. */
async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  let stop = (): void => {};
  const stopped = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason instanceof Error ? signal.reason : new Error('aborted'));
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([work, stopped]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** The first characters of a body on one line; null where there are none. An answer that breaks off was an answer. */
async function beginningOf(body: AsyncIterable<Uint8Array>): Promise<string | null> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const piece of body) {
      pieces.push(piece);
      bytes += piece.byteLength;
      if (bytes >= READ_MAX) break;
    }
  } catch {
    // kept: what came before
  }
  const text = new TextDecoder('utf-8').decode(Buffer.concat(pieces).subarray(0, READ_MAX));
  return oneCleanLine(text).slice(0, KEPT_MAX).toWellFormed() || null;
}

function codeOfStatus(status: number): DeliveryCode {
  if (status >= 300 && status < 400) return 'redirect';
  if (status === 410) return 'gone';
  return status === 429 || status === 503 ? 'slow_down' : 'http_status';
}

const REFUSED = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EHOSTDOWN',
  'EADDRNOTAVAIL',
  'EACCES',
]);
const DNS = /^(ENOTFOUND|EAI_\w+|ENODATA)$/;
const TLS = /^(ERR_TLS_\w+|ERR_SSL_\w+|CERT_\w+|\w*_CERT\w*|UNABLE_TO_\w+|HOSTNAME_MISMATCH|EPROTO)$/;
const SLOW = new Set(['UND_ERR_CONNECT_TIMEOUT', 'ETIMEDOUT']);

function codeOfError(error: unknown): DeliveryCode {
  if (error instanceof NotAllowed || error instanceof InvalidInput) return 'address';
  const name = nameOf(error);
  if (name === null) return 'internal';
  if (SLOW.has(name)) return 'timeout';
  if (DNS.test(name)) return 'dns';
  if (TLS.test(name)) return 'tls';
  return REFUSED.has(name) ? 'refused' : 'broken';
}

/** The network's own name for what happened, which holds nothing from outside. */
function nameOf(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  if ('code' in error && typeof error.code === 'string' && /^[A-Z][A-Z0-9_]{2,60}$/.test(error.code))
    return error.code;
  const inner = error instanceof AggregateError ? error.errors[0] : error.cause;
  return inner === undefined ? null : nameOf(inner);
}
