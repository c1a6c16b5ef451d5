import type { ComponentChildren } from 'preact';
import type { Visitor } from '../../../monitor/access/scopes.ts';

/** Where one can go from everywhere. */
const PLACES: readonly (readonly [path: string, name: string])[] = [
  ['/', 'Overview'],
  ['/compare', 'Compare'],
  ['/explore', 'Explore'],
  ['/runs', 'Runs'],
  ['/alerts', 'Alerts'],
  ['/system', 'System'],
];

export function Layout({
  title,
  here,
  body,
}: {
  title: string;
  here: string;
  body: ComponentChildren;
  visitor: Visitor;
}) {
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>{`${title} · strandline`}</title>
        <link rel="stylesheet" href="/assets/style.css" />
        <script src="/assets/strandline.js" type="module" />
      </head>
      <body>
        <a class="skip" href="#main">
          Skip to what this page says
        </a>
        <header>
          <nav aria-label="Pages">
            {PLACES.map(([path, name]) => (
              <a href={path} aria-current={path === here ? 'page' : undefined}>
                {name}
              </a>
            ))}
          </nav>
        </header>
        <main id="main">
          <h1>{title}</h1>
          {body}
        </main>
      </body>
    </html>
  );
}
