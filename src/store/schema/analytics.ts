/**
 * The SQL contract's views, declared for reads. Each row is exactly what an analyst sees: the members of a
 * row are the columns of its view, in the view's order. The views themselves are made by migrations.
 */
import {
  bigint,
  boolean,
  doublePrecision,
  integer,
  jsonb,
  numeric,
  pgSchema,
  text,
} from 'drizzle-orm/pg-core';
import type { RunCode } from '../../errors.ts';
import type { DeliveryCode } from '../tell/codes.ts';
import type { ClaimRole } from '../../monitor/read/findings.ts';
import type { ServiceKind } from '../services.ts';
import { counter, instant, ref } from './schema.ts';

const analytics = pgSchema('strandline_analytics');

/** How unusual is worth a spike. */
export const SENSITIVITIES = ['low', 'normal', 'high', 'off'] as const;
export type Sensitivity = (typeof SENSITIVITIES)[number];

/** Only an active search is run; a capped one is due again when the day is over. */
export const SEARCH_STATES = ['active', 'paused', 'broken', 'capped'] as const;
export type SearchState = (typeof SEARCH_STATES)[number];

const id = () => ref().notNull();
/** A number of rows. */
const tally = () => bigint({ mode: 'number' });
const usd = () => numeric({ mode: 'number' });

/** Which contract this is; raised by a migration whenever a view changes, see docs/sql.md. */
export const contractView = analytics
  .view('contract', { version: text().notNull(), major: integer().notNull(), minor: integer().notNull() })
  .existing();

export const contractColumnsView = analytics
  .view('contract_columns', {
    view: text().notNull(),
    position: integer().notNull(),
    name: text().notNull(),
    type: text().notNull(),
    meaning: text().notNull(),
    view_meaning: text().notNull(),
  })
  .existing();

export const topicsView = analytics
  .view('topics', {
    id: id(),
    slug: text().notNull(),
    name: text().notNull(),
    sample: boolean().notNull(),
    created_at: instant().notNull(),
    archived_at: instant(),
    searches: tally().notNull(),
  })
  .existing();

export const searchesView = analytics
  .view('searches', {
    id: id(),
    slug: text().notNull(),
    topic_id: id(),
    topic: text().notNull(),
    service: text().notNull(),
    service_kind: text().$type<ServiceKind>().notNull(),
    operation: text().$type<'ai' | 'microblog'>().notNull(),
    version: integer().notNull(),
    request_version: integer().notNull(),
    prompt: text().notNull(),
    tools: text().array().notNull(),
    model: text().notNull(),
    date_filter: text(),
    streaming: boolean().notNull(),
    extra: jsonb().notNull(),
    cron: text(),
    every_seconds: integer(),
    tz: text().notNull(),
    labels: text().array().notNull(),
    state: text().$type<SearchState>().notNull(),
    state_reason: text(),
    state_since: instant().notNull(),
    next_due_at: instant(),
    created_at: instant().notNull(),
    archived_at: instant(),
    sensitivity: text().$type<Sensitivity>().notNull(),
  })
  .existing();

export const searchVersionsView = analytics
  .view('search_versions', {
    search_id: id(),
    search: text().notNull(),
    topic: text().notNull(),
    version: integer().notNull(),
    request_version: integer().notNull(),
    created_at: instant().notNull(),
    prompt: text().notNull(),
    tools: text().array().notNull(),
    model: text().notNull(),
    date_filter: text(),
    streaming: boolean().notNull(),
    extra: jsonb().notNull(),
    cron: text(),
    every_seconds: integer(),
    tz: text().notNull(),
  })
  .existing();

export const searchStatesView = analytics
  .view('search_states', {
    search_id: id(),
    search: text().notNull(),
    topic: text().notNull(),
    state: text().$type<SearchState>().notNull(),
    reason: text(),
    began_at: instant().notNull(),
    ended_at: instant(),
    seconds: doublePrecision(),
  })
  .existing();

