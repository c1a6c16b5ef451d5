import { expect, test } from 'vitest';
import {
  type BoundAddress,
  isLoopback,
  isOurHost,
  isOurOrigin,
  isLocalOnly,
} from '../../../src/platform/http/allowed-hosts.ts';

const here: BoundAddress = { host: '127.0.0.1', baseUrl: undefined };
const lan: BoundAddress = { host: '192.168.1.5', baseUrl: undefined };
const everywhere: BoundAddress = { host: '0.0.0.0', baseUrl: 'https://tide.example' };
const named: BoundAddress = { host: '127.0.0.1', baseUrl: 'https://tide.example' };
const ported: BoundAddress = { host: '::', baseUrl: 'http://tide.example:8080' };

test.each<[BoundAddress, string | undefined, boolean]>([
  [here, '127.0.0.1:7810', true],
  [here, 'localhost:7810', true],
  [here, 'LOCALHOST:7810', true],
  [here, '[::1]:7810', true],
  [here, '127.0.0.1:7811', false],
  [here, 'localhost', false],
  [here, 'evil.example:7810', false],
  [here, 'evil.example', false],
  [here, 'localhost.evil.example:7810', false],
  [here, '127.0.0.1.evil.example:7810', false],
  [here, '192.168.1.5:7810', false],
  [here, 'x@localhost:7810', false],
  [here, 'localhost:7810/@evil.example', false],
  [here, '', false],
  [here, undefined, false],
  [lan, '192.168.1.5:7810', true],
  [lan, '127.0.0.1:7810', true],
  [lan, '192.168.1.6:7810', false],
  [everywhere, 'tide.example', true],
  [everywhere, 'tide.example:443', true],
  [everywhere, 'tide.example:7810', false],
  [everywhere, '10.0.0.7:7810', true],
  [everywhere, '10.0.0.7:80', true],
  [everywhere, '[fd00::1]:7810', true],
  [everywhere, 'localhost:9000', true],
  [everywhere, 'evil.example', false],
  [named, 'tide.example', true],
  [named, 'localhost:7810', true],
  [named, 'www.tide.example', false],
  [ported, 'tide.example:8080', true],
  [ported, 'tide.example', false],
])('bound to %j, a request for %s is accepted: %s', (bound, host, passes) => {
  expect(isOurHost(host, 7810, bound)).toBe(passes);
});

test.each<[BoundAddress, origin: string, host: string, ours: boolean]>([
  [here, 'http://127.0.0.1:7810', '127.0.0.1:7810', true],
  [here, 'http://localhost:7810', '127.0.0.1:7810', false],
  [here, 'http://127.0.0.1:7811', '127.0.0.1:7810', false],
  [here, 'https://127.0.0.1:7810', '127.0.0.1:7810', false],
  [here, 'null', '127.0.0.1:7810', false],
  [here, '', '127.0.0.1:7810', false],
  [named, 'https://tide.example', 'tide.example', true],
  [named, 'http://tide.example', 'tide.example', false],
  [named, 'https://tide.example', '127.0.0.1:7810', true],
  [named, 'https://tide.example.evil', 'tide.example', false],
])('bound to %j, a page of %s that requests %s is same-origin: %s', (bound, origin, host, ours) => {
  expect(isOurOrigin(origin, host, bound)).toBe(ours);
});

test.each<[string, string | undefined, boolean]>([
  ['127.0.0.1', undefined, true],
  ['127.8.9.1', undefined, true],
  ['::1', undefined, true],
  ['localhost', 'http://localhost:7810', true],
  ['127.0.0.1', 'http://[::1]:7810', true],
  ['127.0.0.1', 'https://tide.example', false],
  ['0.0.0.0', undefined, false],
  ['::', undefined, false],
  ['192.168.1.5', 'http://localhost', false],
  ['127.0.0.1.example', undefined, false],
])('HOST %s and BASE_URL %s are local only: %s', (host, baseUrl, only) => {
  expect(isLocalOnly({ host, baseUrl })).toBe(only);
  if (only) expect(isLoopback(host)).toBe(true);
});
