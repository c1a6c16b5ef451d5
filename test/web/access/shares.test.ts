/** Places shared by visitors: each has a share, and released ones are available again. */
import { expect, test } from 'vitest';
import { createShare } from '../../../src/monitor/http/visitor-shares.ts';
import { expandScopes } from '../../../src/monitor/access/visitor-scopes.ts';

const of = (name: string | null, clientAddress = '192.0.2.1') => ({
  visitor: {
    kind: name === null ? ('local' as const) : ('token' as const),
    scopes: expandScopes(['read']),
    name,
  },
  clientAddress,
});

test('one visitor uses at most their own share, and others still find places', () => {
  const share = createShare('exports', { all: 3, each: 2 });
  const first = share.take(of('aaaaaaaa'));
  share.take(of('aaaaaaaa'));
  expect(() => share.take(of('aaaaaaaa'))).toThrow('you have 2 exports in progress');
  share.take(of('bbbbbbbb'));
  expect(() => share.take(of('cccccccc'))).toThrow('3 exports are in progress');
  first();
  first();
  share.take(of('cccccccc'));
  expect(() => share.take(of('cccccccc')), 'given back once, whoever gives twice').toThrow('3 exports are');
});

test('visitors without a token count by network', () => {
  const share = createShare('streams', { all: 9, each: 1 });
  share.take(of(null, '2001:db8::1'));
  expect(() => share.take(of(null, '2001:db8::2'))).toThrow('you have 1 streams');
  share.take(of(null, '2001:db8:0:1::1'));
  share.take(of('aaaaaaaa', '2001:db8::1'));
});