export const runsView = analytics
  .view('runs', {
    id: id(),
    search_id: id(),
    search: text().notNull(),
    topic: text().notNull(),
    version: integer().notNull(),
    request_version: integer().notNull(),
    trigger: text().$type<'schedule' | 'manual' | 'first'>().notNull(),
    slot_at: instant(),
    span_until: instant(),
    span_slots: integer(),
    status: text().$type<RunStatus>().notNull(),
    code: text().$type<RunCode>(),
    reason: text(),
    baseline: boolean().notNull(),
    items_seen: integer(),
    items_new: integer(),
    rejected: integer(),
    posts_seen: integer().notNull(),
    links_seen: integer().notNull(),
    calls: tally().notNull(),
    cost_usd: usd(),
    not_before: instant(),
    fence: integer().notNull(),
    worker: text(),
    created_at: instant().notNull(),
    started_at: instant(),
    ended_at: instant(),
    seconds: doublePrecision(),
  })
  .existing();

export const RUN_STATUSES = ['queued', 'running', 'succeeded', 'failed', 'skipped', 'cancelled'] as const;
export type RunStatus = (typeof RUN_STATUSES)[number];

export const callsView = analytics
  .view('calls', {
    run_id: id(),
    n: integer().notNull(),
    search_id: id(),
    search: text().notNull(),
    service: text().notNull(),
    state: text().notNull(),
    http_status: integer(),
    code: text().$type<RunCode>(),
    bytes: integer(),
    latency_ms: integer(),
    cost_usd: usd(),
    fence: integer().notNull(),
    sent_at: instant().notNull(),
    received_at: instant(),
  })
  .existing();

export const trialsView = analytics
  .view('trials', {
    id: id(),
    service: text().notNull(),
    operation: text().$type<'ai' | 'microblog'>().notNull(),
    prompt: text().notNull(),
    tools: text().array().notNull(),
    model: text().notNull(),
    date_filter: text(),
    streaming: boolean().notNull(),
    extra: jsonb().notNull(),
    state: text().notNull(),
    http_status: integer(),
    code: text().$type<RunCode>(),
    bytes: integer(),
    latency_ms: integer(),
    cost_usd: usd(),
    sent_at: instant().notNull(),
    received_at: instant(),
  })
  .existing();

export const rejectsView = analytics
  .view('rejects', {
    id: id(),
    run_id: id(),
    search_id: id(),
    search: text().notNull(),
    path: text().notNull(),
    code: text().notNull(),
    sample: text().notNull(),
    at: instant().notNull(),
  })
  .existing();

export const postsView = analytics
  .view('posts', {
    id: id(),
    external_id: text().notNull(),
    service: text().notNull(),
    author_id: ref(),
    author_username: text(),
    author_name: text(),
    text: text().notNull(),
    url: text(),
    created_at: instant(),
    lang: text(),
    reply_count: counter(),
    repost_count: counter(),
    like_count: counter(),
    view_count: counter(),
    quote_count: counter(),
    impression_count: counter(),
    bookmark_count: counter(),
    conversation_id: text(),
    in_reply_to_screen_name: text(),
    in_reply_to_status_id: text(),
    in_reply_to_user_id: text(),
    quoted_status_id: text(),
    reposted_status_id: text(),
    quote: text(),
    is_quote_post: boolean(),
    is_repost: boolean(),
    summary_description: text(),
    hashtags: text().array().notNull(),
    mentions: text().array().notNull(),
    urls: text().array().notNull(),
    media: jsonb().notNull(),
    entities: jsonb().notNull(),
    first_seen_at: instant().notNull(),
    observed_at: instant().notNull(),
  })
  .existing();

export const postEngagementView = analytics
  .view('post_engagement', {
    post_id: id(),
    observed_at: instant().notNull(),
    reply_count: counter(),
    repost_count: counter(),
    like_count: counter(),
    view_count: counter(),
    quote_count: counter(),
    impression_count: counter(),
    bookmark_count: counter(),
  })
  .existing();

export const authorsView = analytics
  .view('authors', {
    id: id(),
    external_id: text().notNull(),
    service: text().notNull(),
    username: text(),
    name: text(),
    url: text(),
    description: text(),
    location: text(),
    profile_image_url: text(),
    created_at: instant(),
    verified: boolean(),
    is_blue_verified: boolean(),
    can_dm: boolean(),
    can_media_tag: boolean(),
    followers_count: counter(),
    favourites_count: counter(),
    listed_count: counter(),
    media_count: counter(),
    statuses_count: counter(),
    first_seen_at: instant().notNull(),
    observed_at: instant().notNull(),
  })
  .existing();

