import { expect, test } from 'vitest';
import { isLocalAddress, isPrivateAddress, toCitableLink } from '../../src/service/citable-link.ts';

test.each([
  'http://127.0.0.1/x',
  'http://127.8.9.1:8080/',
  'http://2130706433/',
  'http://0x7f.1/',
  'http://0.0.0.0/',
  'http://localhost:3000/x',
  'http://LOCALHOST./',
  'http://app.localhost/',
  'http://169.254.169.254/latest/meta-data/',
  'http://[::1]/',
  'http://[::]/',
  'http://[fe80::1]/',
  'http://[::ffff:127.0.0.1]/',
  'http://[::ffff:a9fe:a9fe]/',
])('%s is local and never cited', (link) => {
  expect(isLocalAddress(new URL(link))).toBe(true);
  expect(toCitableLink(link)).toBeUndefined();
});

test.each([
  'http://10.1.2.3/',
  'http://172.16.0.1/',
  'http://172.31.255.255/',
  'http://192.168.1.1/admin',
  'http://100.64.0.1/',
  'http://[fd00::1]/',
  'http://192.0.0.8/',
  'http://192.0.2.7/',
  'http://198.18.0.1/',
  'http://240.0.0.1/',
  'http://[ff02::1]/',
  'http://[::ffff:10.0.0.1]/',
  'http://printer.local/',
  'http://wiki.corp.internal/',
  'http://nas.home.arpa./',
  'http://intranet/',
])('%s is private, and may be cited if a private source was searched', (link) => {
  expect(isPrivateAddress(new URL(link))).toBe(true);
  expect(isLocalAddress(new URL(link))).toBe(false);
  // The brackets of a v6 address would end the citation.
  expect(toCitableLink(link)).toBe(link.includes('[') ? undefined : link);
});

test.each([
  'https://a.example/x',
  'https://localhost.example/',
  'https://notlocalhost/.',
  'https://local.example/',
  'https://172.32.0.1/',
  'https://11.0.0.1/',
  'https://8.8.8.8/',
  'https://[2001:db8::1]/',
  'https://127.0.0.1.example/',
])('%s is not local', (link) => {
  expect(isLocalAddress(new URL(link))).toBe(false);
  expect(toCitableLink(link) === undefined).toBe(link.includes('['));
});

test.each([
  'https://a.example/',
  'https://172.32.0.1/',
  'https://[2606:4700:4700::1111]/',
  'https://local.example/',
])('%s is public', (link) => expect(isPrivateAddress(new URL(link))).toBe(false));
