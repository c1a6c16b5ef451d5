/**
 * What a text comes to, remembered: searches ask again and again, and most of what they find is what they
 * found before. Only for pure functions; the oldest are forgotten.
 * @param most how many texts; `longest`: a longer one is not kept, so that memory is bounded by their product
 */
export function remembered<T>(
  { most, longest }: { most: number; longest: number },
  make: (text: string) => T,
): (text: string) => T {
  const known = new Map<string, T>();
  return (text) => {
    if (text.length > longest) return make(text);
    const found = known.get(text);
    if (found !== undefined) return found;
    const made = make(text);
    const [oldest] = known.size < most ? [] : known.keys();
    if (oldest !== undefined) known.delete(oldest);
    known.set(text, made);
    return made;
  };
}
