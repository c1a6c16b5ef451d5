import type { ComponentChildren } from 'preact';

/** A part of a page under its own heading. */
export function Section({
  title,
  note,
  id,
  children,
}: {
  title: string;
  /** One sentence that says what is seen here, with its unit and its span. */
  note?: ComponentChildren;
  id?: string;
  children: ComponentChildren;
}) {
  return (
    <section id={id}>
      <h2>{title}</h2>
      {note === undefined ? null : <p class="note">{note}</p>}
      {children}
    </section>
  );
}

/** Nothing to see, and what to do about it. */
export function Empty({ words, todo }: { words: string; todo?: { words: string; href: string } }) {
  return (
    <p class="empty">
      {words} {todo === undefined ? null : <a href={todo.href}>{todo.words}</a>}
    </p>
  );
}
