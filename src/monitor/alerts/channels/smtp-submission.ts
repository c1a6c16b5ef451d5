/** Submits mails to the operator's mail server by SMTP, and decides what follows its replies. */

import { readErrorCode } from '../../../model/errors.ts';
import { cleanLine } from '../../../lib/text.ts';
import { awaitUnlessAborted, createTimeLimit } from '../../../platform/clock.ts';
import { isLoopback } from '../../../platform/http/allowed-hosts.ts';
import { type FailedSend, failSend, type SendOptions, type SendResult } from './channel-kind.ts';
import { classifyNetworkCode } from './post-message.ts';
import type { NodemailerError } from 'nodemailer/lib/errors';
import type SMTPConnection from 'nodemailer/lib/smtp-connection';
import type { SMTPConnectionSendInfo } from 'nodemailer/lib/smtp-connection';

/** Standard ports of SMTP submission: with TLS from the start, and with STARTTLS. */
const PORTS: Readonly<Record<string, number>> = { 'smtps:': 465, 'smtp:': 587 };
/** How many characters of the replies are kept. */
const MAX_REPLY_LENGTH = 1_000;

type Limits = Pick<SendOptions, 'timeoutMs' | 'signal'>;
type Submission = { from: string; to: readonly string[]; raw: string };

/**
 * Submits a mail once. The server accepts or refuses it for each recipient; what some accepted is not lost when others are
 * refused. Never throws.
 * @param server `SMTP_URL`
 * @param mail.raw the mail, in ASCII
 */
export async function submitMail(server: string, mail: Submission, limits: Limits): Promise<SendResult> {
  const limit = createTimeLimit(limits.timeoutMs, limits.signal);
  try {
    const info = await inSession(server, { ...limits, signal: limit.signal }, (session) =>
      sendInSession(session, mail),
    );
    return judgeAccepted(info);
  } catch (error) {
    if (limits.signal.aborted) return { kind: 'aborted' };
    if (limit.signal.aborted) return failSend('timeout', { consequence: 'rest' });
    return judgeError(error, mail.to.length);
  } finally {
    limit.end();
  }
}

/**
 * Connects and logs in, and sends nothing.
 * @returns null if that succeeds
 */
export async function probeMailServer(server: string, limits: Limits): Promise<FailedSend | null> {
  const limit = createTimeLimit(limits.timeoutMs, limits.signal);
  try {
    await inSession(server, { ...limits, signal: limit.signal }, async () => {});
    return null;
  } catch (error) {
    return limit.signal.aborted ? failSend('timeout') : judgeError(error, 0);
  } finally {
    limit.end();
  }
}

/** @throws errors of nodemailer, and the reason of the signal */
async function inSession<T>(
  server: string,
  { timeoutMs, signal }: Limits,
  work: (session: SMTPConnection) => Promise<T>,
): Promise<T> {
  // Loaded on demand: most importers only list the kinds of channels.
  const { default: Connection } = await import('nodemailer/lib/smtp-connection');
  const url = new URL(server);
  const session = new Connection(describeConnection(url, timeoutMs));
  // Without a listener, an error after the end of the session would be thrown.
  session.on('error', () => {});
  const failed = new Promise<never>((_, reject) => {
    session.once('error', reject);
    session.once('end', () => reject(Object.assign(new Error('connection closed'), { code: 'ECONNECTION' })));
  });
  const converse = async () => {
    await new Promise<void>((resolve, reject) =>
      session.connect((error) => (error === undefined ? resolve() : reject(error))),
    );
    if (url.username !== '') await logIn(session, url);
    return work(session);
  };
  try {
    const result = await awaitUnlessAborted(signal, Promise.race([failed, converse()]));
    session.quit();
    return result;
  } finally {
    session.close();
  }
}

/** TLS is required, except on loopback: there it would fail, because such servers rarely have a certificate for that name. */
function describeConnection({ protocol, hostname, port }: URL, timeoutMs: number) {
  const secure = protocol === 'smtps:';
  const isLocal = isLoopback(hostname.toLowerCase());
  return {
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: Number(port) || (PORTS[protocol] ?? 0),
    secure,
    requireTLS: !secure && !isLocal,
    ignoreTLS: !secure && isLocal,
    tls: { minVersion: 'TLSv1.2' as const },
    dnsTimeout: timeoutMs,
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    // After QUIT, the reply is not awaited.
    socketCloseTimeout: 1_000,
  };
}

function logIn(session: SMTPConnection, { username, password }: URL): Promise<void> {
  const credentials = { user: decodeURIComponent(username), pass: decodeURIComponent(password) };
  return new Promise((resolve, reject) =>
    session.login({ ...credentials, credentials }, (error) => (error ? reject(error) : resolve())),
  );
}

function sendInSession(
  session: SMTPConnection,
  { from, to, raw }: Submission,
): Promise<SMTPConnectionSendInfo> {
  const envelope = { from, to: [...to], size: raw.length };
  return new Promise((resolve, reject) =>
    session.send(envelope, raw, (error, info) => (error ? reject(error) : resolve(info))),
  );
}

