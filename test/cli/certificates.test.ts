/** `STRANDLINE_URL` with https: what a command says of a certificate that it does not trust. */
import { execFile } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { programOf } from '../programs.ts';
import { makeDirectory } from '../temporary.ts';
import { selfSigned } from '../tls-postgres.ts';

let directory: string;
let server: Server | undefined;
/** Requests that a server received: with the token, as it must not without trust. */
let requests = 0;

beforeAll(async () => {
  directory = await makeDirectory();
});
afterEach(() => server?.close());
afterAll(() => rm(directory, { recursive: true }));

/** What a command says to a server with a certificate for an address until a time. @param isTrusted by NODE_EXTRA_CA_CERTS */
async function ask(address: string, end: string, isTrusted: boolean): Promise<string> {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const cert = selfSigned(privateKey, publicKey, address, end);
  const file = path.join(directory, 'certificate.pem');
  await writeFile(file, cert);
  requests = 0;
  const listening = createServer(
    { key: privateKey.export({ type: 'pkcs8', format: 'pem' }), cert },
    (_request, response) => {
      requests += 1;
      response.end('{}');
    },
  );
  server = listening;
  await new Promise<void>((resolve) => void listening.listen(0, '127.0.0.1', resolve));
  const { port } = listening.address() as AddressInfo; // it listens on a port
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [programOf('src/main.ts'), 'topic', 'list'],
      {
        cwd: directory,
        env: {
          PATH: process.env['PATH'],
          STRANDLINE_URL: `https://127.0.0.1:${port}`,
          STRANDLINE_TOKEN: 'st_secret_secret',
          ...(isTrusted ? { NODE_EXTRA_CA_CERTS: file } : {}),
        },
      },
      (_error, _stdout, stderr) => resolve(stderr),
    );
  });
}

test.each([
  [
    'unknown',
    '127.0.0.1',
    '491231235959Z',
    false,
    'signed by itself: set NODE_EXTRA_CA_CERTS to a file with it',
  ],
  ['expired', '127.0.0.1', '210101000000Z', true, 'its certificate has expired: renew it'],
  ['of another address', '127.0.0.2', '491231235959Z', true, 'for another host name: correct STRANDLINE_URL'],
])('%s: nothing is sent', async (_, address, end, isTrusted, words) => {
  const said = await ask(address, end, isTrusted);
  expect(said).toContain(words);
  expect(said).not.toContain('st_secret');
  expect(requests).toBe(0);
});

test('trusted: the request is sent', async () => {
  expect(await ask('127.0.0.1', '491231235959Z', true)).toContain('did not reply as strandline does (200)');
  expect(requests).toBe(1);
});
