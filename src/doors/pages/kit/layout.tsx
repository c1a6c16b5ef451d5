import type { ComponentChildren } from 'preact';
import { VERSION } from '../../../version.ts';
import { assetAt } from './assets.ts';
import { Done } from './done.tsx';
import { useFrame } from './frame.ts';
import { Icon } from './icon.tsx';
import { Mark } from './mark.tsx';
import { May, WATCHES } from './may.tsx';
import { Outside, plainText } from './outside.tsx';
import { Act } from './form.tsx';

/** Where one can go from everywhere, with the key that goes there after `g`. */
const PLACES: readonly (readonly [path: string, name: string, key: string])[] = [
  ['/', 'Overview', 'o'],
  ['/compare', 'Compare', 'c'],
  ['/explore', 'Explore', 'e'],
  ['/runs', 'Runs', 'r'],
  ['/alerts', 'Alerts', 'a'],
  ['/system', 'System', 's'],
];

/** The mark once more, for the window's tab. */
const ICON =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32' fill='none' stroke-linecap='round'%3E%3Cpath d='M2 13c4-6 8-6 12 0s8 6 12 0c1.3-2 2.6-3.3 4-4' stroke='%2312728a' stroke-width='3.5'/%3E%3Cpath d='M7 23h0M16 25h0M25 22h0' stroke='%23c03f2b' stroke-width='4.5'/%3E%3C/svg%3E";

export type LayoutProps = {
  /** May be text of somebody else. */
  title: string;
  here: string;
  /** Beside the title: buttons, or what state the thing is in. */
  aside?: ComponentChildren;
  /** Above the title: where in the whole this is. */
  above?: ComponentChildren;
  /** One line below the title. */
  lead?: ComponentChildren;
  charts?: boolean;
  live?: { topic?: string; search?: string } | boolean;
  body: ComponentChildren;
};

export function Layout({ title, here, aside, above, lead, charts = false, live = false, body }: LayoutProps) {
  const { theme, zone, seen, visitor, done } = useFrame();
  const reader = visitor.kind !== 'nobody';
  return (
    <html lang="en" data-theme={theme ?? undefined}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="referrer" content="same-origin" />
        <title>{`${plainText(title)} · strandline`}</title>
        <link rel="icon" href={ICON} />
        <link rel="stylesheet" href={assetAt('style.css')} />
        {charts ? <link rel="stylesheet" href={assetAt('uplot.css')} /> : null}
        {charts ? <script src={assetAt('uplot.js')} defer /> : null}
        <script src={assetAt('strandline.js')} type="module" />
      </head>
      <body data-zone={zone} data-events={eventsOf(live)} data-seen={String(seen)}>
        <a class="skip" href="#main">
          Skip to what this page says
        </a>
        <header class="top">
          <div class="top-row">
            <a class="brand" href="/" aria-label="strandline, to the overview">
              <Mark />
              <span>strandline</span>
            </a>
            {reader ? <Places here={here} /> : null}
            {reader ? <Tools /> : null}
          </div>
          <div class="tide" aria-hidden="true" />
        </header>
        <main id="main" tabIndex={-1}>
          <div class="page-head">
            <div>
              {above === undefined ? null : <p class="above">{above}</p>}
              <h1>
                <Outside text={title} />
              </h1>
              {lead === undefined ? null : <p class="lead">{lead}</p>}
            </div>
            {aside === undefined ? null : <div class="aside">{aside}</div>}
          </div>
          <Done code={done} />
          {body}
        </main>
        <Foot />
      </body>
    </html>
  );
}

function Places({ here }: { here: string }) {
  return (
    <nav class="places" aria-label="Pages">
      {PLACES.map(([path, name, key]) => (
        <a href={path} aria-current={path === here ? 'page' : undefined} data-key={key}>
          {name}
        </a>
      ))}
    </nav>
  );
}

/** The topic switcher, the search, and the way to a new topic. */
function Tools() {
  const { topics } = useFrame();
  return (
    <div class="tools">
      <details class="menu">
        <summary>Topics</summary>
        <nav class="menu-list" aria-label="Topics">
          {topics.map(({ slug, name }) => (
            <a href={`/topics/${slug}`}>{name}</a>
          ))}
          <May scope={WATCHES}>
            <a class="menu-last" href="/new">
              <Icon name="plus" /> New topic
            </a>
          </May>
        </nav>
      </details>
      <form class="find" action="/explore" method="get" role="search">
        <label class="unseen" for="find">
          Search everything that was collected
        </label>
        <Icon name="search" />
        <input id="find" type="search" name="q" placeholder="Search" data-find="" />
      </form>
    </div>
  );
}

function Foot() {
  const { zone, visitor } = useFrame();
  return (
    <footer class="foot">
      <p>
        strandline <span class="version">{visitor.kind === 'nobody' ? '' : VERSION}</span>
      </p>
      <p>
        Times in <strong>{zone}</strong>
      </p>
      <p class="foot-links">
        <a href="/docs">API</a>
        <button type="button" class="quiet" data-theme-switch="" hidden>
          <Icon name="sun" /> Theme
        </button>
        <button type="button" class="quiet" data-keys-help="" hidden>
          <Icon name="keys" /> Keys
        </button>
        {visitor.kind === 'session' ? <Act action="/sign-out" words="Sign out" kind="quiet" /> : null}
      </p>
    </footer>
  );
}

function eventsOf(live: LayoutProps['live']): string | undefined {
  if (live === false || live === undefined) return undefined;
  const asked = live === true ? '' : new URLSearchParams(live).toString();
  return `/api/v1/events${asked === '' ? '' : `?${asked}`}`;
}