/** The server accepted the mail for some recipients or all. */
function judgeAccepted({ accepted, rejectedErrors = [], response }: SMTPConnectionSendInfo): SendResult {
  const total = accepted.length + rejectedErrors.length;
  if (rejectedErrors.length === 0) return { kind: 'taken', httpStatus: null, answer: cleanReply(response) };
  return { ...judgeRecipients(rejectedErrors, total), accepted };
}

/** Of recipients that were refused, some may be accepted later. As long as there is such a recipient, the message is sent again. */
function judgeRecipients(errors: readonly NodemailerError[], total: number): FailedSend {
  const isLater = (error: NodemailerError) => !isPermanent(error);
  const decisive = errors.find(isLater) ?? errors[0];
  const replies = errors.map(({ recipient, response = '' }) => `${recipient}: ${response}`).join('; ');
  const of = errors.length === total ? '' : `, ${errors.length} of ${total} recipients`;
  const { code, consequence } = decisive === undefined ? UNKNOWN : judgeReply(decisive);
  return failSend(code, {
    consequence,
    answer: cleanReply(replies),
    detail: `${describeReply(decisive) ?? 'no reply'}${of}`,
  });
}

function judgeError(error: unknown, recipients: number): FailedSend {
  if (!isOfNodemailer(error)) return failSend('internal', { detail: readErrorCode(error) ?? null });
  if (error.rejectedErrors !== undefined && error.rejectedErrors.length > 0)
    return judgeRecipients(error.rejectedErrors, recipients);
  const { code, consequence } = judgeReply(error);
  // A server's reply about a login may repeat the login.
  const isAboutLogin = error.code === 'EAUTH';
  return failSend(code, {
    consequence,
    answer: isAboutLogin ? null : cleanReply(error.response ?? ''),
    detail: describeReply(error) ?? describeTls(error) ?? error.originalCode ?? error.code ?? null,
  });
}

/** Its members are optional: any error may lack them. */
function isOfNodemailer(error: unknown): error is NodemailerError {
  return error instanceof Error;
}

const isPermanent = ({ responseCode = 0 }: NodemailerError) => responseCode >= 500;

type Verdict = Pick<FailedSend, 'code' | 'consequence'>;
const UNKNOWN: Verdict = { code: 'broken', consequence: 'rest' };
/** The login or the sender is wrong: no mail can be sent, and repeated attempts would lock the account. */
const REFUSED_ACCOUNT: Verdict = { code: 'auth', consequence: 'pause' };

/** Replies that ask for a login, or for another login (RFC 4954, section 6). */
const LOGIN_CODES: ReadonlySet<number> = new Set([530, 534, 535, 538]);

/** Which replies are final, which are retried, and which pause the channel. By code, and by the command that was refused. */
function judgeReply({ code, originalCode, responseCode, command = '' }: NodemailerError): Verdict {
  if (code === 'ETLS') return { code: 'tls', consequence: 'rest' };
  if (responseCode === undefined) {
    if (code === 'EAUTH') return REFUSED_ACCOUNT;
    // Larger than the server announced.
    if (code === 'EMESSAGE') return { code: 'rejected', consequence: 'drop' };
    if (code === 'ETIMEDOUT') return { code: 'timeout', consequence: 'rest' };
    if (code === 'EDNS') return { code: 'dns', consequence: 'rest' };
    if (code === 'ECONNECTION' || originalCode === undefined) return UNKNOWN;
    return { code: classifyNetworkCode(originalCode), consequence: 'rest' };
  }
  if (responseCode === 421) return { code: 'slow_down', consequence: 'rest' };
  // Greylisting is about one recipient; other postponements are about the server.
  if (responseCode < 500) return { code: 'deferred', consequence: command === 'RCPT TO' ? 'retry' : 'rest' };
  if (code === 'EAUTH' || LOGIN_CODES.has(responseCode)) return REFUSED_ACCOUNT;
  // 552: too large.
  if (command === 'MAIL FROM' && responseCode !== 552) return REFUSED_ACCOUNT;
  // Refused before any mail: the server does not serve this host now.
  if (command !== 'RCPT TO' && command !== 'DATA' && command !== 'MAIL FROM')
    return { code: 'rejected', consequence: 'rest' };
  return { code: 'rejected', consequence: 'drop' };
}

/** The codes of a reply, without its words: `550 5.1.1`. */
function describeReply(error: NodemailerError | undefined): string | null {
  return /^\d{3}(?:[ -]\d\.\d{1,3}\.\d{1,3})?\b/.exec(error?.response ?? '')?.[0].replace('-', ' ') ?? null;
}

function describeTls({ code, command, originalCode }: NodemailerError): string | null {
  if (code !== 'ETLS' || originalCode !== undefined) return null;
  return command === 'STARTTLS' ? 'STARTTLS failed' : 'the TLS handshake failed';
}

/** On one line; null if it is empty. */
function cleanReply(text: string): string | null {
  return cleanLine(text).slice(0, MAX_REPLY_LENGTH).toWellFormed() || null;
}
