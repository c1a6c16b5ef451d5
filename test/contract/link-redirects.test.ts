/** Addresses that redirect to one that they contain: each row of the table, nested ones, and what is left alone. */
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { identifyAddress } from '../../src/model/links/link-identity.ts';
import { REDIRECTING_HOSTS } from '../../src/model/links/redirecting-hosts.ts';

const TARGET = 'https://paper.example/a-story?id=12&page=2';
const base64 = (text: string) => Buffer.from(text).toString('base64url');

const ROWS = REDIRECTING_HOSTS.trim()
  .split('\n')
  .map((line) => line.split(/\s+/))
  .map(([host = '', path = '', ...where]) => ({
    base: `https://${host.replace('.*', '.co.uk')}${path.replace('*', path === '*' ? '/' : 'x/')}`,
    where,
  }));

describe('every row with parameters', () => {
  const rows = ROWS.flatMap(({ base, where }) =>
    where.filter((name) => !name.startsWith('(')).map((name) => ({ base, name })),
  );
  test.each(rows)('$base $name', ({ base, name }) => {
    const once = encodeURIComponent(TARGET);
    for (const value of [
      once,
      encodeURIComponent(once),
      'https://paper.example/a-story%3Fid%3D12%26page%3D2',
    ])
      for (const address of [
        `${base}?${name}=${value}`,
        `${base}?rct=j&sa=t&${name}=${value}&usg=AOv11`,
        `${base}/?h=1&amp;${name}=${value}&amp;s=2#x`.replace('//?', '/?'),
        `http://www.${base.slice('https://'.length)}?${name}=${value}&utm_source=x`,
      ])
        expect(identifyAddress(address), address).toBe(TARGET);
  });
});

