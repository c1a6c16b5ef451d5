/** Which addresses are the same link: a table of spellings, and what holds for any address. */
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { identifyAddress, type OwnLinkRule } from '../../src/model/links/link-identity.ts';

/** Each line: an identity, and other spellings of it. */
const SAME: readonly (readonly [site: string, identity: string, spellings: string])[] = [
  [
    'any',
    'https://a.example/x',
    `http://a.example/x https://A.EXAMPLE/x https://a.example:443/x http://a.example:80/x http://a.example:443/x
     https://a.example./x https://a.example/x/ https://a.example/x// https://a.example/./y/../x https://a.example/x?
     https://a.example/x#part https://a.example/x#:~:text=word https://a.example/x?utm_source=b&UTM_Medium=c
     https://a.example/x?fbclid=1 https://a.example/x?gclid=1&srsltid=2 https://www.a.example/x http://www.a.example/x#a
     https://m.a.example/x https://mobile.a.example/x https://old.a.example/x https://amp.a.example/x
     https://www.m.a.example/x https://a.example/%78 https://a.example/x?utm%5Fsource=b https://a.example/x?amp=1
     https://a.example/x?outputType=amp https://a.example/x#/ https://a.example/x#!/`,
  ],
  [
    'root',
    'https://a.example',
    'http://a.example/ https://www.a.example https://a.example/#top https://a.example/?',
  ],
  ['query', 'https://a.example?b=1&c=2', 'http://a.example/?b=1&c=2&utm_id=3 https://a.example/?&b=1&&c=2#d'],
  ['IDN', 'https://xn--bcher-kva.example/%C3%BC', 'https://bücher.example/ü https://BÜCHER.example/%c3%bc'],
  [
    'escapes',
    'https://a.example/a%2Fb~c',
    'https://a.example/a%2fb~c https://a.example/a%2Fb%7ec https://a.example/%61%2fb%7Ec',
  ],
  ['stray %', 'https://a.example/%2541', 'https://a.example/%4%31 https://a.example/%2541'],
  [
    'routes',
    'https://app.example#/one',
    'http://app.example/#/one https://app.example/#/one https://www.app.example/#/one/',
  ],
  [
    'routes with !',
    'https://app.example#!/three',
    'https://app.example/#!/three http://app.example/#!/three/',
  ],
  [
    'sites with the name of a prefix',
    'https://amp.com.au/a',
    'https://www.amp.com.au/a https://m.amp.com.au/a http://old.amp.com.au/a',
  ],
  ['a site at the top of a country', 'https://gov.uk/a', 'https://www.gov.uk/a'],
  [
    'Mastodon',
    'https://social.example/statuses/115000000000000001',
    `https://social.example/@ann/115000000000000001 https://social.example/@Ann/115000000000000001?kjy=spring
     https://social.example/users/ann/statuses/115000000000000001 https://social.example/@ann/115000000000000001/embed
     https://social.example/users/ann/statuses/115000000000000001/activity https://social.example/@ann/posts/115000000000000001
     https://social.example/ap/users/115/statuses/115000000000000001 https://social.example/@ann/115000000000000001#reply
     https://social.example/web/@ann@other.example/115000000000000001 https://social.example/deck/@ann/115000000000000001
     https://social.example/@ann@other.example/115000000000000001 https://social.example/web/statuses/115000000000000001`,
  ],
  [
    'a server of the same protocol, whose ids are no numbers',
    'https://social.example/statuses/01J8ZQ4D3K9W7R2M5N6P8T0V1X',
    `https://social.example/@ann/statuses/01J8ZQ4D3K9W7R2M5N6P8T0V1X
     https://social.example/users/ann/statuses/01J8ZQ4D3K9W7R2M5N6P8T0V1X`,
  ],
  [
    'Bluesky',
    'https://bsky.app/profile/ann.example/post/3lbq7xw2abc2e',
    `https://bsky.app/profile/Ann.Example/post/3lbq7xw2abc2e https://bsky.app/profile/@ann.example/post/3lbq7xw2abc2e
     https://fxbsky.app/profile/ann.example/post/3lbq7xw2abc2e https://bsky.app/profile/ann.example/post/3lbq7xw2abc2e?x=1`,
  ],
  [
    'Bluesky by account number',
    'https://bsky.app/profile/did:plc:abc/post/3lbq7xw2abc2e',
    'https://bsky.app/profile/did%3Aplc%3Aabc/post/3lbq7xw2abc2e https://bsky.app/profile/did%3aplc%3aabc/post/3lbq7xw2abc2e/',
  ],
  ['IPv6', 'https://[2001:db8::1]:8443/x', 'http://[2001:DB8:0:0::1]:8443/x'],
  [
    'AMP',
    'https://news.example/2026/a-long-story',
    `https://news.example/2026/a-long-story/amp https://news.example/2026/a-long-story/amp/
     https://news.example/2026/a-long-story.amp https://amp.news.example/2026/a-long-story?amp
     https://news-example.cdn.ampproject.org/c/s/news.example/2026/a-long-story/amp/
     https://news-example.cdn.ampproject.org/v/s/www.news.example/2026/a-long-story?utm_source=x
     https://www.google.com/amp/s/www.news.example/2026/a-long-story/amp
     https://google.com/amp/s/news.example/2026/a-long-story https://www.google.co.uk/amp/news.example/2026/a-long-story https://www.bing.com/amp/s/news.example/2026/a-long-story.amp
     https://www.google.com/amp/s/www.google.com/amp/s/news.example/2026/a-long-story/amp`,
  ],
  ['AMP of a numbered article', 'https://news.example/12345678', 'https://news.example/12345678/amp'],
  ['a site under a host of sites', 'https://old.github.io/a', 'https://www.old.github.io/a/'],
  [
    'X',
    'https://x.com/i/status/1',
    `https://x.com/a/status/1 https://twitter.com/a/status/1 https://mobile.twitter.com/a/status/1 https://www.twitter.com/A/status/1
     https://m.twitter.com/a/status/1/ http://twitter.com/a/status/1?s=20 https://x.com/a/status/1?s=20&t=abc https://x.com/b/status/1?cxt=a
     https://twitter.com/a/statuses/1 https://x.com/i/web/status/1 https://x.com/a/status/1/photo/1 https://nitter.net/a/status/1#m
     https://nitter.some.example/a/status/1 https://xcancel.com/a/status/1 https://fxtwitter.com/a/status/1 https://vxtwitter.com/a/status/1`,
  ],
  [
    'X handle',
    'https://x.com/someone',
    'https://twitter.com/Someone https://nitter.net/someone/ https://x.com/SomeOne?lang=en',
  ],
  [
    'YouTube',
    'https://youtube.com/watch?v=aBc-_1',
    `https://youtu.be/aBc-_1 https://youtu.be/aBc-_1?si=x&t=5 https://www.youtube.com/watch?v=aBc-_1 https://m.youtube.com/watch?v=aBc-_1&feature=share
     https://www.youtube.com/watch?t=5s&v=aBc-_1 https://www.youtube.com/watch?v=aBc-_1&list=PL1&index=2 https://youtube.com/shorts/aBc-_1?feature=share
     https://www.youtube.com/embed/aBc-_1?autoplay=1 https://www.youtube-nocookie.com/embed/aBc-_1 https://www.youtube.com/live/aBc-_1?si=y
     https://www.youtube.com/v/aBc-_1 https://music.youtube.com/watch?v=aBc-_1&list=RD`,
  ],
  [
    'YouTube list',
    'https://youtube.com/playlist?list=PL1',
    'https://www.youtube.com/playlist?list=PL1&si=x https://m.youtube.com/playlist?list=PL1',
  ],
  [
    'arXiv',
    'https://arxiv.org/abs/2507.13043',
    `https://arxiv.org/abs/2507.13043v1 https://arxiv.org/abs/2507.13043v2 https://www.arxiv.org/abs/2507.13043 https://arxiv.org/pdf/2507.13043
     https://arxiv.org/pdf/2507.13043v1.pdf https://arxiv.org/html/2507.13043v1 http://export.arxiv.org/abs/2507.13043v1
     https://arxiv.org/abs/2507.13043?context=cs https://doi.org/10.48550/arXiv.2507.13043`,
  ],
  [
    'arXiv, old',
    'https://arxiv.org/abs/hep-th/9901001',
    'http://arxiv.org/pdf/hep-th/9901001v3 https://export.arxiv.org/abs/hep-th/9901001v1',
  ],
  [
    'DOI',
    'https://doi.org/10.1000/xyz(182)',
    'http://dx.doi.org/10.1000/XYZ(182) https://www.doi.org/10.1000%2Fxyz(182)?nosfx=y https://doi.org/10.1000/Xyz(182)',
  ],
  [
    'Wikipedia',
    'https://en.wikipedia.org/wiki/Night_train',
    `https://en.m.wikipedia.org/wiki/Night_train http://en.wikipedia.org/wiki/Night%20train https://en.wikipedia.org/wiki/Night_train#History
     https://en.wikipedia.org/w/index.php?title=Night_train https://en.m.wikipedia.org/wiki/Night_train?utm_source=x`,
  ],
  [
    'Reddit',
    'https://reddit.com/comments/1abc',
    `https://www.reddit.com/r/Trains/comments/1abc/some_title/ https://old.reddit.com/r/trains/comments/1abc/some_title https://np.reddit.com/r/trains/comments/1abc
     https://new.reddit.com/r/trains/comments/1ABC/other_title/?utm_source=share https://redd.it/1abc https://reddit.com/comments/1abc/some_title
     https://de.reddit.com/r/trains/comments/1abc https://www.reddit.com/gallery/1abc https://www.reddit.com/user/a/comments/1abc/title`,
  ],
  [
    'Reddit comment',
    'https://reddit.com/comments/1abc/_/kx9',
    'https://www.reddit.com/r/trains/comments/1abc/title/kx9/?context=3 https://old.reddit.com/r/trains/comments/1abc/_/kx9',
  ],
  [
    'Reddit share',
    'https://reddit.com/r/trains/s/AbC',
    'https://www.reddit.com/r/Trains/s/AbC https://reddit.com/r/trains/s/AbC?share_id=x https://reddit.com/R/trains/s/AbC?rdt=1',
  ],
  [
    'GitHub',
    'https://github.com/owner/repo',
    'https://github.com/Owner/Repo https://github.com/owner/repo.git https://www.github.com/owner/repo/ https://github.com/owner/repo?tab=readme-ov-file#readme',
  ],
  [
    'GitHub file',
    'https://github.com/owner/repo/blob/main/README.md',
    'https://github.com/OWNER/Repo/blob/main/README.md#L1-L5',
  ],
  [
    'Hacker News',
    'https://news.ycombinator.com/item?id=1',
    'http://news.ycombinator.com/item?id=1&p=2 https://news.ycombinator.com/item?goto=news&id=1#12',
  ],
];

