/** Mails through the operator's mail server, to several recipients. */

import { InvalidInput, Refused } from '../../../model/errors.ts';
import { parseMailAddress } from '../../../lib/mail-address.ts';
import { type ChannelKind, failSend } from './channel-kind.ts';
import { composeMail } from './email-message.ts';
import { submitMail } from './smtp-submission.ts';
import { z } from 'zod';

const MAX_RECIPIENTS = 20;
/** Twenty of the longest addresses. */
const MAX_LIST_LENGTH = MAX_RECIPIENTS * 256;

const NO_SERVER =
  'email channels need a mail server: set SMTP_URL and MAIL_FROM, and restart strandline (docs/how-to/mail.md)';

export const emailKind: ChannelKind<'email'> = {
  settings: {
    email: {
      shape: z
        .string()
        .max(MAX_LIST_LENGTH)
        .describe(`Recipients of mails: one to ${MAX_RECIPIENTS} addresses, comma-separated.`),
      label: 'Recipients',
      help: `One to ${MAX_RECIPIENTS} mail addresses, comma-separated. All of them see each other's address.`,
      input: 'text',
      example: 'desk@example.com',
      secret: false,
      read: readRecipients,
      show: describeRecipients,
    },
  },
  recognize: recognizeRecipients,
  assertReachable: async (_settings, { mail }) => {
    if (mail === undefined) throw new Refused('unavailable', NO_SERVER);
  },
  hasOneServer: true,
  contentType: 'message/rfc822',
  compose: (message, { mail, settings, ...about }) => {
    if (mail === undefined) throw new Refused('unavailable', NO_SERVER);
    return composeMail(message, { from: mail.from, to: splitRecipients(settings.email ?? '') }, about);
  },
  send: async ({ body, accepted }, { settings }, { mail, timeoutMs, signal }) => {
    if (mail === undefined) return failSend('setup', { detail: 'SMTP_URL and MAIL_FROM are not set' });
    const to = splitRecipients(settings.email).filter((address) => !accepted.includes(address));
    // Recipients that did not accept it were removed from the channel meanwhile.
    if (to.length === 0) return { kind: 'taken', httpStatus: null, answer: null };
    return submitMail(mail.url, { from: mail.from.address, to, raw: body }, { timeoutMs, signal });
  },
  createSecret: null,
  words: {
    name: 'Email',
    target: 'Recipients',
    lead: 'Sends mails through the mail server of this installation (SMTP_URL).',
    secret: null,
    failures: {
      auth: 'the mail server refused the login or the sender; correct SMTP_URL or MAIL_FROM, restart strandline, then resume the channel',
      rejected: 'the mail server refused the mail permanently',
      deferred: 'the mail server did not accept the mail yet',
      slow_down: 'the mail server is not available now',
      timeout: 'the mail server did not answer within the time limit',
      refused: 'nothing listens at the address in SMTP_URL, or it cannot be reached',
      dns: 'the name of the mail server in SMTP_URL could not be looked up',
      broken: 'the mail server closed the connection',
      tls: 'the mail server does not offer TLS (STARTTLS), or its certificate is not valid; beyond loopback, mail is sent with TLS only',
      setup: 'this process has no mail server; set SMTP_URL and MAIL_FROM',
    },
  },
};

const splitRecipients = (list: string) => list.split(', ');

/** @returns addresses without repetitions, separated by `, ` */
function readRecipients(text: string): string {
  const written = text.split(/[,;\s]+/).filter((part) => part !== '');
  const refuse = (expected: string) => new InvalidInput([{ path: 'email', given: text, expected }]);
  const addresses = written.map((part) => {
    const address = parseMailAddress(part);
    if (address === null)
      throw refuse(
        `mail addresses such as desk@example.com, comma-separated; "${part.slice(0, 100)}" is none`,
      );
    return address;
  });
  const distinct = [...new Map(addresses.map((address) => [address.toLowerCase(), address])).values()];
  if (distinct.length === 0 || distinct.length > MAX_RECIPIENTS)
    throw refuse(`one to ${MAX_RECIPIENTS} mail addresses, comma-separated`);
  return distinct.join(', ');
}

/** A `mailto:` address, or a list of addresses as a mail program copies it. */
function recognizeRecipients(pasted: string): { email: string } | null {
  const list = pasted.replace(/^mailto:/i, '').replace(/\?.*$/s, '');
  const written = list.split(/[,;\s]+/).filter((part) => part !== '');
  const isMail = written.length > 0 && written.every((part) => parseMailAddress(part) !== null);
  return isMail ? { email: written.join(', ') } : null;
}

const MAX_SHOWN = 3;

/** `desk@example.com, night@example.com, editor@example.com and 2 more` */
function describeRecipients(list: string): string {
  const addresses = splitRecipients(list);
  const shown = addresses.slice(0, MAX_SHOWN).join(', ');
  return addresses.length <= MAX_SHOWN ? shown : `${shown} and ${addresses.length - MAX_SHOWN} more`;
}
