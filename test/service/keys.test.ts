import { describe, expect, test } from 'vitest';
import { steppedClock } from '../../src/platform/clock.ts';
import { createKeyVerifier } from '../../src/service/key-gate.ts';
import { KEY, NOON, startForTest } from './running.ts';
import { hashKey, isKeyOf, keyIdOf, keyOfHeader, makeKey } from '../../src/platform/keys.ts';

describe('a service key', () => {
  test('has a name and a secret, and is stored as a hash', () => {
    const { key, id, hash } = makeKey('sk');
    expect(key).toMatch(/^sk_[0-9A-Za-z]{51}$/);
    expect(keyIdOf(key, 'sk')).toBe(id);
    expect(hash).toEqual(hashKey(key));
    expect(isKeyOf(key, hash)).toBe(true);
    expect(isKeyOf(`${key.slice(0, -1)}!`, hash)).toBe(false);
    expect(isKeyOf(key, hash.subarray(1))).toBe(false);
    expect(makeKey('sk').key).not.toBe(key);
  });

  test('encodes all its random bytes', () => {
    const { key } = makeKey('sk', { random: (bytes) => Buffer.alloc(bytes, 0xff) });
    expect(key).toMatch(/^sk_[0-9A-Za-z]{51}$/);
    expect(key).not.toBe(makeKey('sk', { random: (bytes) => Buffer.alloc(bytes, 0xfe) }).key);
  });

  test('is accepted raw or as a Bearer token', () => {
    expect(keyOfHeader('a$b')).toBe('a$b');
    expect(keyOfHeader('bearer  a$b ')).toBe('a$b');
    expect(keyOfHeader('Bearer ')).toBeUndefined();
    expect(keyOfHeader(undefined)).toBeUndefined();
  });
});

describe('the key verifier', () => {
  test('accepts configured keys of any form and stored keys, and no others', async () => {
    const { key, id, hash } = makeKey('sk');
    const clock = steppedClock('2026-11-21T12:00:00Z');
    let used = 0;
    const findKeyHashes = (asked: string) => Promise.resolve(asked === id ? [hash] : []);
    const onKeyUsed = () => used++;
    const verifier = createKeyVerifier({ rawKeys: ['old$key'], findKeyHashes, onKeyUsed, clock });
    expect(await verifier.verify('old$key')).toBe(true);
    const swapped = key.endsWith('A') ? 'B' : 'A';
    expect(await verifier.verify(key.slice(0, -1) + swapped)).toBe(false);
    expect(used, 'by whoever knows its name alone').toBe(0);
    expect(await verifier.verify(key)).toBe(true);
    expect(used).toBe(1);
    expect(await verifier.verify(makeKey('sk').key)).toBe(false);
    expect(await verifier.verify('')).toBe(false);
  });

  test('looks a stored key up once in ten seconds', async () => {
    const { key, hash } = makeKey('sk');
    const clock = steppedClock('2026-11-21T12:00:00Z');
    let stored: Buffer | undefined = hash;
    let asked = 0;
    const findKeyHashes = () => {
      asked += 1;
      return Promise.resolve(stored === undefined ? [] : [stored]);
    };
    const verifier = createKeyVerifier({ rawKeys: [], findKeyHashes, clock });
    expect([await verifier.verify(key), await verifier.verify(key)]).toEqual([true, true]);
    expect(asked).toBe(1);
    stored = undefined; // revoked
    clock.advance(10_000);
    expect(await verifier.verify(key)).toBe(true);
    clock.advance(1);
    expect(await verifier.verify(key)).toBe(false);
  });
});

test('a network that sends unknown keys has to wait for them, but never for a valid key, whether used before or not', async () => {
  const stored = Array.from({ length: 50 }, () => makeKey('sk'));
  const findKeyHashes = (id: string) =>
    Promise.resolve(stored.filter((key) => key.id === id).map((key) => key.hash));
  const clock = steppedClock(NOON);
  const keys = createKeyVerifier({ rawKeys: [KEY], findKeyHashes, clock });
  const client = await startForTest({ clock, keys });
  const ask = async (authorization: string) => {
    const response = await client.post('/search/ai/search/links/microblog', {}, { authorization });
    await response.arrayBuffer();
    return [response.status, response.headers.get('retry-after')];
  };
  try {
    for (let n = 0; n < 100; n++) expect(await ask(makeKey('sk').key)).toEqual([401, null]);
    for (const { key } of stored) {
      expect(await ask(makeKey('sk').key)).toEqual([429, '1']);
      expect(await ask(key)).toEqual([422, null]);
    }
    expect(await ask(KEY)).toEqual([422, null]);
    expect(await ask('unknown')).toEqual([401, null]);
    clock.advance(1_000);
    expect(await ask(makeKey('sk').key)).toEqual([401, null]);
  } finally {
    await client.close();
  }
});
