/** A topic of ntfy, on ntfy.sh or on your own server. */

import { trimEndSlashes, parseWebUrl } from '../../../model/links/link.ts';
import { InvalidInput, HIDDEN } from '../../../model/errors.ts';
import { type Resolve, systemResolve } from '../../../platform/network.ts';
import type { ChannelKind } from './channel-kind.ts';
import {
  addMembers,
  defineSecretAddress,
  PLAIN_FORMAT,
  postJson,
  readMember,
  renderItems,
} from './chat-message.ts';
import { fitSummary, summarizeMessage } from './message-summary.ts';
import { assertAddressReachable, type Reply, type ReplyMeaning } from './post-message.ts';
import { z } from 'zod';

/** Bytes of a message; a longer one becomes a file. */
const MAX_MESSAGE_BYTES = 4_096;
const TOPIC = /^[-_A-Za-z0-9]{1,64}$/;

type Name = 'ntfy_secret_url' | 'ntfy_token';

/** @param resolve resolves host names; replaced in tests */
function createNtfyKind(resolve: Resolve): ChannelKind<Name> {
  const address = defineSecretAddress('ntfy_secret_url', {
    description: 'Address of a server and its topic.',
    label: 'Address of the topic',
    help: 'Whoever knows the topic can read it, so choose a name that nobody guesses. Afterwards only the host is shown.',
    example: 'https://ntfy.sh/my-secret-topic',
  });
  return {
    settings: {
      ntfy_secret_url: {
        ...address,
        read: (text) => {
          const read = address.read?.(text.trim().replace(/^ntfy:\/\//i, 'https://')) ?? text;
          const { origin, base, topic } = splitAddress(read);
          if (TOPIC.test(topic)) return `${origin}${base}/${topic}`;
          const expected =
            'an address with a topic (letters, digits, - and _), such as https://ntfy.sh/my-topic';
          throw new InvalidInput([{ path: 'ntfy_secret_url', given: HIDDEN, expected }]);
        },
      },
      ntfy_token: {
        shape: z
          .string()
          .max(200)
          .regex(/^[\x21-\x7e]+$/)
          .describe('Access token, for a protected topic.'),
        label: 'Access token',
        help: 'Only for a protected topic.',
        input: 'text',
        example: 'tk_AgQdq7mVBoFD37zQVN29RhuMzNIz2',
        secret: true,
        optional: true,
      },
    },
    recognize,
    hosts: /^ntfy\.sh$/,
    assertReachable: ({ ntfy_secret_url: url }, means) =>
      assertAddressReachable('ntfy_secret_url', url, means, resolve),
    contentType: 'application/json',
    compose: (message) =>
      JSON.stringify(
        fitSummary(
          summarizeMessage(message),
          (summary) => ({
            title: PLAIN_FORMAT.escape(summary.title),
            message: renderItems(summary, PLAIN_FORMAT),
            ...(summary.url === null ? {} : { click: summary.url }),
          }),
          ({ message: text }) => Buffer.byteLength(text) <= MAX_MESSAGE_BYTES,
        ),
      ),
    send: ({ id, body, at }, { settings: { ntfy_secret_url: url, ntfy_token: token } }, means) => {
      // JSON is posted to the server. A repetition with the same sequence id replaces the message.
      const { origin, base, topic } = splitAddress(url);
      const addressed = addMembers(body, { topic, sequence_id: id });
      const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
      return postJson(`${origin}${base}/`, { id, body: addressed, at }, means, resolve, {
        headers,
        readReply,
      });
    },
    createSecret: null,
    words: {
      name: 'ntfy',
      target: 'Topic',
      lead: 'Publishes messages to a topic of ntfy, for phones and desktops.',
      secret: null,
      failures: {
        gone: 'ntfy refuses messages to this topic: its name is not valid, or it needs an access token that may write',
        rejected: 'ntfy does not accept this message',
      },
    },
  };
}

export const ntfyKind = createNtfyKind(systemResolve);

/** The topic is the last part of the path; before it is the path of the server. */
function splitAddress(address: string): { origin: string; base: string; topic: string } {
  const { origin, pathname } = new URL(address);
  const parts = trimEndSlashes(pathname).split('/');
  return { origin, base: parts.slice(0, -1).join('/'), topic: parts.at(-1) ?? '' };
}

/** An address at a host with `ntfy` in its name, or `ntfy://…`; an access token may follow. */
function recognize(pasted: string): Partial<Record<Name, string>> | null {
  const [address = '', token, ...others] = pasted.split(/\s+/);
  if (others.length > 0 || (token !== undefined && !/^tk_\w+$/.test(token))) return null;
  const written = address.replace(/^ntfy:\/\//i, 'https://').replace(/^(?=ntfy\.sh\/)/, 'https://');
  const url = parseWebUrl(written);
  if (url === null || !(/^ntfy:/i.test(address) || /(^|[.-])ntfy[.-]/.test(url.hostname))) return null;
  if (!TOPIC.test(splitAddress(url.href).topic)) return null;
  return { ntfy_secret_url: written, ...(token === undefined ? {} : { ntfy_token: token }) };
}

/** Codes of the JSON error: topic not valid, topic not allowed. */
const TOPIC_CODES: ReadonlySet<unknown> = new Set([40_009, 40_010]);

function readReply({ status, json }: Reply): ReplyMeaning | null {
  if (status === 401 || status === 403 || TOPIC_CODES.has(readMember(json, 'code'))) return { code: 'gone' };
  return status === 400 || status === 413 ? { code: 'rejected' } : null;
}
