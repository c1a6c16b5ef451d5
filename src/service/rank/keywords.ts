/** The words of a prompt that say what is looked for. */

/** The words of a prompt that say most, best first, in lower case. */
export function keywordsOf(prompt: string): readonly string[] {
  return [...new Set(prompt.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [])];
}