describe.each(SAME)('%s: %s', (_, identity, spellings) => {
  test.each([identity, ...spellings.split(/\s+/)])('%s', (spelling) => {
    expect(identifyAddress(spelling)).toBe(identity);
  });
});

test('different links stay different', () => {
  for (const pair of [
    'https://app.example/#/one https://app.example/#/two',
    'https://app.example/#/one https://app.example/',
    'https://a.example/X https://a.example/x',
    'https://a.example/a%2Fb https://a.example/a/b',
    'https://a.example/?b=1 https://a.example/?b=2',
    'https://a.example:8080/ https://a.example/',
    'https://a.example/guide/amp https://a.example/guide',
    'https://a.example/v2/amp https://a.example/v2',
    'https://a.example/a-long-story/amplifier https://a.example/a-long-story',
    'https://a.example/?outputType=ample https://a.example/',
    'https://a.example/2026/amp https://a.example/2026',
    'https://m.github.io/a https://github.io/a',
    'https://old.github.io/a https://m.github.io/a',
    'https://github.com/owner/.git https://github.com/owner',
    'https://github.com/owner/amp https://github.com/owner',
    'https://github.com/owner?tab=repositories https://github.com/owner?tab=stars',
    'https://github.com/owner/repo/blob/main/a https://github.com/owner/repo/blob/main/A',
    'https://x.com/a/status/1 https://x.com/a/status/2',
    'https://x.com/i/spaces/aB https://x.com/i/spaces/ab',
    'https://x.com/search?q=a https://x.com/search?q=b',
    'https://youtube.com/watch?v=a https://youtube.com/watch?v=A',
    'https://youtube.com/embed/videoseries?list=a https://youtube.com/embed/videoseries?list=b',
    'https://de.wikipedia.org/wiki/A https://en.wikipedia.org/wiki/A',
    'https://en.wikipedia.org/w/index.php?title=A&oldid=1 https://en.wikipedia.org/wiki/A',
    'https://www.reddit.com/r/a/comments/1/t/2 https://www.reddit.com/r/a/comments/1/t',
    'https://redd.it/s/1 https://redd.it/1',
    'https://news.ycombinator.com/item?id=1 https://news.ycombinator.com/item?id=2',
    'https://m.me/a https://me/a',
    'https://mobile.de/a https://de/a',
    'https://amp.com.au/a https://m.com.au/a',
    'https://mobile.co.uk/a https://co.uk/a',
    'https://groups.example/forum/#!topic/a/1 https://groups.example/forum/#!topic/a/2',
    'https://www.google.com/amp/s/ https://www.google.com/amp',
    'https://arxiv.org/list/cs.CL/2507 https://arxiv.org/abs/2507.13043',
    'https://social.example/@ann/115000000000000001 https://social.example/@ann/115000000000000002',
    'https://social.example/@ann/115000000000000001 https://other.example/@ann@social.example/115000000000000001',
    'https://social.example/@ann/1 https://social.example/@bob/1',
    'https://social.example/@ann/115000000000000001/media https://social.example/@ann/115000000000000001',
    'https://bsky.app/profile/ann.example/post/3l https://bsky.app/profile/bob.example/post/3l',
    'https://bsky.app/profile/ann.example/post/3l https://bsky.app/profile/did:plc:abc/post/3l',
  ]) {
    const [one = '', other = ''] = pair.split(' ');
    expect(identifyAddress(one), pair).not.toBeNull();
    expect(identifyAddress(one), pair).not.toBe(identifyAddress(other));
  }
});

