/** A kind of channel that the program does not have: plain-text notes, with a token, to a notebook. */
import { readWebAddress } from '../../src/platform/network.ts';
import type { ChannelKind } from '../../src/monitor/alerts/channels/channel-kind.ts';
import { assertAddressReachable, postMessage } from '../../src/monitor/alerts/channels/post-message.ts';
import { z } from 'zod';

export const noteKind: ChannelKind<'note_address' | 'note_token'> = {
  settings: {
    note_address: {
      shape: z.string().max(500).describe('Where notes are added: the address of a notebook.'),
      label: 'Address of the notebook',
      input: 'url',
      example: 'https://notes.example.com/pages',
      secret: false,
      read: (given) => readWebAddress(given, 'note_address').href,
    },
    note_token: {
      shape: z.string().min(10).max(200).describe('The token of the notebook.'),
      label: 'Token of the notebook',
      input: 'text',
      example: 'nt_0123456789',
      secret: true,
    },
  },
  recognize: () => null,
  assertReachable: ({ note_address: address }, means) =>
    assertAddressReachable('note_address', address, means),
  contentType: 'text/plain',
  compose: (message) =>
    message.type === 'strandline.test'
      ? `A test of ${message.data.channel}.`
      : message.type === 'strandline.discoveries'
        ? `${message.data.rule_name}: ${message.data.total} found in ${message.data.search ?? 'several searches'}.`
        : `${message.data.rule_name}: see the page.`,
  send: ({ body, at }, { settings }, means) =>
    postMessage(
      {
        address: settings.note_address,
        headers: { 'content-type': 'text/plain', authorization: `Bearer ${settings.note_token}` },
        body,
        at,
      },
      means,
    ),
  createSecret: null,
  words: {
    name: 'Notebook',
    target: 'Notebook',
    lead: 'A channel adds notes to a page of a notebook.',
    secret: null,
    failures: { http_status: 'the notebook did not take the note' },
  },
};