export const authorSnapshotsView = analytics
  .view('author_snapshots', {
    author_id: id(),
    observed_at: instant().notNull(),
    followers_count: counter(),
    favourites_count: counter(),
    listed_count: counter(),
    media_count: counter(),
    statuses_count: counter(),
  })
  .existing();

export const postSightingsView = analytics
  .view('post_sightings', {
    search_id: id(),
    search: text().notNull(),
    post_id: id(),
    first_run_id: id(),
    first_seen_at: instant().notNull(),
    post_created_at: instant(),
  })
  .existing();

export const linksView = analytics
  .view('links', {
    id: id(),
    url: text().notNull(),
    site: text().notNull(),
    title: text(),
    snippet: text(),
    summary_description: text(),
    with_metadata: boolean(),
    published_at: instant(),
    first_seen_at: instant().notNull(),
    observed_at: instant().notNull(),
  })
  .existing();

export const linkSightingsView = analytics
  .view('link_sightings', {
    search_id: id(),
    search: text().notNull(),
    link_id: id(),
    first_run_id: id(),
    first_seen_at: instant().notNull(),
    source: text().notNull(),
  })
  .existing();

export const completionsView = analytics
  .view('completions', {
    id: id(),
    run_id: id(),
    search_id: id(),
    search: text().notNull(),
    observed_at: instant().notNull(),
    changed: boolean().notNull(),
    summary: text(),
    microblog_summary: text(),
    discussion_board_summary: text(),
    news_forum_summary: text(),
    text_chunks: text().array(),
    completion_links: ref().array().notNull(),
    search_completion_links: ref().array().notNull(),
    miner_link_scores: jsonb(),
    warnings: jsonb().notNull(),
    claims: integer(),
  })
  .existing();

export const keyItemsView = analytics
  .view('key_items', {
    completion_id: id(),
    run_id: id(),
    search_id: id(),
    list: text().notNull(),
    position: integer().notNull(),
    text: text().notNull(),
    url: text(),
    link_id: ref(),
  })
  .existing();

const discovery = {
  id: id(),
  at: instant().notNull(),
  kind: text().$type<'post' | 'link' | 'completion' | 'spike'>().notNull(),
  baseline: boolean().notNull(),
  search_id: id(),
  search: text().notNull(),
  topic: text().notNull(),
  run_id: id(),
  post_id: ref(),
  link_id: ref(),
  completion_id: ref(),
  text: text(),
  url: text(),
  author_username: text(),
  created_at: instant(),
  like_count: counter(),
  repost_count: counter(),
  reply_count: counter(),
  view_count: counter(),
  spike_id: ref(),
};
export const discoveriesView = analytics.view('discoveries', discovery).existing();
export const newTodayView = analytics.view('new_today', discovery).existing();

const { at, kind, baseline, search_id, search, topic } = discovery;
export const discoveryTimesView = analytics
  .view('discovery_times', { at, kind, baseline, search_id, search, topic })
  .existing();

export const coverageView = analytics
  .view('coverage', {
    run_id: id(),
    search_id: id(),
    search: text().notNull(),
    observed_from: instant().notNull(),
    observed_until: instant().notNull(),
    reached_from: instant().notNull(),
    cut: boolean().notNull(),
    every_seconds: integer().notNull(),
    posts: integer().notNull(),
  })
  .existing();

const buckets = {
  search_id: id(),
  search: text().notNull(),
  bucket_at: instant().notNull(),
  posts: tally().notNull(),
  coverage: doublePrecision().notNull(),
  lower_bound: boolean().notNull(),
};
export const volumeHourlyView = analytics.view('volume_hourly', buckets).existing();
export const volumeDailyView = analytics.view('volume_daily', buckets).existing();

