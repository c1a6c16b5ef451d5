/** Rules of link identity for single sites: one row each. */

import type { Parameter } from './link-parameters.ts';

/** An address in parts, after the rules for all sites. */
export type Address = {
  host: string;
  /** With its colon; empty for the default. */
  port: string;
  /** Escapes are normalized; without trailing slash. */
  path: string;
  query: Parameter[];
  /** A fragment that is a route, without `#`. */
  route: string;
};

type Site = {
  name: string;
  isHost: (host: string, path: string) => boolean;
  /** Changes the address to that of its identity. */
  rewrite: (address: Address) => void;
};

/** The first row that knows the host applies. */
export const SITES: readonly Site[] = [
  { name: 'X', isHost: isXHost, rewrite: rewriteX },
  {
    name: 'YouTube',
    isHost: isOneOf('youtube.com youtu.be youtube-nocookie.com music.youtube.com'),
    rewrite: rewriteYouTube,
  },
  { name: 'arXiv', isHost: isOneOf('arxiv.org export.arxiv.org'), rewrite: rewriteArxiv },
  { name: 'DOI', isHost: isOneOf('doi.org dx.doi.org'), rewrite: rewriteDoi },
  {
    name: 'Wikipedia',
    isHost: (host) => /^(?:[^.]+\.){0,2}wikipedia\.org$/.test(host),
    rewrite: rewriteWikipedia,
  },
  {
    name: 'Reddit',
    isHost: (host) => /^(?:(?:np|new|i|sh|[a-z]{2}(?:-[a-z]{2})?)\.)?reddit\.com$|^redd\.it$/.test(host),
    rewrite: rewriteReddit,
  },
  { name: 'GitHub', isHost: isOneOf('github.com'), rewrite: rewriteGitHub },
  { name: 'Hacker News', isHost: isOneOf('news.ycombinator.com'), rewrite: rewriteHackerNews },
  { name: 'Bluesky', isHost: isOneOf('bsky.app fxbsky.app bskyx.app'), rewrite: rewriteBluesky },
  { name: 'Mastodon', isHost: (_host, path) => MASTODON_POST.test(path), rewrite: rewriteMastodon },
];

function isOneOf(hosts: string): (host: string) => boolean {
  const known = new Set(hosts.split(' '));
  return (host) => known.has(host);
}

/** Sites that show the posts of X under the same paths. */
const X_MIRRORS = new Set(
  'twitter.com xcancel.com vxtwitter.com fxtwitter.com fixvx.com fixupx.com twittpr.com'.split(' '),
);

function isXHost(host: string): boolean {
  return host === 'x.com' || X_MIRRORS.has(host) || /^nitter\.[^.]/.test(host);
}

/** A post is identified by its id: handles change, and no handle (`i`, `i/web`) leads to the same post. */
function rewriteX(address: Address): void {
  const post = /^\/(?:i\/web|[^/]+)\/status(?:es)?\/(\d{1,25})(?:\/|$)/i.exec(address.path)?.[1];
  moveTo(
    address,
    'x.com',
    post === undefined ? address.path.replace(/^\/[^/]+/, lower) : `/i/status/${post}`,
  );
  dropParameters(address, post === undefined ? ['s', 't', 'lang'] : undefined);
}

function rewriteYouTube(address: Address): void {
  const { host, path } = address;
  const video =
    host === 'youtu.be'
      ? /^\/([\w-]+)$/.exec(path)?.[1]
      : path === '/watch'
        ? readParameter(address, 'v')
        : /^\/(?:shorts|embed|live|v|e)\/(?!videoseries$|live_stream$)([\w-]+)$/.exec(path)?.[1];
  if (host === 'youtu.be' && video === undefined) return;
  moveTo(address, 'youtube.com', video === undefined ? path : '/watch');
  if (video === undefined) dropParameters(address, ['si', 'feature', 't', 'app', 'ab_channel', 'pp']);
  else address.query = [{ name: 'v', pair: `v=${video}` }];
}

/** A paper, whatever its version and format. */
function rewriteArxiv(address: Address): void {
  const paper =
    /^\/(?:abs|pdf|html|format|ps|src|e-print)\/(\d{4}\.\d{4,5}|[a-z-]+(?:\.[a-z]{2})?\/\d{7})(?:v\d{1,3})?(?:\.pdf)?$/i.exec(
      address.path,
    )?.[1];
  moveTo(address, 'arxiv.org', paper === undefined ? address.path : `/abs/${paper}`);
  if (paper !== undefined) dropParameters(address);
}

