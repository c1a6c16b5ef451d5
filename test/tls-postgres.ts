/** A way to a Postgres over TLS, where it has no certificate itself. */
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { TLSSocket } from 'node:tls';

/** @returns the address with TLS in it; the certificate is trusted by nobody, so it is not verified */
export async function overTls(address: string): Promise<{ url: string; close: () => void }> {
  const to = new URL(address);
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const secure = {
    isServer: true,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
    cert: selfSigned(privateKey, publicKey),
  };
  const open = new Set<Socket>();
  const server = createServer((client) => {
    open.add(client);
    // The first packet asks for TLS.
    client.once('data', () => {
      client.write('S');
      const inside = new TLSSocket(client, secure);
      const postgres = connect(Number(to.port), to.hostname);
      open.add(postgres);
      for (const [from, into] of [
        [inside, postgres],
        [postgres, inside],
      ] as const) {
        from.pipe(into);
        from.on('error', () => into.destroy()).on('close', () => into.destroy());
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const at = server.address();
  const url = new URL(address);
  url.port = String(typeof at === 'object' ? at?.port : '');
  url.searchParams.set('sslmode', 'no-verify');
  return {
    url: url.href,
    close: () => {
      server.close();
      for (const socket of open) socket.destroy();
    },
  };
}

const ECDSA_WITH_SHA256 = Buffer.from('300a06082a8648ce3d040302', 'hex');
const NOBODY = der(0x30);

/**
 * A certificate from 2020.
 * @param address of IPv4, for which it is valid, with version 3; null: for none, with version 1
 * @param end when it expires, as UTCTime
 */
export function selfSigned(
  privateKey: KeyObject,
  publicKey: KeyObject,
  address: string | null = null,
  end = '491231235959Z',
): string {
  const [from, until] = ['200101000000Z', end].map((time) => der(0x17, Buffer.from(time)));
  if (from === undefined || until === undefined) throw new Error('a certificate has two times');
  const told = der(
    0x30,
    ...(address === null ? [] : [der(0xa0, der(0x02, Buffer.from([2])))]),
    der(0x02, Buffer.from([1])),
    ECDSA_WITH_SHA256,
    NOBODY,
    der(0x30, from, until),
    NOBODY,
    publicKey.export({ type: 'spki', format: 'der' }),
    ...(address === null ? [] : [nameAddress(address)]),
  );
  const signature = der(0x03, Buffer.from([0]), sign('sha256', told, privateKey));
  const whole = der(0x30, told, ECDSA_WITH_SHA256, signature);
  return `-----BEGIN CERTIFICATE-----\n${whole.toString('base64')}\n-----END CERTIFICATE-----\n`;
}

/** The extension subjectAltName with one address. */
function nameAddress(address: string): Buffer {
  const names = der(0x30, der(0x87, Buffer.from(address.split('.').map(Number))));
  const subjectAltName = Buffer.from('0603551d11', 'hex');
  return der(0xa3, der(0x30, der(0x30, subjectAltName, der(0x04, names))));
}

/** A value of ASN.1 with its tag and length. */
function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  const { length } = body;
  const size =
    length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), body]);
}