export const spikesView = analytics
  .view('spikes', {
    id: id(),
    at: instant().notNull(),
    search_id: id(),
    search: text().notNull(),
    topic: text().notNull(),
    run_id: id(),
    measure: text().$type<'posts' | 'engagement'>().notNull(),
    window_start: instant().notNull(),
    window_end: instant().notNull(),
    sentence: text().notNull(),
    n: doublePrecision().notNull(),
    lower_bound: boolean().notNull(),
    coverage: doublePrecision().notNull(),
    usual: doublePrecision().notNull(),
    ratio: doublePrecision(),
    mean: doublePrecision().notNull(),
    sd: doublePrecision().notNull(),
    score: doublePrecision().notNull(),
    threshold: doublePrecision().notNull(),
    sensitivity: text().$type<Sensitivity>().notNull(),
    days: integer().notNull(),
    windows: integer().notNull(),
    provisional: boolean().notNull(),
    tz: text().notNull(),
    top_post_id: ref(),
    top_share: doublePrecision(),
    weekday_usual: doublePrecision(),
  })
  .existing();

/** What a claim cites; `cited_returned` is null where that is nothing that is known. */
const cited = {
  cited_links: ref().array().notNull(),
  cited_urls: text().array().notNull(),
  cited_returned: boolean(),
  not_returned: ref().array().notNull(),
  unresolved: integer().array().notNull(),
};

export const claimsView = analytics
  .view('claims', {
    id: id(),
    search_id: id(),
    search: text().notNull(),
    role: text().$type<ClaimRole>().notNull(),
    text: text().notNull(),
    first_run_id: id(),
    first_seen_at: instant().notNull(),
    last_run_id: id(),
    last_seen_at: instant().notNull(),
    runs_seen: tally().notNull(),
    current: boolean().notNull(),
    ...cited,
  })
  .existing();

export const completionClaimsView = analytics
  .view('completion_claims', {
    completion_id: id(),
    run_id: id(),
    search_id: id(),
    search: text().notNull(),
    observed_at: instant().notNull(),
    role: text().$type<ClaimRole>().notNull(),
    position: integer().notNull(),
    claim_id: id(),
    text: text().notNull(),
    ...cited,
    new: boolean().notNull(),
  })
  .existing();

export const linkRanksView = analytics
  .view('link_ranks', {
    search_id: id(),
    search: text().notNull(),
    link_id: id(),
    url: text().notNull(),
    run_id: id(),
    observed_at: instant().notNull(),
    source: text().notNull(),
    rank: integer().notNull(),
    place: integer().notNull(),
  })
  .existing();

export const linkSourcesView = analytics
  .view('link_sources', {
    link_id: id(),
    url: text().notNull(),
    site: text().notNull(),
    search_id: id(),
    search: text().notNull(),
    service: text().notNull(),
    source: text().notNull(),
    first_run_id: id(),
    first_seen_at: instant().notNull(),
    baseline: boolean(),
    nth: integer().notNull(),
    searches: integer().notNull(),
    lead_seconds: doublePrecision(),
  })
  .existing();

export const postGrowthView = analytics
  .view('post_growth', {
    post_id: id(),
    service: text().notNull(),
    service_kind: text().$type<ServiceKind>().notNull(),
    author_id: ref(),
    author_username: text(),
    text: text().notNull(),
    url: text(),
    created_at: instant(),
    first_seen_at: instant().notNull(),
    last_seen_at: instant(),
    last_seen_by: text(),
    not_seen_since: instant(),
    changed_at: instant(),
    first_reply_count: counter(),
    reply_count: counter(),
    gained_reply_count: counter(),
    lost_reply_count: counter(),
    replies_fell: boolean().notNull(),
    first_repost_count: counter(),
    repost_count: counter(),
    gained_repost_count: counter(),
    lost_repost_count: counter(),
    reposts_fell: boolean().notNull(),
    first_like_count: counter(),
    like_count: counter(),
    gained_like_count: counter(),
    lost_like_count: counter(),
    likes_fell: boolean().notNull(),
    first_view_count: counter(),
    view_count: counter(),
    gained_view_count: counter(),
    lost_view_count: counter(),
    views_fell: boolean().notNull(),
    first_quote_count: counter(),
    quote_count: counter(),
    gained_quote_count: counter(),
    lost_quote_count: counter(),
    quotes_fell: boolean().notNull(),
    first_impression_count: counter(),
    impression_count: counter(),
    gained_impression_count: counter(),
    lost_impression_count: counter(),
    impressions_fell: boolean().notNull(),
    first_bookmark_count: counter(),
    bookmark_count: counter(),
    gained_bookmark_count: counter(),
    lost_bookmark_count: counter(),
    bookmarks_fell: boolean().notNull(),
    engagement: counter(),
    gained_engagement: counter(),
    likes_per_hour: doublePrecision(),
    engagement_per_hour: doublePrecision(),
    likes_per_hour_24h: doublePrecision(),
  })
  .existing();

