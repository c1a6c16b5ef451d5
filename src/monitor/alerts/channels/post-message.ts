/** Posts a message to an address that was just checked, for all kinds of channels that use HTTP. */

import { HIDDEN, InvalidInput } from '../../../model/errors.ts';
import { cleanLine } from '../../../lib/text.ts';
import { awaitUnlessAborted, createTimeLimit } from '../../../platform/clock.ts';
import {
  createFixedLookup,
  findNetworkCode,
  leadsToOurselves,
  NotAllowed,
  readAllowed,
  type Resolve,
  resolveAllowed,
  systemResolve,
} from '../../../platform/network.ts';
import { retryAfterMs } from '../../../protocol/retry-after.ts';
import type { DeliveryCode } from '../../../model/alerts.ts';
import { failSend, type SendOptions, type SendResult } from './channel-kind.ts';
import type { LookupAddress } from 'node:dns';
import type { Agent as UndiciAgent } from 'undici';

/** How much of a reply is read, and how many characters of it are kept. */
const MAX_REPLY_BYTES = 65_536;
const MAX_REPLY_LENGTH = 1_000;

/**
 * Checks that messages may be sent to an address now.
 * @param setting the name of the setting with the address
 * @throws InvalidInput
 */
export async function assertAddressReachable(
  setting: string,
  address: string,
  means: Pick<SendOptions, 'allow' | 'doors'>,
  resolve: Resolve = systemResolve,
): Promise<void> {
  try {
    await resolveReceiver(new URL(address), means, resolve);
  } catch (error) {
    if (!(error instanceof NotAllowed)) return; // a host name that does not resolve now may resolve later
    throw new InvalidInput([{ path: setting, given: HIDDEN, expected: error.message }]);
  }
}

/** A reply; `text` is its start, and `json` its value if it is whole JSON. */
export type Reply = { status: number; text: string; json: unknown };

/** What a reply means; `retryAfterMs` replaces that of the header. */
export type ReplyMeaning = 'taken' | { code: DeliveryCode; retryAfterMs?: number | null; detail?: string };

/**
 * Sends a body once. Never throws.
 * @param post.at time of this attempt, for `Retry-After`
 * @param post.readReply what a reply of this service means, as it documents; null or missing: by its status, and any 2xx means
 *   delivered
 * @param resolve resolves host names; replaced in tests
 */
export async function postMessage(
  post: {
    address: string;
    headers: Readonly<Record<string, string>>;
    body: string;
    at: Date;
    readReply?: (reply: Reply) => ReplyMeaning | null;
  },
  means: SendOptions,
  resolve: Resolve = systemResolve,
): Promise<SendResult> {
  // Loaded on demand, before the time limit starts: most importers only list the kinds of channels.
  const { Agent, request } = await import('undici');
  const limit = createTimeLimit(means.timeoutMs, means.signal);
  let agent: UndiciAgent | undefined;
  try {
    const url = new URL(post.address);
    // DNS resolution cannot be cancelled; waiting for it can.
    const addresses = await awaitUnlessAborted(limit.signal, resolveReceiver(url, means, resolve));
    // Connects to the checked address: the name is not resolved a second time.
    agent = new Agent({
      connect: { lookup: createFixedLookup(addresses), timeout: means.timeoutMs },
      pipelining: 1,
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    const { statusCode, headers, body } = await request(url, {
      method: 'POST',
      headers: { 'user-agent': 'strandline', ...post.headers },
      body: post.body,
      signal: limit.signal,
      dispatcher: agent,
    });
    // The status decides. An incomplete body does not matter.
    const text = await readReplyStart(body);
    const answer = cleanLine(text).slice(0, MAX_REPLY_LENGTH).toWellFormed() || null;
    const meaning = post.readReply?.({ status: statusCode, text, json: parseJson(text) }) ?? null;
    const isSuccess = statusCode >= 200 && statusCode < 300;
    if (meaning === 'taken' || (meaning === null && isSuccess))
      return { kind: 'taken', httpStatus: statusCode, answer };
    const [retryAfter = null] = [headers['retry-after'] ?? []].flat();
    return failSend(meaning?.code ?? classifyStatus(statusCode), {
      httpStatus: statusCode,
      answer,
      detail: meaning?.detail ?? null,
      retryAfterMs: meaning?.retryAfterMs ?? retryAfterMs(retryAfter, post.at),
    });
  } catch (error) {
    if (means.signal.aborted) return { kind: 'aborted' };
    if (limit.signal.aborted) return failSend('timeout');
    const detail = error instanceof NotAllowed ? error.message : (findNetworkCode(error) ?? null);
    return failSend(classifyError(error), { detail });
  } finally {
    limit.end();
    // Do not wait for the rest of the reply.
    await agent?.destroy().catch(() => {});
  }
}

/** Addresses that a message may go to. @throws NotAllowed, and what the resolver throws */
async function resolveReceiver(
  url: URL,
  { allow, doors }: Pick<SendOptions, 'allow' | 'doors'>,
  resolve: Resolve,
): Promise<readonly LookupAddress[]> {
  const addresses = await resolveAllowed(url, readAllowed(allow, 'CHANNELS_ALLOW'), resolve);
  if (leadsToOurselves(url, addresses, doors)) throw new NotAllowed(`${url.host} is strandline itself`);
  return addresses;
}

/** The start of a body. An incomplete body is fine. */
async function readReplyStart(body: AsyncIterable<Uint8Array>): Promise<string> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const piece of body) {
      pieces.push(piece);
      bytes += piece.byteLength;
      if (bytes >= MAX_REPLY_BYTES) break;
    }
  } catch {
    // keep what was received before the failure
  }
  return new TextDecoder('utf-8').decode(Buffer.concat(pieces).subarray(0, MAX_REPLY_BYTES));
}

/** Undefined for what is no JSON. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function classifyStatus(status: number): DeliveryCode {
  if (status >= 300 && status < 400) return 'redirect';
  if (status === 410) return 'gone';
  return status === 429 || status === 503 ? 'slow_down' : 'http_status';
}

const REFUSED_CODE = /^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EHOSTDOWN|EADDRNOTAVAIL|EACCES)$/;
const DNS_CODE = /^(ENOTFOUND|EAI_\w+|ENODATA)$/;
const TLS_CODE = /^(ERR_TLS_\w+|ERR_SSL_\w+|CERT_\w+|\w*_CERT\w*|UNABLE_TO_\w+|HOSTNAME_MISMATCH|EPROTO)$/;
const TIMEOUT_CODE = /^(UND_ERR_CONNECT_TIMEOUT|ETIMEDOUT)$/;

function classifyError(error: unknown): DeliveryCode {
  if (error instanceof NotAllowed || error instanceof InvalidInput) return 'address';
  return classifyNetworkCode(findNetworkCode(error));
}

/** @param name such as `ECONNREFUSED`; undefined if the error has none */
export function classifyNetworkCode(name: string | undefined): DeliveryCode {
  if (name === undefined) return 'internal';
  if (TIMEOUT_CODE.test(name)) return 'timeout';
  if (DNS_CODE.test(name)) return 'dns';
  if (TLS_CODE.test(name)) return 'tls';
  return REFUSED_CODE.test(name) ? 'refused' : 'broken';
}
