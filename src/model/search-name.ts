/** What a search is called where people read: by what it searches, and by its query if that is not enough. */

type NamedSearch = { operation: 'ai' | 'microblog'; prompt: string };

const KINDS = { ai: 'AI search', microblog: 'Posts' } as const;
const MAX_PROMPT = 40;

/** `AI search`, or `Posts “night trains”` beside another search of its kind. @param among the searches of its topic */
export function nameSearch(search: NamedSearch, among: readonly NamedSearch[]): string {
  const kind = KINDS[search.operation];
  if (among.filter(({ operation }) => operation === search.operation).length < 2) return kind;
  const prompt = search.prompt.toWellFormed();
  return `${kind} “${prompt.length > MAX_PROMPT ? `${prompt.slice(0, MAX_PROMPT).trimEnd()}…` : prompt}”`;
}