export const typicalAtAgeView = analytics
  .view('typical_at_age', {
    search_id: id(),
    search: text().notNull(),
    topic: text().notNull(),
    service_kind: text().$type<ServiceKind>().notNull(),
    hours: integer().notNull(),
    posts: tally().notNull(),
    reply_count: doublePrecision(),
    repost_count: doublePrecision(),
    like_count: doublePrecision(),
    view_count: doublePrecision(),
    quote_count: doublePrecision(),
    impression_count: doublePrecision(),
    bookmark_count: doublePrecision(),
    engagement: doublePrecision(),
  })
  .existing();

export const postAtAgeView = analytics
  .view('post_at_age', {
    search_id: id(),
    search: text().notNull(),
    topic: text().notNull(),
    service_kind: text().$type<ServiceKind>().notNull(),
    post_id: id(),
    author_id: ref(),
    created_at: instant().notNull(),
    hours: integer().notNull(),
    reached_at: instant().notNull(),
    observed_before_at: instant().notNull(),
    observed_after_at: instant().notNull(),
    reply_count: doublePrecision(),
    repost_count: doublePrecision(),
    like_count: doublePrecision(),
    view_count: doublePrecision(),
    quote_count: doublePrecision(),
    impression_count: doublePrecision(),
    bookmark_count: doublePrecision(),
    engagement: doublePrecision(),
    compared_with: tally().notNull(),
    typical_like_count: doublePrecision(),
    typical_view_count: doublePrecision(),
    typical_engagement: doublePrecision(),
    like_ratio: doublePrecision(),
    view_ratio: doublePrecision(),
    engagement_ratio: doublePrecision(),
    author_compared_with: tally().notNull(),
    author_typical_engagement: doublePrecision(),
    author_engagement_ratio: doublePrecision(),
  })
  .existing();

export const searchGrowthHourlyView = analytics
  .view('search_growth_hourly', {
    search_id: id(),
    search: text().notNull(),
    topic: text().notNull(),
    service_kind: text().$type<ServiceKind>().notNull(),
    bucket_at: instant().notNull(),
    looks: integer().notNull(),
    followed: tally().notNull(),
    changes: tally().notNull(),
    coverage: doublePrecision().notNull(),
    gained_reply_count: counter(),
    lost_reply_count: counter(),
    gained_repost_count: counter(),
    lost_repost_count: counter(),
    gained_like_count: counter(),
    lost_like_count: counter(),
    gained_view_count: counter(),
    lost_view_count: counter(),
    gained_quote_count: counter(),
    lost_quote_count: counter(),
    gained_impression_count: counter(),
    lost_impression_count: counter(),
    gained_bookmark_count: counter(),
    lost_bookmark_count: counter(),
    gained_engagement: counter(),
  })
  .existing();

export const searchGrowthDailyView = analytics
  .view('search_growth_daily', {
    search_id: id(),
    search: text().notNull(),
    topic: text().notNull(),
    service_kind: text().$type<ServiceKind>().notNull(),
    bucket_at: instant().notNull(),
    looks: tally().notNull(),
    followed: tally().notNull(),
    changes: tally().notNull(),
    coverage: doublePrecision().notNull(),
    gained_reply_count: counter(),
    lost_reply_count: counter(),
    gained_repost_count: counter(),
    lost_repost_count: counter(),
    gained_like_count: counter(),
    lost_like_count: counter(),
    gained_view_count: counter(),
    lost_view_count: counter(),
    gained_quote_count: counter(),
    lost_quote_count: counter(),
    gained_impression_count: counter(),
    lost_impression_count: counter(),
    gained_bookmark_count: counter(),
    lost_bookmark_count: counter(),
    gained_engagement: counter(),
  })
  .existing();