test('what is no link has no identity', () => {
  for (const text of [
    '',
    'ftp://a.example/x',
    'mailto:a@b.example',
    'https:a.example',
    'https://u:p@a.example/',
    'https://u@a.example/',
    '/x',
  ])
    expect(identifyAddress(text), text).toBeNull();
  expect(identifyAddress(`https://a.example/${'%'.repeat(1_000)}`)).toBeNull();
});

describe('rules of the configuration', () => {
  const own: OwnLinkRule[] = [
    { host: 'mirror.example', alias: 'x.com' },
    { host: 'shop.example', keep: ['id', 'utm_term'] },
    { host: 'forum.example', drop: ['session', 'view'] },
  ];
  const identify = (address: string) => identifyAddress(address, own);
  test.each([
    ['https://mirror.example/a/status/1', 'https://x.com/i/status/1'],
    ['https://www.mirror.example/a/status/1', 'https://x.com/i/status/1'],
    ['https://shop.example/p?id=1&color=red&utm_term=x', 'https://shop.example/p?id=1&utm_term=x'],
    ['https://de.shop.example/p?ID=1&id=2', 'https://de.shop.example/p?id=2'],
    ['https://forum.example/t?session=1&page=2&view=all&utm_id=3', 'https://forum.example/t?page=2'],
    ['https://otherforum.example/t?session=1', 'https://otherforum.example/t?session=1'],
  ])('%s', (address, identity) => {
    expect(identify(address)).toBe(identity);
    expect(identify(identity)).toBe(identity);
  });
});

