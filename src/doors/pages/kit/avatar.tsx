const HUES = 6;

/** A letter in the place of a picture: pictures of others are not loaded. */
export function Avatar({ name }: { name: string | null }) {
  const letters = (name ?? '').replace(/^@/, '').trim();
  const [first = '?'] = letters.toWellFormed();
  let sum = 0;
  for (const sign of letters) sum = (sum * 31 + (sign.codePointAt(0) ?? 0)) % 9_973;
  return (
    <span class={`avatar hue-${sum % HUES}`} aria-hidden="true">
      {first.toUpperCase()}
    </span>
  );
}
