const WHOLE = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const SHORT = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });

/** A number in full; what is not known is said to be, for it is not zero. */
export function Count({ of, unit, least = false }: { of: number | null; unit?: string; least?: boolean }) {
  if (of === null)
    return (
      <span class="unknown" title="not known, which is not zero">
        unknown
      </span>
    );
  return (
    <data value={of} title={least ? 'at least so many: an answer was cut at its limit' : undefined}>
      {least ? '≥ ' : ''}
      {WHOLE.format(of)}
      {unit === undefined ? '' : ` ${unit}`}
    </data>
  );
}

/** The same, shortened where there is little room: 12.3K. */
export function Short({ of }: { of: number | null }) {
  if (of === null) return <Count of={null} />;
  return (
    <data value={of} title={WHOLE.format(of)}>
      {SHORT.format(of)}
    </data>
  );
}
