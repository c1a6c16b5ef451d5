/** What differs between versions of posts and authors, for pages and the command line. */

/** A member of a version: its column, its label, and its value as shown; null: unknown. */
export type VersionMember<V> = {
  name: keyof V & string;
  label: string;
  show: (version: V) => string | null;
};

/** A member that differs, with its value as shown. */
export type VersionChange = { name: string; label: string; value: string | null };

const showList = (values: readonly string[] | null) => values && (values.join(', ') || 'none');
const showText = (text: string | null) => (text === '' ? 'none' : text);

export type PostVersion = {
  text: string;
  created_at: Date | null;
  lang: string | null;
  hashtags: string[] | null;
  mentions: string[] | null;
  urls: string[] | null;
  entities: unknown;
};

export const POST_VERSION_MEMBERS: readonly VersionMember<PostVersion>[] = [
  { name: 'text', label: 'Text', show: ({ text }) => text || null },
  { name: 'created_at', label: 'Published', show: ({ created_at: at }) => at && at.toISOString() },
  { name: 'lang', label: 'Language', show: ({ lang }) => lang },
  { name: 'hashtags', label: 'Hashtags', show: ({ hashtags }) => showList(hashtags) },
  { name: 'mentions', label: 'Mentions', show: ({ mentions }) => showList(mentions) },
  { name: 'urls', label: 'Links', show: ({ urls }) => showList(urls) },
  {
    name: 'entities',
    label: 'Entities',
    show: ({ entities }) => (entities === null ? null : JSON.stringify(entities)),
  },
];

export type AuthorVersion = {
  username: string | null;
  name: string | null;
  description: string | null;
  location: string | null;
  url: string | null;
};

export const AUTHOR_VERSION_MEMBERS: readonly VersionMember<AuthorVersion>[] = [
  { name: 'username', label: 'Handle', show: ({ username }) => username && `@${username}` },
  { name: 'name', label: 'Name', show: ({ name }) => name },
  { name: 'description', label: 'Profile text', show: ({ description }) => showText(description) },
  { name: 'location', label: 'Location', show: ({ location }) => showText(location) },
  { name: 'url', label: 'URL', show: ({ url }) => showText(url) },
];

/**
 * Each version with the members that differ from the one before; with those that are known, the first one.
 * @param versions oldest first
 */
export function compareVersions<V>(
  versions: readonly V[],
  members: readonly VersionMember<V>[],
): { version: V; changes: VersionChange[] }[] {
  return versions.map((version, i) => {
    const before = versions[i - 1];
    const changes = members.flatMap(({ name, label, show }) => {
      const value = show(version);
      return (before === undefined ? null : show(before)) === value ? [] : [{ name, label, value }];
    });
    return { version, changes };
  });
}

/** Versions with the names of the members that differ from the one before. @param versions oldest first */
export function nameChanges<V extends object>(versions: readonly V[], members: readonly VersionMember<V>[]) {
  return compareVersions(versions, members).map(({ version, changes }) => ({
    ...version,
    changed: changes.map(({ name }) => name),
  }));
}
