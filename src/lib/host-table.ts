/** Tables of hosts: rows for a host and its subdomains, found by its labels and not by searching the table. */

/** What may stand for `*` in `google.*`: `com`, `de`, `co.uk`, `com.br`. */
const COUNTRY = /^(?:com|[a-z]{2}|com?\.[a-z]{2})$/;

/** Rows of a table by host. */
type HostTable<Row> = {
  /** The rows of a host and of the hosts above it, nearest first, then those for every country. */
  find(host: string): Row[];
};

/** @param rows each with its host: `bbc.co.uk`, or `google.*` for a name under every country */
export function createHostTable<Row>(rows: readonly (readonly [host: string, row: Row])[]): HostTable<Row> {
  const known = new Map<string, Row[]>();
  for (const [host, row] of rows) {
    const list = known.get(host);
    if (list === undefined) known.set(host, [row]);
    else list.push(row);
  }
  return {
    find: (host) =>
      [host, ...listFamilies(host)]
        .flatMap((name) => listAbove(name))
        .flatMap((name) => known.get(name) ?? []),
  };
}

/** `news.google.*` of `news.google.co.uk`. */
function listFamilies(host: string): string[] {
  return listAbove(host)
    .filter((tail) => tail.length < host.length && COUNTRY.test(tail))
    .map((tail) => `${host.slice(0, -tail.length)}*`);
}

/** A host, and the hosts above it. */
function listAbove(host: string): string[] {
  const labels = host.split('.');
  return labels.map((_, i) => labels.slice(i).join('.'));
}
