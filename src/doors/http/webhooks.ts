/** Messages that channels send, as the document describes them to their receivers. */
import type { z } from 'zod';
import { DiscoveriesMessage, TestMessage } from '../../monitor/tell/message.ts';

const HEADERS = [
  [
    'webhook-id',
    'Id of the message, the same at each attempt: what came before under it may be ignored.',
    'msg_1',
  ],
  ['webhook-timestamp', 'When this attempt was made, in seconds since 1970.', '1795262400'],
  [
    'webhook-signature',
    '`v1,` and the base64 of HMAC-SHA-256 over `id.timestamp.body`; several with spaces between them while a secret is rotated.',
    'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  ],
] as const;

function webhook(
  name: { operationId: string; summary: string; description: string },
  message: z.core.$ZodType & { meta(): { id?: string | undefined } | undefined },
) {
  return {
    post: {
      ...name,
      tags: ['alerts'],
      parameters: HEADERS.map(([header, description, example]) => ({
        name: header,
        in: 'header',
        required: true,
        description,
        schema: { type: 'string' },
        example,
      })),
      requestBody: {
        required: true,
        content: { 'application/json': { schema: { $ref: `#/components/schemas/${message.meta()?.id}` } } },
      },
      responses: {
        '2XX': { description: 'Delivered. The body is not read beyond 64 kB.' },
        '410': { description: 'Not delivered; the channel is disabled until somebody resumes it.' },
        default: { description: 'Not delivered; sent again later, under the same id.' },
      },
      security: [],
    },
  };
}

/** By the `type` of their message. */
export const WEBHOOKS = {
  'strandline.discoveries': webhook(
    {
      operationId: 'receiveDiscoveries',
      summary: 'What a rule reports',
      description:
        'Sent at least once, signed as Standard Webhooks has it, to each channel of a rule that matches new discoveries.',
    },
    DiscoveriesMessage,
  ),
  'strandline.test': webhook(
    {
      operationId: 'receiveTest',
      summary: 'A test of a channel',
      description: 'Sent once when somebody tests a channel. It reports nothing.',
    },
    TestMessage,
  ),
};
