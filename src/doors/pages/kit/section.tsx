import type { ComponentChildren } from 'preact';
import type { Scope } from '../../../monitor/access/scopes.ts';
import { May } from './may.tsx';

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
type Todo = { words: string; href: string; scope?: Scope | readonly Scope[] };

/** Nothing to see, and what to do about it, for those who may. */
export function Empty({ words, todo }: { words: string; todo?: Todo }) {
  return (
    <p class="empty">
      {words}{' '}
      {todo === undefined ? null : (
        <May scope={todo.scope ?? []}>
          <a href={todo.href}>{todo.words}</a>
        </May>
      )}
    </p>
  );
}
