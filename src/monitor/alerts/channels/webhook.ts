/** Webhooks, as Standard Webhooks has them: a POST, signed with HMAC-SHA-256 over id, time and the very bytes that are sent; any 2xx means delivered. */

import { readWebAddress, type Resolve, systemResolve } from '../../../platform/network.ts';
import type { ChannelKind } from './channel-kind.ts';
import { assertAddressReachable, postMessage } from './post-message.ts';
import { createHmac, randomBytes } from 'node:crypto';
import { z } from 'zod';

/** @param resolve how names are looked up; given in tests */
export function createWebhookKind(resolve: Resolve): ChannelKind<'webhook'> {
  return {
    settings: {
      webhook: {
        shape: z.string().max(2_000).describe('Where messages are posted to: an https address.'),
        label: 'Address of the webhook',
        help: 'It is kept like a secret: only its host is shown afterwards.',
        input: 'url',
        example: 'https://hooks.example.com/strandline',
        secret: false,
        read: (given) => readWebAddress(given, 'webhook').href,
        show: (address) => new URL(address).host,
      },
    },
    assertReachable: ({ webhook }, means) => assertAddressReachable('webhook', webhook, means, resolve),
    contentType: 'application/json',
    compose: (message) => JSON.stringify(message),
    send: ({ id, body, at }, { settings, secrets }, means) =>
      postMessage(
        {
          address: settings.webhook,
          headers: { 'content-type': 'application/json', ...signMessage({ id, body, at }, secrets) },
          body,
          at,
        },
        means,
        resolve,
      ),
    createSecret,
    words: {
      name: 'Webhook',
      target: 'Address',
      lead: 'A channel sends signed messages (Standard Webhooks) to one address, each at least once.',
      secret:
        'The receiver checks the headers webhook-id, webhook-timestamp and webhook-signature with it; libraries for that are named Standard Webhooks.',
      failures: {},
    },
  };
}

export const webhookKind = createWebhookKind(systemResolve);

const SECRET_PREFIX = 'whsec_';
const SECRET_BYTES = 32;

/** A new secret: `whsec_` and 32 random bytes in base64. */
export function createSecret(): string {
  return SECRET_PREFIX + randomBytes(SECRET_BYTES).toString('base64');
}

/**
 * The headers that a receiver checks a message by: one signature per secret that is valid now.
 * @param at when this attempt is made; receivers refuse what is minutes old
 */
export function signMessage(
  { id, body, at }: { id: string; body: string; at: Date },
  secrets: readonly string[],
): Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string> {
  const timestamp = String(Math.floor(at.getTime() / 1_000));
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`, 'utf8').digest('base64')}`;
  });
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
}
