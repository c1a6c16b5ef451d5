/** Layout and rendering of pages. */

import { VERSION } from '../../config/version.ts';
import { isUnchanged } from '../../monitor/http/conditional-requests.ts';
import { getAssetPath } from './asset-files.ts';
import { type OpenFeed, writeOpenFeedPath } from '../../monitor/feeds/feed-address.ts';
import { FEED_TYPES } from '../../monitor/feeds/feed-types.ts';
import { isShareable, writeShareForm } from '../../monitor/access/share-pages.ts';
import { clearFlash, FlashMessage } from './flash-message.tsx';
import { ActionButton } from './form.tsx';
import { Icon } from './icons.tsx';
import { NavLinks, PartTabs } from './navigation.tsx';
import { CREATE_TOPIC_SCOPES, FrameProvider, IfAllowed, useFrame } from './page-frame.tsx';
import { OUTSIDE, renderHtml } from './page-html.ts';
import { Timestamp } from './timestamp.tsx';
import { shortenText, UntrustedText } from './untrusted-text.tsx';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ComponentChildren } from 'preact';

/**
 * `title`: also the heading. `here`: path of the part of the navigation that the page belongs to. `charts`: the page has a `Chart`.
 * `live`: the events that it follows.
 */
type PageContent = LayoutProps & {
  /** Default: 200. */
  status?: number;
};

/** For pages that show a secret. */
export const preventCaching = async (_request: FastifyRequest, reply: FastifyReply): Promise<void> => {
  reply.header('cache-control', 'no-store');
};

/**
 * Renders a page and sends it, or 304 if the browser has the same version. Untrusted text is safe: preact escapes it.
 */
export function renderPage(request: FastifyRequest, reply: FastifyReply, page: PageContent): FastifyReply {
  const { status = 200, ...shown } = page;
  const { done, formToken, visitor, mount } = request.frame;
  if (done !== null) clearFlash(reply);
  const html = renderHtml(
    <FrameProvider value={request.frame}>
      <Layout {...shown} />
    </FrameProvider>,
    mount,
    visitor.kind === 'shared',
  );
  // Private caches only, with revalidation on every request.
  reply.header('cache-control', 'private, no-cache').header('vary', 'cookie, accept-encoding');
  // Pages with a flash message and error pages must not be answered with 304 later.
  if (status === 200 && done === null) {
    const shownTo = request.server.access.tagFor(
      visitor,
      formToken === '' ? html : html.replaceAll(formToken, ''),
    );
    if (isUnchanged(request, reply, shownTo)) return reply.code(304).send();
  }
  return reply.code(status).type('text/html; charset=utf-8').send(`<!doctype html>${html}`);
}

const FAVICON =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32' fill='none' stroke-linecap='round'%3E%3Cpath d='M2 13c4-6 8-6 12 0s8 6 12 0c1.3-2 2.6-3.3 4-4' stroke='%2312728a' stroke-width='3.5'/%3E%3Cpath d='M7 23h0M16 25h0M25 22h0' stroke='%23c03f2b' stroke-width='4.5'/%3E%3C/svg%3E";

type LayoutProps = {
  /** May be untrusted. */
  title: string;
  here: string;
  /** Next to the title: buttons or state. */
  aside?: ComponentChildren;
  /** Above the title: breadcrumbs. */
  above?: ComponentChildren;
  /** One line below the title. */
  lead?: ComponentChildren;
  /** Below the lead: how the topic or search of the page is doing. */
  statusLine?: ComponentChildren;
  charts?: boolean;
  /** What is new on the page, as a feed. */
  feed?: OpenFeed | undefined;
  live?: { topic?: string; search?: string; view?: 'topic' | 'search' } | boolean;
  /** Seconds after which a browser without scripts loads the page again. */
  refreshSeconds?: number | undefined;
  body: ComponentChildren;
};

