import type { ComponentChildren } from 'preact';

export type Fact = readonly [name: string, value: ComponentChildren];

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