export const risingPostsView = analytics
  .view('rising_posts', {
    search_id: id(),
    search: text().notNull(),
    topic: text().notNull(),
    service_kind: text().$type<ServiceKind>().notNull(),
    post_id: id(),
    author_id: ref(),
    author_username: text(),
    text: text().notNull(),
    url: text(),
    created_at: instant(),
    as_of: instant().notNull(),
    age_hours: doublePrecision(),
    gained_engagement: counter().notNull(),
    observed_hours: doublePrecision().notNull(),
    per_hour: doublePrecision().notNull(),
    typical_per_hour: doublePrecision(),
    compared_with: tally(),
    ahead_per_hour: doublePrecision(),
    ratio: doublePrecision(),
    like_count: counter(),
    repost_count: counter(),
    reply_count: counter(),
    quote_count: counter(),
    view_count: counter(),
  })
  .existing();

export const shareOfVoiceView = analytics
  .view('share_of_voice', {
    topic_id: id(),
    topic: text().notNull(),
    service_kind: text().$type<ServiceKind>().notNull(),
    bucket_at: instant().notNull(),
    posts: tally().notNull(),
    reposts: tally().notNull(),
    searches: tally().notNull(),
    coverage: doublePrecision().notNull(),
    lower_bound: boolean().notNull(),
    normalised_posts: doublePrecision(),
    share: doublePrecision(),
    topics: tally().notNull(),
  })
  .existing();

export const topAuthorsView = analytics
  .view('top_authors', {
    search_id: id(),
    search: text().notNull(),
    topic: text().notNull(),
    service_kind: text().$type<ServiceKind>().notNull(),
    bucket_at: instant().notNull(),
    author_id: id(),
    author_username: text(),
    author_name: text(),
    followers_count: counter(),
    posts: integer().notNull(),
    topic_posts: integer().notNull(),
  })
  .existing();

export const topHashtagsView = analytics
  .view('top_hashtags', {
    search_id: id(),
    search: text().notNull(),
    topic: text().notNull(),
    service_kind: text().$type<ServiceKind>().notNull(),
    bucket_at: instant().notNull(),
    hashtag: text().notNull(),
    posts: integer().notNull(),
    topic_posts: integer().notNull(),
  })
  .existing();

export const topLanguagesView = analytics
  .view('top_languages', {
    search_id: id(),
    search: text().notNull(),
    topic: text().notNull(),
    service_kind: text().$type<ServiceKind>().notNull(),
    bucket_at: instant().notNull(),
    lang: text().notNull(),
    posts: integer().notNull(),
    topic_posts: integer().notNull(),
  })
  .existing();

export const topDomainsView = analytics
  .view('top_domains', {
    search_id: id(),
    search: text().notNull(),
    topic: text().notNull(),
    service_kind: text().$type<ServiceKind>().notNull(),
    bucket_at: instant().notNull(),
    domain: text().notNull(),
    posts: tally().notNull(),
    topic_posts: tally().notNull(),
    links: tally().notNull(),
    topic_links: tally().notNull(),
  })
  .existing();

export const risingHashtagsView = analytics
  .view('rising_hashtags', {
    topic_id: id(),
    topic: text().notNull(),
    service_kind: text().$type<ServiceKind>().notNull(),
    search_id: ref(),
    search: text(),
    as_of: instant().notNull(),
    hashtag: text().notNull(),
    posts: tally().notNull(),
    posts_before: tally().notNull(),
    observed_days: doublePrecision().notNull(),
    observed_days_before: doublePrecision().notNull(),
    per_day: doublePrecision().notNull(),
    per_day_before: doublePrecision().notNull(),
    ratio: doublePrecision(),
    score: doublePrecision().notNull(),
  })
  .existing();