function Layout({
  title,
  here,
  aside,
  above,
  lead,
  statusLine,
  charts = false,
  feed,
  live = false,
  refreshSeconds,
  body,
}: LayoutProps) {
  const { theme, zone, seen, visitor, done } = useFrame();
  const isShared = visitor.kind === 'shared';
  const reader = visitor.kind !== 'nobody' && !isShared;
  return (
    <html lang="en" data-theme={theme ?? undefined}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        {/* The address of a shared page is a secret, also from this server's own log. */}
        <meta name="referrer" content={isShared ? 'no-referrer' : 'same-origin'} />
        {refreshSeconds === undefined || isShared ? null : (
          <noscript>
            <meta http-equiv="refresh" content={String(refreshSeconds)} />
          </noscript>
        )}
        <title>{`${shortenText(title)} · strandline`}</title>
        <link rel="icon" href={FAVICON} />
        <link rel="stylesheet" href={getAssetPath('style.css')} />
        {charts ? <link rel="stylesheet" href={getAssetPath('uplot.css')} /> : null}
        {charts ? <script src={getAssetPath('uplot.js')} defer /> : null}
        <script src={getAssetPath('strandline.js')} type="module" />
        {/* With a token, a feed reader needs an address with a key, which is shown once: none can be named here. */}
        {feed === undefined || visitor.kind !== 'local' ? null : (
          <link
            rel="alternate"
            type={FEED_TYPES.atom}
            title={shortenText(title)}
            href={writeOpenFeedPath(feed)}
          />
        )}
      </head>
      <body
        data-zone={zone}
        data-events={isShared ? undefined : buildEventsUrl(live)}
        data-worker={isShared || live === false ? undefined : getAssetPath('events.js')}
        data-seen={isShared ? undefined : String(seen)}
      >
        <a class="skip" href="#main">
          Skip to content
        </a>
        <SandboxBanner />
        <SharedBanner />
        <header class="top">
          <div class="top-row">
            <a class="brand" href="/" aria-label="strandline overview">
              <Logo />
              <span>strandline</span>
            </a>
            {reader ? <NavLinks here={here} /> : null}
            {reader ? <HeaderTools /> : null}
          </div>
          <div class="tide" aria-hidden="true" />
        </header>
        <main id="main" tabIndex={-1}>
          {reader ? <PartTabs here={here} /> : null}
          <div class="page-head">
            <div>
              {above === undefined || isShared ? null : <p class="above">{above}</p>}
              <h1>
                <UntrustedText text={title} />
              </h1>
              {lead === undefined ? null : <p class="lead">{lead}</p>}
              {statusLine}
            </div>
            {aside === undefined || isShared ? null : <div class="aside">{aside}</div>}
          </div>
          <FlashMessage code={done} />
          {body}
        </main>
        <Footer />
      </body>
    </html>
  );
}

/** The sandbox looks like the dashboard of real data, so each of its pages says what it is. */
function SandboxBanner() {
  const { kind, mount, visitor } = useFrame();
  if (kind !== 'sandbox') return null;
  return (
    <p class="sandbox-banner" role="note">
      <strong>Sample:</strong> everything here is simulated.{' '}
      {mount === '' || visitor.kind === 'shared' ? null : (
        <a {...OUTSIDE} href="/">
          Real data
        </a>
      )}
    </p>
  );
}

/** A shared page is not live, and its link ends. */
function SharedBanner() {
  const { now, visitor } = useFrame();
  if (visitor.until === undefined) return null;
  return (
    <aside class="sandbox-banner" aria-label="Shared page">
      <strong>Shared page, read-only.</strong> As of <Timestamp at={now} exact />. The link works until{' '}
      <Timestamp at={visitor.until} exact />.
    </aside>
  );
}

/** Topic menu and search box. */
function HeaderTools() {
  const { topics } = useFrame();
  return (
    <div class="tools">
      <details class="menu">
        <summary>Go to</summary>
        <nav class="menu-list" aria-label="Topics">
          {topics.map(({ slug, name }) => (
            <a href={`/topics/${slug}`}>{name}</a>
          ))}
          <IfAllowed scope={CREATE_TOPIC_SCOPES}>
            <a class="menu-last" href="/new">
              <Icon name="plus" /> New topic
            </a>
          </IfAllowed>
        </nav>
      </details>
      <form class="find" action="/explore" method="get" role="search">
        <label class="unseen" for="header-search">
          Search all collected posts and links
        </label>
        <Icon name="search" />
        <input id="header-search" type="search" name="q" placeholder="Search" data-find="" />
      </form>
    </div>
  );
}

function Footer() {
  const { zone, visitor, address } = useFrame();
  const isOpen = visitor.kind === 'nobody' || visitor.kind === 'shared';
  return (
    <footer class="foot">
      <p>
        strandline <span class="version">{isOpen ? '' : VERSION}</span>
      </p>
      <p>
        Times in <strong>{zone}</strong>
      </p>
      <p class="foot-links">
        {isShareable(address) ? (
          <IfAllowed scope="admin">
            <a href={writeShareForm(address)}>Share</a>
          </IfAllowed>
        ) : null}
        {/* The address of a shared page is a secret. */}
        {/^\/(?:views|shared)(?:[/?]|$)/.test(address) ? null : (
          <IfAllowed scope="write">
            <a href={`/views/new?${new URLSearchParams({ address }).toString()}`}>Save view</a>
          </IfAllowed>
        )}
        {visitor.kind === 'shared' ? null : <a href="/docs">API</a>}
        <button type="button" class="quiet" data-theme-switch="" hidden>
          <Icon name="sun" /> Theme
        </button>
        <button type="button" class="quiet" data-keys-help="" hidden>
          <Icon name="keys" /> Keys
        </button>
        {visitor.kind === 'session' ? (
          <ActionButton action="/sign-out" words="Sign out" kind="quiet" />
        ) : null}
      </p>
    </footer>
  );
}

function buildEventsUrl(live: LayoutProps['live']): string | undefined {
  if (live === false || live === undefined) return undefined;
  const search = live === true ? '' : new URLSearchParams(live).toString();
  return `/api/v1/events${search === '' ? '' : `?${search}`}`;
}

function Logo() {
  return (
    <svg class="mark" viewBox="0 0 32 20" aria-hidden="true" focusable="false">
      <path d="M1 8c3.75-6 7.5-6 11.25 0s7.5 6 11.25 0C25.4 4.9 28 3.6 31 4.2" />
      <path class="mark-left" d="M5 15.5h0M13.5 17h0M21 15h0M27.5 12.5h0" />
    </svg>
  );
}