const OTHERS: readonly (readonly [address: string, identity: string])[] = [
  ['https://www.google.com/url?q=https://a.example/x&sa=U&ved=2ah', 'https://a.example/x'],
  ['https://www.google.de/url?esrc=s&q=&rct=j&url=https%3A%2F%2Fa.example%2Fx', 'https://a.example/x'],
  [`https://www.bing.com/ck/a?!&&p=1&u=a1${base64(TARGET)}&ntb=1`, TARGET],
  [`https://www.bing.com/ck/a?!&&p=1&u=a1${base64('https://a.example/%2541')}`, 'https://a.example/%2541'],
  [
    'https://r.search.yahoo.com/_ylt=A;_ylu=Y/RV=2/RE=17/RO=10/RU=https%3a%2f%2fa.example%2fx%3fid%3d2/RK=2/RS=b-',
    'https://a.example/x?id=2',
  ],
  [
    'http://us.rd.yahoo.com/dailynews/rss/world/*http://news.example/s/1?rss=2',
    'https://news.example/s/1?rss=2',
  ],
  ['http://rss.rd.yahoo.com/dailynews/*http%3A//news.example/s%3Fid=1', 'https://news.example/s?id=1'],
  ['https://href.li/?https://a.example/x?q=a%20b&c=d', 'https://a.example/x?q=a%20b&c=d'],
  ['https://href.li/?https%3A%2F%2Fa.example%2Fx%3Fq%3D1', 'https://a.example/x?q=1'],
  [
    'https://click.redditmail.com/CL0/https:%2F%2Fa.example%2Fx%3Fid=1/1/0100018/abc=300',
    'https://a.example/x?id=1',
  ],
  ['https://r.us-east-1.awstrack.me/L0/https:%2F%2Fa.example%2Fx/1/0100/x=1', 'https://a.example/x'],
  [
    'https://secure-web.cisco.com/1abcDEF-_x/https%3A%2F%2Fa.example%2Fx%3Fid%3D1',
    'https://a.example/x?id=1',
  ],
  ['https://protect.checkpoint.com/v2/r01/___https://a.example/x?id=1___.YzJ1', 'https://a.example/x?id=1'],
  [
    'https://urldefense.proofpoint.com/v2/url?u=https-3A__www.a.example_b-5Fc-2Dd-3Fid-3D1&d=DwM&c=x',
    'https://a.example/b_c-d?id=1',
  ],
  [
    'https://urldefense.com/v3/__https://a.example/x?q=a*test&gs=p**Az__;Kw!-612Flbf0JvQ3kN!a',
    'https://a.example/x?q=a+test&gs=pz',
  ],
  [
    'https://urldefense.com/v3/__https:/a.example/b**Cc__;w6TDtsO8w58!!x!y$',
    'https://a.example/b%C3%A4%C3%B6%C3%BC%C3%9Fc',
  ],
  ['https://urldefense.com/v3/__https://a.example/x__;!!N11eV2iwtfs!y$', 'https://a.example/x'],
  [
    `https://news.google.com/rss/articles/${base64('\x08\x13\x22\x13https://a.example/x\xd2\x01')}?oc=5`,
    'https://a.example/x',
  ],
  [`https://substack.com/redirect/2/${base64(JSON.stringify({ e: TARGET, p: 1 }))}.sig?`, TARGET],
  [
    'https://disq.us/url?url=https%3A%2F%2Fa.example%2Fx%3Au3zTnIHiAjcGRCsDa_3gQTMJzXo&cuid=1',
    'https://a.example/x',
  ],
  ['https://outgoing.prod.webservices.mozgcp.net/v1/abc123/https%3A//a.example/x', 'https://a.example/x'],
  // Nested, with parameters and an AMP page inside.
  [
    `https://eur01.safelinks.protection.outlook.com/?url=${encodeURIComponent(
      `https://l.facebook.com/l.php?u=${encodeURIComponent('https://www.google.com/url?q=https://m.a.example/x/%3Futm_source%3Db&sa=D')}&h=1`,
    )}&data=05`,
    'https://a.example/x',
  ],
  [
    'https://www.youtube.com/redirect?q=https%3A%2F%2Fyoutu.be%2FaBc-_1%3Fsi%3Dx',
    'https://youtube.com/watch?v=aBc-_1',
  ],
  [
    'https://out.reddit.com/t3_1?url=https%3A%2F%2Ftwitter.com%2Fa%2Fstatus%2F1&token=A',
    'https://x.com/i/status/1',
  ],
  ['https://www.google.com/amp/s/out.reddit.com/?url=https%3A%2F%2Fa.example%2Fx', 'https://a.example/x'],
];

test.each(OTHERS)('%s', (address, identity) => {
  expect(identifyAddress(address)).toBe(identity);
  expect(identifyAddress(identity)).toBe(identity);
});

test.each([
  'https://www.google.com/url?q=javascript:alert(1)',
  'https://www.google.com/url?q=file:///etc/passwd',
  'https://www.google.com/url?q=data:text/html,x',
  'https://www.google.com/url?q=ftp://a.example/x',
  'https://www.google.com/url?q=//a.example/x',
  'https://www.google.com/url?q=/search?q=x',
  'https://www.google.com/url?q=https:a.example',
  'https://www.google.com/url?q=https%3A%5C%5Ca.example',
  'https://www.google.com/url?q=https%3A%2F%2Fgood.example%40evil.example%2F',
  'https://www.google.com/url?q=https://u:p@evil.example/',
  'https://www.google.com/url?q=https%3A%2F%2F%2F',
  'https://www.google.com/url?q=',
  'https://www.google.com/url',
  'https://www.google.com/search?q=https://a.example/x',
  'https://www.google.evil.example/url?q=https://a.example/x',
  'https://notgoogle.com/url?q=https://a.example/x',
  'https://l.facebook.com.evil.example/l.php?u=https://a.example/x',
  'https://www.facebook.com/sharer/sharer.php?u=https://a.example/x',
  'https://www.linkedin.com/sharing/share-offsite/?url=https://a.example/x',
  'https://t.me/share/url?url=https://a.example/x',
  'https://translate.google.com/translate?u=https://a.example/x',
  'https://web.archive.org/web/2026/https://a.example/x',
  'https://a.example/login?url=https://b.example/x',
  'https://youtube.com/watch?v=abc&q=https://a.example/x',
  `https://news.google.com/rss/articles/${base64('\x08\x13\x22\x56AU_yqLOabc')}`,
])('%s stays what it is', (address) => {
  expect(new URL(identifyAddress(address) ?? '').hostname).toBe(
    new URL(address).hostname.replace(/^www\./, ''),
  );
});

test('a hundred wrappings are unwrapped, and identities are stable', () => {
  expect(identifyAddress(`${'https://href.li/?'.repeat(100)}https://a.example/x`)).toBe(
    'https://a.example/x',
  );
  const bases = ROWS.flatMap(({ base, where: [first = ''] }) =>
    first.startsWith('(') ? [] : [`${base}?${first}=`],
  );
  const wrap = (address: string, base: string) => `${base}${encodeURIComponent(address)}`;
  const wrapped = fc
    .tuple(
      fc.webUrl({ withQueryParameters: true, withFragments: true }),
      fc.array(fc.constantFrom(...bases), { maxLength: 3 }),
    )
    .map(([address, wrappers]) => ({ address, wrapping: wrappers.reduce(wrap, address) }));
  fc.assert(
    fc.property(wrapped, ({ address, wrapping }) => {
      const identity = identifyAddress(wrapping);
      if (identity === null) return;
      expect(identifyAddress(identity), wrapping).toBe(identity);
      expect(identity).toBe(identifyAddress(address));
    }),
    { numRuns: 1_000 },
  );
});
