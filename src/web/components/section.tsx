import type { Scope } from '../../monitor/access/visitor-scopes.ts';
import { IfAllowed } from './page-frame.tsx';
import type { ComponentChildren } from 'preact';

/** A part of a page under its own heading. */
export function Section({
  title,
  note,
  id,
  aside,
  live = false,
  held = false,
  children,
}: {
  title: ComponentChildren;
  /** One sentence that says what is seen here, with its unit and its span. */
  note?: ComponentChildren;
  /** Needed where it is live. */
  id?: string;
  /** Beside the heading: tabs, or a link to more. */
  aside?: ComponentChildren;
  /** Follows events: what changed in it is put in its place. */
  live?: boolean;
  /** Live, but what is new is announced first, so that nothing moves under the eyes of who reads. */
  held?: boolean;
  children: ComponentChildren;
}) {
  return (
    <section id={id} data-live={live || held ? id : undefined} data-held={held ? '' : undefined}>
      <div class="section-head">
        <h2>{title}</h2>
        {aside}
      </div>
      {note === undefined ? null : <p class="note">{note}</p>}
      {children}
    </section>
  );
}

/** Where one can go on, and what one must be allowed for it: `read` where left out. */
type NextStep = { words: string; href: string; scope?: Scope | readonly Scope[] };

/** Nothing to see, and what to do about it, for those who may. */
export function EmptyState({ words, todo }: { words: string; todo?: NextStep }) {
  return (
    <p class="empty">
      {words}{' '}
      {todo === undefined ? null : (
        <IfAllowed scope={todo.scope ?? []}>
          <a href={todo.href}>{todo.words}</a>
        </IfAllowed>
      )}
    </p>
  );
}

/** Views of the same thing, each at its own address. */
export function Tabs({
  label,
  tabs,
}: {
  label: string;
  tabs: readonly { href: string; words: string; here: boolean }[];
}) {
  return (
    <nav class="tabs" aria-label={label}>
      {tabs.map(({ href, words, here }) => (
        <a href={href} aria-current={here ? 'true' : undefined}>
          {words}
        </a>
      ))}
    </nav>
  );
}

/** The way on through a list by its cursor; null where there is none. */
export function Pager({
  first,
  next,
  words = 'Older',
}: {
  /** Back to the begin, where one is not there. */
  first?: string | null;
  next: string | null;
  words?: string;
}) {
  if (next === null && (first ?? null) === null) return null;
  return (
    <nav class="pager" aria-label="Pages of this list">
      {(first ?? null) === null ? null : <a href={first ?? undefined}>To the first</a>}
      {next === null ? (
        <span class="unknown">That is all</span>
      ) : (
        <a href={next} rel="next">{`${words} →`}</a>
      )}
    </nav>
  );
}
