/** An Apprise API server, which passes messages on to the services that it, or the channel, names. */

import { parseWebUrl, trimEndSlashes } from '../../../model/links/link.ts';
import { HIDDEN, InvalidInput } from '../../../model/errors.ts';
import { type Resolve, systemResolve } from '../../../platform/network.ts';
import type { ChannelKind } from './channel-kind.ts';
import { addMembers, defineSecretAddress, PLAIN_FORMAT, postJson, renderItems } from './chat-message.ts';
import { fitSummary, summarizeMessage } from './message-summary.ts';
import { assertAddressReachable, type Reply, type ReplyMeaning } from './post-message.ts';
import { z } from 'zod';

/** Characters. Apprise shortens or divides it further, as each service needs. */
const MAX_BODY_LENGTH = 4_000;
/** `/notify` without a key, or with the key of a stored configuration. */
const NOTIFY_PATH = /\/notify(\/[\w-]{1,64})?\/?$/;

type Name = 'apprise_secret_url' | 'apprise_secret_services';

/** @param resolve resolves host names; replaced in tests */
function createAppriseKind(resolve: Resolve): ChannelKind<Name> {
  const address = defineSecretAddress('apprise_secret_url', {
    description: 'Notify address of an Apprise API server, with the key of its configuration.',
    label: 'Notify address',
    example: 'https://apprise.example.com/notify/my-key',
  });
  return {
    settings: {
      apprise_secret_url: {
        ...address,
        read: (text) => {
          const read = address.read?.(text.trim().replace(/^apprise(s?):\/\//i, 'http$1://')) ?? text;
          if (NOTIFY_PATH.test(new URL(read).pathname)) return trimEndSlashes(read);
          const expected = 'an address such as https://apprise.example.com/notify/my-key';
          throw new InvalidInput([{ path: 'apprise_secret_url', given: HIDDEN, expected }]);
        },
      },
      apprise_secret_services: {
        shape: z
          .string()
          .max(4_000)
          .regex(/^\s*[a-z][a-z\d+.-]*:\/\/\S/i)
          .describe('Apprise URLs of the services to notify, for an address without a key.'),
        label: 'Services',
        help: 'Apprise URLs, separated by commas. Only for an address without a key.',
        input: 'text',
        example: 'mailto://user:password@example.com',
        secret: true,
        optional: true,
      },
    },
    recognize,
    assertReachable: ({ apprise_secret_url: url }, means) =>
      assertAddressReachable('apprise_secret_url', url, means, resolve),
    contentType: 'application/json',
    compose: (message) =>
      JSON.stringify(
        fitSummary(
          summarizeMessage(message),
          (summary) => ({
            title: PLAIN_FORMAT.escape(summary.title),
            body: [
              renderItems(summary, PLAIN_FORMAT),
              ...(summary.url === null || summary.more !== null ? [] : [summary.url]),
            ].join('\n\n'),
            type: 'info',
            format: 'text',
          }),
          ({ body }) => body.length <= MAX_BODY_LENGTH,
        ),
      ),
    send: ({ id, body, at }, { settings }, means) => {
      const { apprise_secret_url: url, apprise_secret_services: services } = settings;
      // Not in the stored body, which people may read.
      const addressed = services === undefined ? body : addMembers(body, { urls: services });
      return postJson(url, { id, body: addressed, at }, means, resolve, {
        headers: { accept: 'application/json' },
        readReply,
      });
    },
    createSecret: null,
    words: {
      name: 'Apprise',
      target: 'Notify address',
      lead: 'Sends messages to an Apprise API server, which passes them on to more than a hundred services.',
      secret: null,
      failures: {
        gone: 'Apprise has no service to notify: it does not know the key, or the URLs of the services are not valid',
        rejected: 'Apprise does not accept this message',
      },
    },
  };
}

export const appriseKind = createAppriseKind(systemResolve);

/** A notify address with a key, or `apprise://host/key`. */
function recognize(pasted: string): Partial<Record<Name, string>> | null {
  const own = /^apprise(s?):\/\/([^/\s]+)\/([\w-]{1,64})\/?$/i.exec(pasted);
  if (own !== null)
    return { apprise_secret_url: `http${own[1]?.toLowerCase()}://${own[2]}/notify/${own[3]}` };
  const url = parseWebUrl(pasted);
  return url === null || !NOTIFY_PATH.test(url.pathname) ? null : { apprise_secret_url: pasted };
}

/** 204: there is no configuration for the key, or no service in it. 424: a service failed, which is retried. */
function readReply({ status }: Reply): ReplyMeaning | null {
  if (status === 204) return { code: 'gone' };
  return status === 400 || status === 413 || status === 431 ? { code: 'rejected' } : null;
}
