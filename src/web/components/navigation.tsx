/** The places of the dashboard: four for what a person does, each with its parts. */
import { hasScopes, type Scope } from '../../monitor/access/visitor-scopes.ts';
import { useFrame } from './page-frame.tsx';
import { Tabs } from './section.tsx';

/** `key` follows `g`. */
type Part = { path: string; name: string; key: string; scope?: Scope };
type Place = { name: string; parts: readonly [Part, ...Part[]] };

const PLACES: readonly Place[] = [
  {
    name: 'Topics',
    parts: [
      { path: '/', name: 'Overview', key: 'o' },
      { path: '/compare', name: 'Compare', key: 'c' },
      { path: '/views', name: 'Saved views', key: 'v' },
      { path: '/shares', name: 'Shared pages', key: 'h' },
    ],
  },
  { name: 'Explore', parts: [{ path: '/explore', name: 'Explore', key: 'e' }] },
  {
    name: 'Alerts',
    parts: [
      { path: '/alerts', name: 'Rules and channels', key: 'a' },
      { path: '/digests', name: 'Digest', key: 'd' },
      { path: '/alerts/deliveries', name: 'Deliveries', key: 'm' },
      { path: '/alerts/feeds', name: 'Feeds', key: 'f' },
    ],
  },
  {
    name: 'Activity',
    parts: [
      { path: '/runs', name: 'Runs', key: 'r' },
      { path: '/runs/costs', name: 'Costs', key: 'p' },
      { path: '/system', name: 'System', key: 's' },
      { path: '/system/audit', name: 'Audit log', key: 'l', scope: 'admin' },
      { path: '/system/tokens', name: 'Tokens', key: 'k', scope: 'admin' },
    ],
  },
];

/** @param props.here path of the part that the page belongs to */
export function NavLinks({ here }: { here: string }) {
  const { visitor } = useFrame();
  return (
    <nav class="places" aria-label="Pages">
      {PLACES.map(({ name, parts }) => (
        <a
          href={parts[0].path}
          aria-current={parts.some(({ path }) => path === here) ? 'page' : undefined}
          data-key={parts[0].key}
        >
          {name}
        </a>
      ))}
      {/* For the keyboard; people see the parts of a place on its pages. */}
      {PLACES.flatMap(({ parts: [, ...others] }) =>
        others
          .filter(({ scope = [] }) => hasScopes(visitor, scope))
          .map(({ path, name, key }) => (
            <a href={path} data-key={key} hidden>
              {name}
            </a>
          )),
      )}
    </nav>
  );
}

/** The parts of the place that a page belongs to; nothing on the overview, and for a place without parts. */
export function PartTabs({ here }: { here: string }) {
  const { visitor } = useFrame();
  const place = PLACES.find(({ parts }) => parts.some(({ path }) => path === here));
  if (place === undefined || here === '/' || place.parts.length === 1) return null;
  return (
    <Tabs
      label={place.name}
      tabs={place.parts
        .filter(({ scope = [] }) => hasScopes(visitor, scope))
        .map(({ path, name }) => ({ href: path, words: name, here: path === here }))}
    />
  );
}