/** Names are equal regardless of case; arXiv's lead to the paper there. */
function rewriteDoi(address: Address): void {
  const name = lower(address.path.replaceAll('%2F', '/'));
  if (!/^\/10\.\d/.test(name)) return;
  const paper = /^\/10\.48550\/arxiv\.(.+)$/.exec(name)?.[1];
  moveTo(
    address,
    paper === undefined ? 'doi.org' : 'arxiv.org',
    paper === undefined ? name : `/abs/${paper}`,
  );
  dropParameters(address);
}

function rewriteWikipedia(address: Address): void {
  const title =
    address.path === '/w/index.php' && address.query.length === 1
      ? readParameter(address, 'title')
      : undefined;
  if (title !== undefined) dropParameters(address);
  const path = title === undefined ? address.path : `/wiki/${title}`;
  moveTo(address, address.host.replace(/^([^.]+)\.m\./, '$1.'), path.replaceAll('%20', '_'));
}

/** A thread or a comment, without community and title. What a share address (`/s/…`) leads to is not in it. */
function rewriteReddit(address: Address): void {
  const { host, path } = address;
  const [, thread, comment] =
    (host === 'redd.it'
      ? /^\/([a-z\d]+)$/i
      : /^(?:\/(?:r|u|user)\/[^/]+)?\/(?:comments|gallery)\/([a-z\d]+)(?:\/[^/]*(?:\/([a-z\d]+))?)?$/i
    ).exec(path) ?? [];
  if (host === 'redd.it' && thread === undefined) return;
  if (thread === undefined) {
    moveTo(address, 'reddit.com', path.replace(/^\/(?:r|u|user)\/[^/]+/i, lower));
    dropParameters(address, ['share_id', 'context', 'rdt']);
    return;
  }
  moveTo(address, 'reddit.com', lower(`/comments/${thread}${comment === undefined ? '' : `/_/${comment}`}`));
  dropParameters(address);
}

/** Names of owners and repositories are equal regardless of case. */
function rewriteGitHub(address: Address): void {
  const [, owner = '', name = '', ...rest] = address.path.split('/');
  if (name === '') address.path = lower(address.path);
  else {
    let repository = lower(name);
    while (repository.endsWith('.git') && repository !== '.git')
      repository = repository.slice(0, -'.git'.length);
    address.path = ['', lower(owner), repository, ...rest].join('/');
    // Of a repository, which file is shown below; of an owner, another list.
    dropParameters(address, ['tab']);
  }
}

function rewriteHackerNews(address: Address): void {
  if (address.path !== '/item') return;
  address.query = address.query.filter(({ name }) => name === 'id').slice(0, 1);
}

/**
 * A post of an account. The account may be given by its handle or its DID; which handle is whose is not in the address, and
 * the last part is unique within an account only, so the two spellings remain two.
 */
function rewriteBluesky(address: Address): void {
  const [, account = '', post] =
    /^\/profile\/(?:@|%40)?([^/]+)\/post\/([^/]+)$/.exec(address.path.replaceAll('%3A', ':')) ?? [];
  moveTo(address, 'bsky.app', post === undefined ? address.path : `/profile/${lower(account)}/post/${post}`);
  if (post !== undefined) dropParameters(address);
}

/**
 * A post of Mastodon and of servers like it, which can have any host: as people see it (`/@ann/1…`), as servers do
 * (`/users/ann/statuses/1…`), and in the web interface of a reader (`/web/@ann@other.example/1…`, `/deck/…`). Its id there
 * is that of the reader's server: what the post is called at its own server is not in the address.
 */
const MASTODON_POST =
  /^(?:\/(?:web|deck))?\/(?:@[^/]+(?:\/(?:posts|statuses))?|(?:ap\/)?users\/[^/]+\/statuses|statuses)\/(\d{15,20}|[\dA-HJKMNP-TV-Z]{26})(?:\/(?:activity|embed))?$/;

function rewriteMastodon(address: Address): void {
  const [, post = ''] = MASTODON_POST.exec(address.path) ?? [];
  address.path = `/statuses/${post}`;
  dropParameters(address);
}

function moveTo(address: Address, host: string, path: string): void {
  address.host = host;
  address.path = path;
}

/** Removes these parameters; without names, everything after the path. */
function dropParameters(address: Address, names?: readonly string[]): void {
  address.query = names === undefined ? [] : address.query.filter(({ name }) => !names.includes(name));
  if (names === undefined) address.route = '';
}

function readParameter({ query }: Address, wanted: string): string | undefined {
  const parameter = query.find(({ name, pair }) => name === wanted && pair.length > wanted.length + 1);
  return parameter?.pair.slice(wanted.length + 1);
}

/** Lower case, with escapes as before. */
function lower(path: string): string {
  return path.toLowerCase().replace(/%[\da-f]{2}/g, (escape) => escape.toUpperCase());
}
