/** Responses that are larger than they look, or than anything should be. More of them in test/client/size.test.ts. */
import assert from 'node:assert/strict';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { type Case, playCases } from '../cases.ts';
import { mostMemory, watchMemory } from '../memory.ts';
import type { Row } from '../row.ts';
import { bytes, ownPosts, raw } from '../scripts.ts';
import type { Script } from '../service.ts';

const MB = 1_000_000;
const QUICKLY = { params: { [constants.BROTLI_PARAM_QUALITY]: 3 } };
const JSON_HEADER = { 'content-type': 'application/json' };

/** 300 kB that would be 300 MB. A file of gzip may have members: ten times the same. */
const gzipBomb = (): Buffer => {
  const member = gzipSync(Buffer.alloc(30 * MB, ' '));
  return Buffer.concat(Array.from({ length: 10 }, () => member));
};

/** Writes for as long as it is read. */
const endless: Script = (_asked, response) => {
  const piece = Buffer.alloc(65_536, ' ');
  response.writeHead(200, JSON_HEADER);
  const write = () => {
    while (!response.destroyed && response.write(piece));
  };
  response.on('drain', write);
  write();
};

export const SIZE: readonly Row[] = [
  {
    id: 'F53',
    title:
      'gzip and brotli bombs, six nested encodings, an endless body, a million items, 64 kB of headers: ' +
      'each is aborted with little memory, and no lease is lost meanwhile',
    core: true,
    everyCommit: 'postgres',
    // A loop that is away for a second loses it.
    env: { MAX_CALLS_PER_RUN: '1', RUN_LEASE_SECONDS: '2' },
    play: async (stage) => {
      const encoded = (body: Buffer, encoding: string) =>
        raw(body, { ...JSON_HEADER, 'content-encoding': encoding });
      const cases: readonly Case[] = [
        ['gzip', encoded(gzipBomb(), 'gzip'), 'too_large'],
        ['brotli', encoded(brotliCompressSync(Buffer.alloc(100 * MB, ' '), QUICKLY), 'br'), 'too_large'],
        ['six layers', encoded(gzipSync('{}'), 'gzip, br, gzip, br, gzip, br'), 'decode_error'],
        ['without an end', endless, 'too_large'],
        ['a million items', raw(`{"miner_tweets":[${'{},'.repeat(999_999)}{}]}`), 'too_large'],
        [
          '64 kB of headers',
          bytes(`HTTP/1.1 200 OK\r\nx: ${'x'.repeat(65_536)}\r\n\r\n{}`, 'close'),
          'decode_error',
        ],
        ['a small one beside them', ownPosts, 'succeeded'],
      ];
      const worker = await stage.start();
      const before = watchMemory(worker.child.pid);
      const runs = await playCases(stage, cases);
      // Several of them at once: each holds what it may, and no more.
      const grew = (mostMemory(worker.child.pid) - before) / MB;
      assert.ok(grew < 150, `it grew by ${Math.round(grew)} MB`);
      for (const runId of runs) assert.equal((await stage.ended(runId)).fence, 1);
    },
  },
];
