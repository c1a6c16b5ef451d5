/** TLS to the mail server: required beyond loopback, and its certificate is checked. */
import { execFile } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { networkInterfaces } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeDirectory } from '../temporary.ts';
import { selfSigned } from '../tls-postgres.ts';
import { type MailServer, startMailServer } from './mail-server.ts';

/** An address of this machine that is not loopback; undefined without a network. */
const own = Object.values(networkInterfaces())
  .flatMap((all) => all ?? [])
  .find(({ family, internal }) => family === 'IPv4' && !internal)?.address;
const host = own ?? '127.0.0.1';

let directory: string;
let certificate: string;
let servers: Record<'implicit' | 'starttls' | 'plain', MailServer>;
beforeAll(async () => {
  directory = await makeDirectory();
  certificate = path.join(directory, 'certificate.pem');
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const cert = selfSigned(privateKey, publicKey, host);
  await writeFile(certificate, cert);
  const tls = { key: privateKey.export({ type: 'pkcs8', format: 'pem' }), cert };
  servers = {
    implicit: await startMailServer({ tls, implicit: true, host }),
    starttls: await startMailServer({ tls, host }),
    plain: await startMailServer({ host }),
  };
});
afterAll(async () => {
  for (const server of Object.values(servers)) await server.close();
  await rm(directory, { recursive: true, force: true });
});

const SUBMISSION = new URL('../../src/monitor/alerts/channels/smtp-submission.ts', import.meta.url).href;

/** In a process of its own, because certificates are trusted at its start. */
async function submit(url: string, trusted: boolean): Promise<unknown> {
  const mail = { from: 'a@example.com', to: ['b@example.com'], raw: 'Subject: x\r\n\r\nx\r\n' };
  const limits = '{ timeoutMs: 60000, signal: new AbortController().signal }';
  const code = `import { submitMail } from ${JSON.stringify(SUBMISSION)};
    console.log(JSON.stringify(await submitMail(${JSON.stringify(url)}, ${JSON.stringify(mail)}, ${limits})))`;
  const file = path.join(directory, 'submit.mts');
  await writeFile(file, code);
  const env = { PATH: process.env['PATH'], ...(trusted ? { NODE_EXTRA_CA_CERTS: certificate } : {}) };
  const { stdout } = await promisify(execFile)(process.execPath, ['--import', 'tsx', file], { env });
  return JSON.parse(stdout);
}

test.each(['implicit', 'starttls'] as const)('%s TLS with a trusted certificate', async (kind) => {
  const scheme = kind === 'implicit' ? 'smtps' : 'smtp';
  const url = `${scheme}://user:secret@${host}:${servers[kind].port}`;
  expect(await submit(url, true)).toMatchObject({ kind: 'taken' });
  expect(servers[kind].mails).toMatchObject([
    { login: 'user:secret', secure: own !== undefined || kind === 'implicit' },
  ]);
});

test.each(['implicit', 'starttls'] as const)(
  '%s TLS with a certificate that nobody trusts: neither login nor mail is sent',
  async (kind) => {
    if (own === undefined && kind === 'starttls') return; // on loopback, STARTTLS is not used
    const server = servers[kind];
    const before = server.mails.length;
    const scheme = kind === 'implicit' ? 'smtps' : 'smtp';
    const url = `${scheme}://user:secret@${host}:${server.port}`;
    expect(await submit(url, false)).toMatchObject({ kind: 'failed', code: 'tls', consequence: 'rest' });
    expect(server.mails).toHaveLength(before);
  },
);

test.runIf(own !== undefined)('without TLS beyond loopback, neither login nor mail is sent', async () => {
  const { plain } = servers;
  const url = `smtp://user:secret@${host}:${plain.port}`;
  expect(await submit(url, true)).toMatchObject({ kind: 'failed', code: 'tls', consequence: 'rest' });
  expect(plain.commands).toEqual([expect.stringMatching(/^EHLO /), 'STARTTLS']);
  expect(plain.mails).toEqual([]);
});
