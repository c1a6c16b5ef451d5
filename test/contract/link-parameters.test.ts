/** Parameters that identify no content are removed wherever they stand; those that select content never are. */
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { identifyAddress } from '../../src/model/links/link-identity.ts';
import { TRACKING_NAMES, TRACKING_NAMES_BY_SITE } from '../../src/model/links/link-parameters.ts';

/** Names that select what a page shows. */
const SELECTING =
  `id p v q s page story_id storyid article articleid article_id aid item itemid post postid post_id news_id
  nid tid pid uid cid sid t topic thread lang language locale hl gl ceid tab view date year month day category cat tag tags
  search query keyword keywords k w title name slug doc file path url u sort order start offset limit index format type
  version ref branch commit edition section key code num no n i g gid vid video watch list episode chapter lat lon mbid
  feed output`.split(/\s+/);

/** Of these sites, a name that selects elsewhere does not: their rules are about it. */
const KNOWN_AT = new Set(
  TRACKING_NAMES_BY_SITE.flatMap(([, { whole }]) => [...whole]).filter((name) => SELECTING.includes(name)),
);

test('no global rule, and few of sites, remove a name that selects content', () => {
  for (const name of SELECTING) {
    expect(TRACKING_NAMES.whole.has(name), name).toBe(false);
    expect(
      TRACKING_NAMES.beginnings.some((start) => name.startsWith(start)),
      name,
    ).toBe(false);
  }
  expect([...KNOWN_AT].sort()).toEqual(['mbid', 'ref', 'sid', 'tid']);
  for (const name of ['id', 'p', 'v', 'q', 'page', 'story_id', 'article', 'i', 'list'])
    for (const [host, { whole }] of TRACKING_NAMES_BY_SITE)
      expect(whole.has(name), `${host} ${name}`).toBe(false);
});

test('names are in lower case, and every table has been read', () => {
  expect(TRACKING_NAMES.whole.size).toBeGreaterThan(200);
  expect(TRACKING_NAMES_BY_SITE.length).toBeGreaterThan(150);
  for (const [host, { whole, beginnings }] of TRACKING_NAMES_BY_SITE) {
    expect(host).toMatch(/^(?:[a-z\d-]+\.)+(?:[a-z]+|\*)$/);
    expect(whole.size + beginnings.length, host).toBeGreaterThan(0);
    for (const name of [...whole, ...beginnings]) expect(name, host).toBe(name.toLowerCase());
  }
});

describe('an article is one link', () => {
  test.each([
    [
      'https://bbc.com/news/articles/c0abc',
      'at_medium=RSS&at_campaign=rss at_link_id=A1&at_bbc_team=editorial ocid=x ns_campaign=bbc',
    ],
    [
      'https://any.example/a',
      'at_medium=RSS&at_campaign=KARANGA xtor=RSS-3208 maca=de-rss-de-all-1119-xml-atom wt_mc=rss.red WT.mc_id=1',
    ],
    [
      'https://any.example/a',
      'mtm_campaign=a&mtm_kwd=b pk_campaign=x matomo=0&utm_x=1 traffic_source=rss source=rss----abc---4 partner=rss',
    ],
    [
      'https://any.example/a',
      'from=rss ref=rss&fbclid=1 src=rss via=RSS_Feed medium=rss&campaign=rss _hsenc=1&_hsmi=2 elqTrackId=3',
    ],
    [
      'https://any.example/a',
      'hsa_cam=1&hsa_kw=b li_fat_id=1 gad_source=1&gbraid=2 ysclid=l1 mkt_tok=x vero_conv=1 s_kwcid=AL!1',
    ],
    ['https://medium.com/p/abc', 'source=rss----1---4 source=topic_page&utm_medium=x'],
    [
      'https://nytimes.com/2026/11/28/world/a.html',
      'partner=rss&emc=rss smid=tw-nytimes unlocked_article_code=1.a',
    ],
    ['https://cnbc.com/2026/11/28/a.html', '__source=iosappshare|com.apple'],
    ['https://wsj.com/articles/a-1', 'mod=rss_world_news st=abc&reflink=desktop'],
    [
      'https://news.yahoo.com/a-1.html',
      'soc_src=social-sh&soc_trk=tw .tsrc=rss guccounter=1&guce_referrer=aHR0',
    ],
    ['https://theguardian.com/world/2026/a', 'CMP=rss CMP=share_btn_url INTCMP=a'],
    ['https://lemonde.fr/a_1.html', 'lmd_medium=al&lmd_campaign=envoye-par-appli xtor=RSS-1'],
    ['https://zeit.de/a', 'wt_zmc=sm.int.zonaudev.x freebie=abc'],
    ['https://bilibili.com/video/BV1', 'spm_id_from=333 vd_source=a&share_source=copy_web'],
    ['https://amazon.co.uk/dp/B0', 'pf_rd_p=1&pd_rd_w=2 qid=1&sr=8-1'],
    ['https://linkedin.com/pulse/a', 'trk=rss&trackingId=x rcm=1'],
  ])('%s %s', (article, queries) => {
    const [name = '', value] = queries.split(' ')[0]?.split('=') ?? [];
    expect(value, name).toBeDefined();
    for (const query of queries.split(' ')) {
      // `matomo=0` is no parameter of a campaign.
      const wanted = query.startsWith('matomo=') ? `${article}?matomo=0` : article;
      expect(identifyAddress(`${article}?${query}`), query).toBe(wanted);
      expect(
        identifyAddress(`${article}?${query.toUpperCase()}`.replace(/^.*?\?/, `${article}?`)) === null,
      ).toBe(false);
    }
  });
});

