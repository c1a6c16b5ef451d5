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
