/** All operations by subject, each loaded when it is needed: a command without a server loads only its own. */
import type { AnyOperation } from '../monitor/operation.ts';

// biome-ignore format: one line for each
export const SUBJECTS = {
  topics: async () => (await import('../monitor/topics/topic-operations.ts')).TOPIC_OPERATIONS,
  states: async () => (await import('../monitor/topics/state-operations.ts')).STATE_OPERATIONS,
  purge: async () => (await import('../monitor/topics/purge-operations.ts')).PURGE_OPERATIONS,
  sources: async () => (await import('../monitor/sources/source-operations.ts')).SOURCE_OPERATIONS,
  notes: async () => (await import('../monitor/notes/note-operations.ts')).NOTE_OPERATIONS,
  goals: async () => (await import('../monitor/goals/goal-operations.ts')).GOAL_OPERATIONS,
  names: async () => (await import('../monitor/names/name-operations.ts')).NAME_OPERATIONS,
  status: async () => (await import('../monitor/status/status-operations.ts')).STATUS_OPERATIONS,
  runs: async () => (await import('../monitor/runs/run-operations.ts')).RUN_OPERATIONS,
  find: async () => (await import('../monitor/items/find-operations.ts')).FIND_OPERATIONS,
  trends: async () => (await import('../monitor/trends/volume-operations.ts')).VOLUME_OPERATIONS,
  emerging: async () => (await import('../monitor/trends/emerging-operations.ts')).EMERGING_OPERATIONS,
  rebuild: async () => (await import('../monitor/derive/rebuild-operations.ts')).REBUILD_OPERATIONS,
  growth: async () => (await import('../monitor/trends/growth-operations.ts')).GROWTH_OPERATIONS,
  rankings: async () => (await import('../monitor/trends/ranking-operations.ts')).RANKING_OPERATIONS,
  posts: async () => (await import('../monitor/items/post-operations.ts')).POST_OPERATIONS,
  topPosts: async () => [(await import('../monitor/items/post-operations.ts')).topPosts],
  authors: async () => (await import('../monitor/items/author-operations.ts')).AUTHOR_OPERATIONS,
  stories: async () => (await import('../monitor/items/story-operations.ts')).STORY_OPERATIONS,
  links: async () => (await import('../monitor/items/link-operations.ts')).LINK_OPERATIONS,
  evidence: async () => (await import('../monitor/items/evidence-operations.ts')).EVIDENCE_OPERATIONS,
  completions: async () => (await import('../monitor/items/completion-operations.ts')).COMPLETION_OPERATIONS,
  searches: async () => (await import('../monitor/topics/search-operations.ts')).SEARCH_OPERATIONS,
  discoveries: async () => (await import('../monitor/items/discovery-operations.ts')).DISCOVERY_OPERATIONS,
  firstView: async () => (await import('../monitor/items/first-view-operation.ts')).FIRST_VIEW_OPERATIONS,
  erase: async () => (await import('../monitor/erase/erase-operations.ts')).ERASE_OPERATIONS,
  mutes: async () => (await import('../monitor/alerts/mute-operations.ts')).MUTE_OPERATIONS,
  watchFile: async () => (await import('../monitor/watch-file/watch-file-operations.ts')).WATCH_FILE_OPERATIONS,
  rules: async () => (await import('../monitor/alerts/rule-operations.ts')).RULE_OPERATIONS,
  channels: async () => (await import('../monitor/alerts/channel-operations.ts')).CHANNEL_OPERATIONS,
  deliveries: async () => (await import('../monitor/alerts/delivery-operations.ts')).DELIVERY_OPERATIONS,
  feeds: async () => (await import('../monitor/feeds/feed-operations.ts')).FEED_OPERATIONS,
  digests: async () => (await import('../monitor/digests/digest-operations.ts')).DIGEST_OPERATIONS,
  dismissals: async () => (await import('../monitor/alerts/dismissal-operations.ts')).DISMISSAL_OPERATIONS,
  views: async () => (await import('../monitor/access/view-operations.ts')).VIEW_OPERATIONS,
  shares: async () => (await import('../monitor/access/share-operations.ts')).SHARE_OPERATIONS,
  tokens: async () => (await import('../monitor/access/token-operations.ts')).TOKEN_OPERATIONS,
  serviceKeys: async () => (await import('../monitor/access/token-operations.ts')).SERVICE_KEY_OPERATIONS,
  audit: async () => (await import('../monitor/access/audit-operations.ts')).AUDIT_OPERATIONS,
} satisfies Readonly<Record<string, () => Promise<readonly AnyOperation[]>>>;

export type Subject = keyof typeof SUBJECTS;

/** @throws Error if there is none */
export async function loadOperation(subject: Subject, id: string): Promise<AnyOperation> {
  const operations: readonly AnyOperation[] = await SUBJECTS[subject]();
  const operation = operations.find((each) => each.id === id);
  if (operation === undefined) throw new Error(`${subject} has no operation ${id}`);
  return operation;
}
