/** Webhooks according to Standard Webhooks: a POST, signed with HMAC-SHA-256 over id, time and body; any 2xx means delivered. */

import { parseWebUrl } from '../../../model/links/link.ts';
import { readWebAddress, type Resolve, systemResolve } from '../../../platform/network.ts';
import type { ChannelKind } from './channel-kind.ts';
import { assertAddressReachable, postMessage } from './post-message.ts';
import { createHmac, randomBytes } from 'node:crypto';
import { z } from 'zod';

/** @param resolve resolves host names; replaced in tests */
export function createWebhookKind(resolve: Resolve) {
  return {
    settings: {
      webhook: {
        shape: z.string().max(2_000).describe('URL that messages are posted to (https).'),
        label: 'Webhook URL',
        help: 'Treated as a secret: afterwards only its host is shown.',
        input: 'url',
        example: 'https://hooks.example.com/strandline',
        secret: false,
        read: (text) => readWebAddress(text, 'webhook').href,
        show: (address) => new URL(address).host,
      },
    },
    recognize: (pasted) => (parseWebUrl(pasted) === null ? null : { webhook: pasted }),
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
      lead: 'Sends signed messages (Standard Webhooks) to one URL, each at least once.',
      secret:
        'Receivers use it to verify the headers webhook-id, webhook-timestamp and webhook-signature, for example with a Standard Webhooks library.',
      failures: {},
    },
  } satisfies ChannelKind<'webhook'>;
}

export const webhookKind = createWebhookKind(systemResolve);

const SECRET_PREFIX = 'whsec_';
const SECRET_BYTES = 32;

/** Creates a secret: `whsec_` and 32 random bytes in base64. */
export function createSecret(): string {
  return SECRET_PREFIX + randomBytes(SECRET_BYTES).toString('base64');
}

/**
 * The headers by which a receiver verifies a message, with one signature per valid secret.
 * @param at time of this attempt; receivers reject old messages
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