/** Addresses near what the rules know. */
const address = fc
  .tuple(
    fc.constantFrom('http://', 'https://', 'HTTPS://'),
    fc.array(
      fc.constantFrom('www.', 'm.', 'mobile.', 'old.', 'amp.', 'np.', 'en.', 'en.m.', 'nitter.', 'a.', ''),
      { maxLength: 3 },
    ),
    fc.constantFrom(
      ...`a.example x.com twitter.com youtube.com youtu.be arxiv.org wikipedia.org reddit.com redd.it github.com
      l.facebook.com google.de urldefense.com rd.yahoo.com bbc.com
      news.ycombinator.com doi.org dx.doi.org c.cdn.ampproject.org google.com m.com co.uk bsky.app xn--nxasmq6b.example [::1] 10.0.0.1`.split(
        /\s+/,
      ),
    ),
    fc.constantFrom('', '.', ':80', ':443', ':8080'),
    fc.array(
      fc.oneof(
        fc.constantFrom(
          ...`/ // /amp /amp.html .amp .git /status/1 /statuses/1/ /i /web /a /B /%41 /%c3%bc /%2f /%2F %4%31 %25 /.. /.
          /@ann /@ann@b.example /users/ann/statuses /115000000000000001 /embed /profile/Ann.example /post/3l /watch /embed/abc /shorts/abc /abs/2507.13043 v2 .pdf /pdf/2507.13043v1.pdf /10.48550/arXiv.2507.13043 /10.1000/AbC
          /wiki/Night%20Train /w/index.php /r/Trains /comments/1abc /title /item /url /l.php /v3/__https://a.example/*__;Kw!! /*http%3A//a.example /c/s/a.example /amp/s/x.com /amp/www.a.example /ü`.split(
            /\s+/,
          ),
        ),
        fc.string({ unit: 'grapheme', maxLength: 4 }),
      ),
      { maxLength: 6 },
    ),
    fc.array(
      fc.oneof(
        fc.constantFrom(
          'v=abc',
          'v=',
          'id=1',
          'id',
          'title=A%20b',
          'utm_x=1',
          'utm%5fx=1',
          's=20',
          'amp',
          'outputtype=AMP',
          'a=%7e',
          'a=b=c',
          '%',
          'tab=x',
          'url=https://a.example/x%3Fid%3D1',
          'u=https%253A%252F%252Fwww.google.de%252Furl%253Fq%253Dhttp%25253A%25252F%25252Fb.example',
          'q=http://[::1]/',
          'at_medium=RSS',
          'source=rss',
        ),
        fc.string({ maxLength: 4 }),
      ),
      { maxLength: 4 },
    ),
    fc.constantFrom('', '#', '#a', '#/', '#!/', '#/a', '#!/a/', '#/%7e%c3', '#/a b', '#:~:text=a'),
  )
  .map(([scheme, prefixes, host, port, path, query, hash]) =>
    [scheme, ...prefixes, host, port, ...path, query.length === 0 ? '' : `?${query.join('&')}`, hash].join(
      '',
    ),
  );

test('the identity of an identity is itself, and the same without its scheme', () => {
  fc.assert(
    fc.property(address, (text) => {
      const identity = identifyAddress(text);
      if (identity === null) return;
      expect(identifyAddress(identity), text).toBe(identity);
      expect(identifyAddress(identity.replace(/^https/, 'http')), text).toBe(identity);
    }),
    { numRuns: 7_000 },
  );
});

test('time grows with the length of an address', () => {
  for (const part of ['/amp', '.git', '%4', '&q=a', '/a-', '/..', '.amp', '//', '&utm_a=b', '-']) {
    const measure = (length: number) => {
      const text = `https://github.com/a/${part.repeat(length / part.length)}`;
      let best = Number.POSITIVE_INFINITY;
      for (let turn = 0; turn < 3; turn++) {
        const began = process.cpuUsage();
        for (let n = 0; n < 100; n++) identifyAddress(text);
        const { user, system } = process.cpuUsage(began);
        best = Math.min(best, user + system);
      }
      return best;
    };
    measure(2_000);
    // Quadratic work takes 64 times as long.
    expect(measure(2_000) / measure(250), part).toBeLessThan(32);
  }
});