test.each([
  ['https://a.example/story.php?story_id=1', 'https://a.example/story.php?story_id=2'],
  ['https://a.example/?p=1', 'https://a.example/?p=2'],
  ['https://a.example/?feed=rss2', 'https://a.example/'],
  ['https://a.example/?format=rss', 'https://a.example/?format=html'],
  ['https://podcasts.apple.com/de/podcast/a/id1?i=100', 'https://podcasts.apple.com/de/podcast/a/id1?i=200'],
  [
    'https://api.github.com/repos/a/b/contents/c?ref=main',
    'https://api.github.com/repos/a/b/contents/c?ref=next',
  ],
  ['https://musicbrainz.example/artist?mbid=1', 'https://musicbrainz.example/artist?mbid=2'],
  ['https://a.example/search?source=ap&q=x', 'https://a.example/search?source=dpa&q=x'],
  ['https://notwsj.com/a?mod=1', 'https://notwsj.com/a?mod=2'],
  ['https://a.example/?at_date=1', 'https://a.example/?at_date=2'],
  ['https://a.example/?pk_id=1', 'https://a.example/?pk_id=2'],
  ['https://bilibili.com/video/BV1?p=1', 'https://bilibili.com/video/BV1?p=2'],
  ['https://wsj.com/search?query=a', 'https://wsj.com/search?query=b'],
])('%s is not %s', (one, other) => {
  expect(identifyAddress(one)).not.toBe(identifyAddress(other));
});

test('what selects content stays in its order, wherever tracking stands between it', () => {
  const hosts = ['a.example', ...TRACKING_NAMES_BY_SITE.map(([host]) => host.replace('.*', '.de'))];
  const own = fc.constantFrom('id', 'p', 'v', 'q', 'page', 'story_id', 'article', 'zz');
  const selecting = fc
    .tuple(own, fc.stringMatching(/^[a-z\d]{1,4}$/))
    .map(([name, value]) => `${name}=${value}`);
  const tracking = fc
    .constantFrom(...TRACKING_NAMES.whole, 'source=rss', 'utm_anything')
    .map((name) => (name.includes('=') ? name : `${name}=1`));
  fc.assert(
    fc.property(
      // YouTube and the like have rules of their own.
      fc.constantFrom(...hosts.filter((host) => !/youtube|reddit/.test(host))),
      fc.array(fc.oneof(selecting, tracking), { maxLength: 8 }),
      (host, pairs) => {
        const identity = identifyAddress(`https://${host}/a?${pairs.join('&')}`);
        const kept = pairs.filter((pair) => /^(?:id|p|v|q|page|story_id|article|zz)=/.test(pair)).join('&');
        expect(identity).toBe(`https://${host}/a${kept === '' ? '' : `?${kept}`}`);
        expect(identifyAddress(identity ?? '')).toBe(identity);
      },
    ),
    { numRuns: 1_000 },
  );
});
