const WHOLE = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const TENTH = new Intl.NumberFormat('en', { maximumFractionDigits: 1 });
const SHORT = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });
const USD = new Intl.NumberFormat('en', { style: 'currency', currency: 'USD', maximumFractionDigits: 4 });

/** A number in full; what is not known is said to be, for it is not zero. */
export function Count({ of, unit, least = false }: { of: number | null; unit?: string; least?: boolean }) {
  if (of === null) return <Unknown />;
  return (
    <data value={of} title={least ? 'at least so many: an answer was cut at its limit' : undefined}>
      {least ? '≥ ' : ''}
      {WHOLE.format(of)}
      {unit === undefined ? '' : ` ${unit}`}
    </data>
  );
}

/** The same, shortened where there is little room: 12.3K. */
export function Short({ of, least = false }: { of: number | null; least?: boolean }) {
  if (of === null) return <Unknown />;
  return (
    <data value={of} title={WHOLE.format(of)}>
      {least ? '≥ ' : ''}
      {SHORT.format(of)}
    </data>
  );
}

/** `2.1×`: how many times the usual; nothing is said where it is not known. */
export function Times({ of }: { of: number | null }) {
  if (of === null) return <span class="unknown">not known</span>;
  const kind = of >= 1.5 ? 'more' : of <= 0.67 ? 'less' : 'same';
  return (
    <data value={of} class={`times is-${kind}`}>
      {of < 10 ? TENTH.format(of) : WHOLE.format(of)}×
    </data>
  );
}

/**
 * Dollars; null is not told by the service, which is not free, except of those services that take nothing.
 * @param service whose price it is, by its name; left out, it is not known
 */
export function Usd({ of, service }: { of: number | null; service?: string | undefined }) {
  if (of === null && service !== undefined && !isPaid(service)) return <>nothing</>;
  if (of === null) return <span class="unknown">not told</span>;
  return <data value={of}>{USD.format(of)}</data>;
}

/** Whether a service, by its name, takes money for calls: one's own and the sandbox do not. */
export function isPaid(service: string): boolean {
  return service !== 'own' && service !== 'sandbox';
}

function Unknown() {
  return (
    <span class="unknown" title="not known, which is not zero">
      unknown
    </span>
  );
}

/** `1,234 posts`, `1 post` */
export function counted(n: number, one: string, many = `${one}s`): string {
  return `${TENTH.format(n)} ${n === 1 ? one : many}`;
}
