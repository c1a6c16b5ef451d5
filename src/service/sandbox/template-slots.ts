/** Sentences with slots, such as {place}. */

/** Templates, cut at their slots; as many as this folder has. */
const cut = new Map<string, readonly string[]>();

/** Fills the slots of a template of this folder. */
export function fillSlots(template: string, fill: (slot: string) => string): string {
  let parts = cut.get(template);
  // What stands at odd places is the name of a slot.
  if (parts === undefined) cut.set(template, (parts = template.split(/\{(\w+)\}/)));
  let text = '';
  for (let i = 0; i < parts.length; i += 1) text += i % 2 === 0 ? parts[i] : fill(parts[i] ?? '');
  return text;
}
