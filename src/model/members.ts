/**
 * What posts and authors say about themselves, except counters: the shape of parsed results, the columns of tables and
 * versions, and the save derive from these lists. To add a member: a line here, how `monitor/parse/` reads it, and the
 * column of the view that shows it.
 */

/** The value of each kind in parsed results; times are ISO strings in UTC. */
type Values = {
  text: string;
  time: string;
  boolean: boolean;
  texts: string[];
  /** Original JSON values, cleaned. */
  object: Record<string, unknown>;
  list: unknown[];
  range: [start: number, end: number];
};
export type MemberKind = keyof Values;
export type Members = Readonly<Record<string, MemberKind>>;

/** Values of members; null is unknown. */
export type Content<M extends Members> = { -readonly [Name in keyof M]: Values[M[Name]] | null };

/** In lists, empty is known to be empty. References are ids. */
export const POST_MEMBERS = {
  created_at: 'time',
  text: 'text',
  url: 'text',
  lang: 'text',
  conversation_id: 'text',
  in_reply_to_screen_name: 'text',
  in_reply_to_status_id: 'text',
  in_reply_to_user_id: 'text',
  quoted_status_id: 'text',
  reposted_status_id: 'text',
  /** The quoted text if `quote` is a string on the wire; a nested post becomes a separate post. */
  quote: 'text',
  summary_description: 'text',
  /** Start and end of the displayed text, in characters. */
  display_text_range: 'range',
  is_quote_post: 'boolean',
  is_repost: 'boolean',
  hashtags: 'texts',
  mentions: 'texts',
  /** Expanded addresses in the text, http and https only. */
  urls: 'texts',
  media: 'list',
  /** Null if it has no member: `{}` says nothing about any list. */
  entities: 'object',
} as const satisfies Members;

export const AUTHOR_MEMBERS = {
  created_at: 'time',
  username: 'text',
  name: 'text',
  /** Of `url`, `description` and `location`, empty is known to be empty. */
  url: 'text',
  description: 'text',
  location: 'text',
  profile_image_url: 'text',
  profile_banner_url: 'text',
  pinned_post_ids: 'texts',
  professional: 'object',
  /** The links in `url` and `description`, expanded. */
  entities: 'object',
  verified: 'boolean',
  is_blue_verified: 'boolean',
  can_dm: 'boolean',
  can_media_tag: 'boolean',
} as const satisfies Members;