export const risingDomainsView = analytics
  .view('rising_domains', {
    topic_id: id(),
    topic: text().notNull(),
    service_kind: text().$type<ServiceKind>().notNull(),
    search_id: ref(),
    search: text(),
    as_of: instant().notNull(),
    domain: text().notNull(),
    posts: tally().notNull(),
    posts_before: tally().notNull(),
    observed_days: doublePrecision().notNull(),
    observed_days_before: doublePrecision().notNull(),
    per_day: doublePrecision().notNull(),
    per_day_before: doublePrecision().notNull(),
    ratio: doublePrecision(),
    score: doublePrecision().notNull(),
  })
  .existing();

export const searchPostGainsView = analytics
  .view('search_post_gains', {
    search_id: id(),
    search: text().notNull(),
    topic: text().notNull(),
    service_kind: text().$type<ServiceKind>().notNull(),
    post_id: id(),
    first_seen_at: instant().notNull(),
    changed_at: instant().notNull(),
    gained_like_count: counter(),
    gained_repost_count: counter(),
    gained_reply_count: counter(),
    gained_quote_count: counter(),
    gained_view_count: counter(),
    gained_engagement: counter(),
  })
  .existing();

export const unseenPostsView = analytics
  .view('unseen_posts', {
    search_id: id(),
    search: text().notNull(),
    topic: text().notNull(),
    service_kind: text().$type<ServiceKind>().notNull(),
    post_id: id(),
    not_seen_since: instant().notNull(),
    seen_elsewhere: boolean().notNull(),
    created_at: instant(),
    bucket_at: instant(),
    engagement: counter(),
  })
  .existing();

export const postsInSightView = analytics
  .view('posts_in_sight', {
    search_id: id(),
    search: text().notNull(),
    topic: text().notNull(),
    service_kind: text().$type<ServiceKind>().notNull(),
    post_id: id(),
    last_seen_at: instant().notNull(),
    created_at: instant(),
    engagement: counter(),
  })
  .existing();

export const RULE_KINDS = ['post', 'link', 'spike'] as const;
/** Of what a rule tells. */
export type RuleKind = (typeof RULE_KINDS)[number];
export const DELIVERY_STATES = ['gathering', 'pending', 'delivered', 'dead', 'cancelled'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];
export type ChannelState = 'active' | 'paused' | 'disabled';

export const rulesView = analytics
  .view('rules', {
    id: id(),
    slug: text().notNull(),
    name: text().notNull(),
    topic: text(),
    search: text(),
    kinds: text().$type<RuleKind>().array().notNull(),
    filter: text().notNull(),
    cooldown_seconds: integer().notNull(),
    channels: text().array().notNull(),
    state: text().$type<'active' | 'paused'>().notNull(),
    state_since: instant().notNull(),
    last_made_at: instant(),
    created_at: instant().notNull(),
    archived_at: instant(),
  })
  .existing();

export const channelsView = analytics
  .view('channels', {
    id: id(),
    slug: text().notNull(),
    kind: text().$type<'webhook'>().notNull(),
    host: text().notNull(),
    state: text().$type<ChannelState>().notNull(),
    state_reason: text(),
    state_since: instant().notNull(),
    rules: tally().notNull(),
    judged_discovery_id: id(),
    waiting: tally().notNull(),
    dead: tally().notNull(),
    failures: integer().notNull(),
    failing_since: instant(),
    resting_until: instant(),
    last_delivered_at: instant(),
    rotating_until: instant(),
    created_at: instant().notNull(),
    archived_at: instant(),
  })
  .existing();

export const deliveriesView = analytics
  .view('deliveries', {
    id: id(),
    message_id: text().notNull(),
    channel: text().notNull(),
    rule: text().notNull(),
    run_id: ref(),
    state: text().$type<DeliveryState>().notNull(),
    reason: text(),
    discoveries: tally().notNull(),
    bytes: integer(),
    created_at: instant().notNull(),
    made_at: instant(),
    next_attempt_at: instant(),
    attempts: integer().notNull(),
    last_attempt_at: instant(),
    delivered_at: instant(),
    http_status: integer(),
    code: text().$type<DeliveryCode>(),
  })
  .existing();
