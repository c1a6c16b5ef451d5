/** Which kind of data each table holds: pure. */

/** The first that fits decides. */
const KINDS: readonly (readonly [kind: string, tables: RegExp])[] = [
  ['raw answers', /^answers$/],
  ['counters over time', /^(?:post|author)_snapshots$/],
  ['posts and authors', /^(?:posts|authors)$/],
  ['full-text search', /^archive_/],
  ['runs and calls', /^(?:runs|calls|call_days|call_minutes|run_results|rejects|trials)$/],
  ['links', /^(?:links|link_addresses)$/],
  ['completions and claims', /^(?:completions|completion_claims|claims|key_items)$/],
  ['what is new', /^(?:discoveries|post_sightings|link_sightings|unseen|looks)$/],
  [
    'trends and growth',
    /^(?:volume|coverage|spikes|run_gains|search_days|search_tops|search_gains|post_gains|post_ages)/,
  ],
];

/** Bytes by kind, the most first; what is of no kind is the rest. */
export function kindsOf(
  tables: readonly { table: string; bytes: number }[],
): { kind: string; bytes: number }[] {
  const sums = new Map<string, number>();
  for (const { table, bytes } of tables) {
    const kind = KINDS.find(([, names]) => names.test(table))?.[0] ?? 'all else';
    sums.set(kind, (sums.get(kind) ?? 0) + bytes);
  }
  return [...sums].map(([kind, bytes]) => ({ kind, bytes })).sort((a, b) => b.bytes - a.bytes);
}
