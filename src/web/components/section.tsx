import type { Scope } from '../../monitor/access/visitor-scopes.ts';
import { type ListScope, writeScopePath } from './list-address.ts';
import { IfAllowed, useFrame } from './page-frame.tsx';
import { nameSearchOf, nameTopic } from './scope-names.tsx';
import { shortenText } from './untrusted-text.tsx';
import type { ComponentChildren } from 'preact';

export function Section({
  title,
  note,
  id,
  aside,
  live = false,
  held = false,
  quietTitle = false,
  children,
}: {
  title: ComponentChildren;
  /** One sentence: what is shown, unit, time range. */
  note?: ComponentChildren;
  /** Required if live. */
  id?: string;
  /** Next to the heading: tabs, or a link to more. */
  aside?: ComponentChildren;
  /** Updated in place on events. */
  live?: boolean;
  /** Updated on events only after a click, so that nothing moves while a person reads. */
  held?: boolean;
  /** The heading is for screen readers: what is beside it says the same. */
  quietTitle?: boolean;
  children: ComponentChildren;
}) {
  return (
    <section id={id} data-live={live || held ? id : undefined} data-held={held ? '' : undefined}>
      <div class="section-head">
        <h2 class={quietTitle ? 'unseen' : undefined}>{title}</h2>
        {aside}
      </div>
      {note === undefined ? null : <p class="note">{note}</p>}
      {children}
    </section>
  );
}

/** A section that is opened by its heading, and stays as it is when the page is updated. */
export function FoldedSection({
  title,
  id,
  open = false,
  children,
}: {
  title: ComponentChildren;
  id: string;
  /** Whether it begins unfolded. */
  open?: boolean;
  children: ComponentChildren;
}) {
  return (
    <section id={id} data-live={id} class="fold">
      <details open={open}>
        <summary>
          <h2>{title}</h2>
        </summary>
        <div>{children}</div>
      </details>
    </section>
  );
}

/** A link, and the scopes that it needs besides `read`. */
export type NextStep = { words: string; href: string; scope?: Scope | readonly Scope[] };

/** Says that there is nothing, and what to do, if the visitor may. */
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

/** A list of items, or what is said if there are none. */
export function Feed<Row>({
  rows,
  empty,
  todo,
  children,
}: {
  rows: readonly Row[];
  empty: string;
  todo?: NextStep | undefined;
  children: (row: Row) => ComponentChildren;
}) {
  if (rows.length === 0) return <EmptyState words={empty} {...(todo === undefined ? {} : { todo })} />;
  return (
    <ul class="feed">
      {rows.map((row) => (
        <li>{children(row)}</li>
      ))}
    </ul>
  );
}

/** The way to a page: links, and their names. */
export function Crumbs({ path }: { path: readonly (readonly [name: string, href: string])[] }) {
  return (
    <>
      {path.map(([name, href], i) => (
        <>
          {i === 0 ? '' : ' / '}
          <a href={href}>{name}</a>
        </>
      ))}
    </>
  );
}

/** The way to a topic or search. @param props.from the first link */
export function ScopeLinks({ scope, from = 'topic' }: { scope: ListScope; from?: 'overview' | 'topic' }) {
  const { topic, search } = scope;
  const frame = useFrame();
  return (
    <Crumbs
      path={[
        ...(from === 'overview' ? [['Overview', '/'] as const] : []),
        [shortenText(nameTopic(frame, topic)), writeScopePath({ topic })],
        ...(search === undefined
          ? []
          : [[nameSearchOf(frame, search, 'topic'), writeScopePath(scope)] as const]),
      ]}
    />
  );
}

/** Alternative views, each with its own address. */
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

/** Cursor pagination. */
export function Pager({
  first,
  next,
  words = 'Older',
}: {
  /** Link to the first page, unless it is shown. */
  first?: string | null;
  next: string | null;
  words?: string;
}) {
  if (next === null && (first ?? null) === null) return null;
  return (
    <nav class="pager" aria-label="Pagination">
      {(first ?? null) === null ? null : <a href={first ?? undefined}>First page</a>}
      {next === null ? (
        <span class="unknown">End of list</span>
      ) : (
        <a href={next} rel="next">{`${words} →`}</a>
      )}
    </nav>
  );
}
