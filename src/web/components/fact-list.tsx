import type { ComponentChildren } from 'preact';

export function Stats({ children, label }: { children: ComponentChildren; label: string }) {
  return (
    <dl class="stats" aria-label={label}>
      {children}
    </dl>
  );
}

/** A key figure with its context. */
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
  /** Context: the typical value, or what the number leaves out. */
  note?: ComponentChildren;
  /** Needs attention. */
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

/** Names and values; facts without a value are left out. */
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
