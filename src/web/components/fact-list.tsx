import type { ComponentChildren } from 'preact';

/** Numbers that stand side by side. */
export function Stats({ children, label }: { children: ComponentChildren; label: string }) {
  return (
    <dl class="stats" aria-label={label}>
      {children}
    </dl>
  );
}

/** One number that is seen first, with its unit and what is usual. */
export function Stat({
  name,
  value,
  unit,
  note,
  loud = false,
}: {
  name: string;
  value: ComponentChildren;
  unit?: ComponentChildren;
  /** What is usual, or what the number leaves out. */
  note?: ComponentChildren;
  /** It asks to be looked at. */
  loud?: boolean;
}) {
  return (
    <div class={loud ? 'stat loud' : 'stat'}>
      <dt>{name}</dt>
      <dd>
        <span class="big">{value}</span>
        {unit === undefined ? null : <span class="unit"> {unit}</span>}
        {note === undefined ? null : <span class="stat-note">{note}</span>}
      </dd>
    </div>
  );
}

type Fact = readonly [name: string, value: ComponentChildren];

/** What is known of one thing: names and values; those without a value are left out. */
export function Facts({ label, facts }: { label: string; facts: readonly Fact[] }) {
  return (
    <dl class="facts" aria-label={label}>
      {facts
        .filter(([, value]) => value !== null && value !== undefined && value !== '')
        .map(([name, value]) => (
          <>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </>
        ))}
    </dl>
  );
}
