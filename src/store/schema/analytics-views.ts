/**
 * Views of the SQL contract, as reads use them. Written by `npm run types` from a migrated database: names, types and comments
 * are those of `migrations/views/`; a column may be null if its comment says what null means. Closed lists of texts are named
 * in `test/house/contract/view-types.ts`.
 */

import { boolean, doublePrecision, integer, jsonb, numeric, pgSchema, text } from 'drizzle-orm/pg-core';
import type { Change } from '../../model/audit.ts';
import type { DistinctName } from '../../model/closed-lists.ts';
import { TIME_PRECISIONS } from '../../lib/time.ts';
import {
  CHANNEL_STATES,
  DELIVERY_CODE_NAMES,
  DELIVERY_STATES,
  RULE_STATES,
  STORED_RULE_KINDS,
  SYSTEM_EVENT_KINDS,
  SYSTEM_EVENT_OUTCOMES,
  WAIT_REASONS,
} from '../../model/alerts.ts';
import { ACTORS, AUDIT_ACTIONS } from '../../model/audit.ts';
import {
  BRIEF_KINDS,
  CALL_STATES,
  DISCOVERY_KINDS,
  NAME_CHANGES,
  NAME_SIDES,
  PAUSE_SCOPES,
  RUN_OUTCOMES,
  RUN_STATUSES,
  RUN_TRIGGERS,
  SEARCH_STATES,
  SEARCH_STATUSES,
  SENSITIVITIES,
  SERVICE_KINDS,
  SPIKE_CAUSES,
  SPIKE_MEASURES,
  SPIKE_REASONS,
  TRANSLATED_KINDS,
  TREND_REASONS,
} from '../../model/closed-lists.ts';
import {
  CLAIM_ROLES,
  DATE_FILTERS,
  INTERVAL_REASONS,
  KEY_LISTS,
  MODELS,
  OPERATIONS,
  SOURCES,
  TOOLS,
  TREND_STATES,
} from '../../model/enumerations.ts';
import { REJECT_CODES, RUN_CODE_NAMES } from '../../model/errors.ts';
import { TOOL_REASON_NAMES } from '../../model/tool-coverage.ts';
import { ANALYTICS } from '../../model/database-kind.ts';
import { counter, instant, ref } from './schema.ts';

/** Not exported: drizzle-kit reads this folder, and migrations create the tables' schema only. */
const analytics = pgSchema(ANALYTICS);

/**
 * Who created, changed or removed what, one row per change. Written in the transaction of the
 * change; kept for AUDIT_DAYS. About neither side: the same in both schemas. Secrets, keys and
 * addresses of webhooks are not here.
 */
export const auditLogView = analytics
  .view('audit_log', {
    /** Key of the entry. */
    id: ref().notNull(),
    /** When the entry was written (UTC), by the database's clock. */
    at: instant().notNull(),
    /**
     * Who changed it: token (a request with a token), session (a person who signed in with one), local
     * (somebody on this machine while no token existed), command_line, or program (strandline itself,
     * such as its sample topic).
     */
    actor: text({ enum: ACTORS }).notNull(),
    /** First eight characters of the token; null when none was used. */
    token: text(),
    /** Name of the token, account that ran the command, or component of the program; null for local. */
    name: text(),
    /** Kind of thing and change, such as topic.created or search.updated. */
    action: text({ enum: AUDIT_ACTIONS }).notNull(),
    /** Kind of thing: the part of the action before the dot. */
    kind: text().notNull(),
    /**
     * What was changed: slug of a topic, search, rule or channel; ID of a run, delivery or author;
     * first eight characters of a token or key; null when there is only one.
     */
    subject: text(),
    /**
     * Changed fields by name, with before and after where they had a value. Long values are truncated.
     * Empty when the action says everything.
     */
    changes: jsonb().$type<Readonly<Record<string, Change>>>().notNull(),
  })
  .existing();

/** Author counters over time. One row per author and change. */
export const authorSnapshotsView = analytics
  .view('author_snapshots', {
    /** The author. */
    author_id: ref().notNull(),
    /** When the counters were observed (UTC). */
    observed_at: instant().notNull(),
    /** Followers at that time; null when unknown, which is not zero. */
    followers_count: counter(),
    /** Posts liked at that time; null when unknown. */
    favourites_count: counter(),
    /** Lists that include the author at that time; null when unknown. */
    listed_count: counter(),
    /** Number of media posted at that time; null when unknown. */
    media_count: counter(),
    /** Posts written at that time; null when unknown. */
    statuses_count: counter(),
    /** Number of accounts that the author follows at that time; null when unknown. */
    followings_count: counter(),
  })
  .existing();

/**
 * Authors over time: one row whenever the handle, name, profile text, location or URL changed.
 * Authors who never changed have one row.
 */
export const authorVersionsView = analytics
  .view('author_versions', {
    /** The author. */
    author_id: ref().notNull(),
    /** When a response first showed this version (UTC). */
    valid_from: instant().notNull(),
    /** When a response first showed the next version (UTC); null for the current one. */
    valid_until: instant(),
    /** Run whose response first showed this version; null when stored before versions were kept. */
    run_id: ref(),
    /** Slug of the search of this run; null when unknown or deleted. */
    search: text(),
    /** Handle; null when unknown. */
    username: text(),
    /** Display name; null when unknown. */
    name: text(),
    /** Profile text; null when unknown, empty when the author has none. */
    description: text(),
    /** Location as entered by the author; null when unknown, empty when the author has none. */
    location: text(),
    /** Profile URL; null when unknown, empty when the author has none. */
    url: text(),
  })
  .existing();

/** Authors, with the latest known values. */
export const authorsView = analytics
  .view('authors', {
    /** Key of the author. */
    id: ref().notNull(),
    /** ID assigned by the service. */
    external_id: text().notNull(),
    /** Service that returned the item. */
    service: text().notNull(),
    /** Handle; null when the response did not include one. */
    username: text(),
    /** Display name; null when unknown. */
    name: text(),
    /** Profile URL; null when unknown, empty when the author has none. */
    url: text(),
    /** Profile text; null when unknown, empty when the author has none. */
    description: text(),
    /** Location as entered by the author; null when unknown, empty when the author has none. */
    location: text(),
    /** URL of the profile picture, never fetched; null when unknown. */
    profile_image_url: text(),
    /** When the account was created (UTC); null when unknown. */
    created_at: instant(),
    /** Whether the account is verified; null when unknown. */
    verified: boolean(),
    /** Whether a paid subscription verifies the account; null when unknown. */
    is_blue_verified: boolean(),
    /** Whether the account accepts direct messages; null when unknown. */
    can_dm: boolean(),
    /** Whether others can tag the account in media; null when unknown. */
    can_media_tag: boolean(),
    /** Followers when last observed; null when unknown, which is not zero. */
    followers_count: counter(),
    /** Posts liked when last observed; null when unknown. */
    favourites_count: counter(),
    /** Lists that include the author, when last observed; null when unknown. */
    listed_count: counter(),
    /** Number of media posted when last observed; null when unknown. */
    media_count: counter(),
    /** Posts written when last observed; null when unknown. */
    statuses_count: counter(),
    /** When first returned (UTC). */
    first_seen_at: instant().notNull(),
    /** When a value was last observed to change (UTC). */
    observed_at: instant().notNull(),
    /** Number of accounts that the author follows, when last observed; null when unknown. */
    followings_count: counter(),
    /** URL of the banner of the profile, never fetched; null when unknown. */
    profile_banner_url: text(),
    /** External IDs of the pinned posts; null when unknown. */
    pinned_post_ids: text().array(),
    /** Type and categories of a professional account, as returned; null when unknown. */
    professional: jsonb(),
    /** Links in the profile URL and text, expanded, as returned; null when unknown. */
    entities: jsonb(),
    /** Whether it is simulated: true in the database of the sandbox, false in any other. */
    simulated: boolean().notNull(),
  })
  .existing();

/**
 * Two or three sentences that a language model (`LLM_BASE_URL`) wrote of a digest, of a spike, or
 * of the last day of a topic, without those that their sources do not support. Of a topic only the
 * newest.
 */
export const briefsView = analytics
  .view('briefs', {
    /** Key. */
    id: ref().notNull(),
    /** What it is about: digest, spike or topic. */
    kind: text({ enum: BRIEF_KINDS }).notNull(),
    /** Digest; null of others. */
    digest_id: ref(),
    /** Spike; null of others. */
    spike_id: ref(),
    /** Topic, also of a spike; null of a digest. */
    topic_id: ref(),
    /** Slug of the topic; null of a digest. */
    topic: text(),
    /** The sentences, each followed by the numbers of its sources in brackets. */
    text: text().notNull(),
    /** Paths of the pages of the sources in the dashboard: the first is that of number 1. */
    pages: text().array().notNull(),
    /** The language model that wrote it. */
    model: text().notNull(),
    /** When it was written (UTC). */
    written_at: instant().notNull(),
  })
  .existing();

/**
 * The ledger: every call that was, or may have been, made. The row is committed before the request
 * is sent.
 */
export const callsView = analytics
  .view('calls', {
    /** The run. */
    run_id: ref().notNull(),
    /** Number of the call within its run, from 1. */
    n: integer().notNull(),
    /** The search. */
    search_id: ref().notNull(),
    /** Slug of the search. */
    search: text().notNull(),
    /** Service that was called. */
    service: text().notNull(),
    /** sent, received, failed or unknown (the process ended during the call; counts as paid). */
    state: text({ enum: CALL_STATES }).notNull(),
    /** HTTP status code of the response; null when there was none. */
    http_status: integer(),
    /** Error code; null unless the call failed. */
    code: text({ enum: RUN_CODE_NAMES }),
    /** Size of the decoded response in bytes; null when there was none. */
    bytes: integer(),
    /** Milliseconds from request to last byte; null when there was no response. */
    latency_ms: integer(),
    /** Cost in US dollars, as reported by the service; null when not reported. */
    cost_usd: numeric({ mode: 'number' }),
    /** Fence number of the lease under which the call was made, from 1. */
    fence: integer().notNull(),
    /** When the call was recorded, just before the request was sent (UTC). */
    sent_at: instant().notNull(),
    /**
     * When the response arrived or the call failed (UTC); null while the call is open, and when the
     * process ended first.
     */
    received_at: instant(),
  })
  .existing();

/**
 * Where alerts are sent. Addresses may contain secrets and are not exposed. Channels are of both
 * sides; their rules and messages are counted by side.
 */
export const channelsView = analytics
  .view('channels', {
    /** Key of the channel. */
    id: ref().notNull(),
    /** Short name. Unique among channels that are not removed. */
    slug: text().notNull(),
    /** How messages are sent, such as webhook. More kinds may be added. */
    kind: text().notNull(),
    /** Public part of the destination: for a webhook, the host and any explicit port. */
    host: text().notNull(),
    /** active, paused (by a person) or disabled (after failed deliveries). */
    state: text({ enum: CHANNEL_STATES }).notNull(),
    /** Why the channel is in this state; null when there is no reason to report. */
    state_reason: text(),
    /** When this state began (UTC). */
    state_since: instant().notNull(),
    /** Number of rules that send to this channel. */
    rules: counter().notNull(),
    /** Last discovery that rules were evaluated for. Does not advance while the channel is inactive. */
    judged_discovery_id: ref().notNull(),
    /** Number of messages that are being gathered or wait to be sent. */
    waiting: counter().notNull(),
    /** Number of messages that permanently failed. */
    dead: counter().notNull(),
    /** Number of failed attempts since the last success. */
    failures: integer().notNull(),
    /** When the first of those attempts failed (UTC); null while attempts succeed. */
    failing_since: instant(),
    /** Nothing is sent before this time because of those failures (UTC); null while attempts succeed. */
    resting_until: instant(),
    /** When a message was last delivered (UTC); null before the first delivery. */
    last_delivered_at: instant(),
    /**
     * Until when messages are also signed with the previous secret (UTC); null if the secret was never
     * rotated.
     */
    rotating_until: instant(),
    /** When it was created (UTC). */
    created_at: instant().notNull(),
    /** When it was removed (UTC); null unless removed. */
    archived_at: instant(),
  })
  .existing();

/**
 * Statements of completions, one row per search and text, with first and last occurrence.
 * Statements that differ only in case or white space are one claim; any other wording is another
 * claim.
 */
export const claimsView = analytics
  .view('claims', {
    /** Key of the claim. */
    id: ref().notNull(),
    /** The search. */
    search_id: ref().notNull(),
    /** Slug of the search. */
    search: text().notNull(),
    /**
     * Section of the completion: summary, microblog_summary, discussion_board_summary or
     * news_forum_summary.
     */
    role: text({ enum: CLAIM_ROLES }).notNull(),
    /** The statement in its first wording, without citation marks. */
    text: text().notNull(),
    /** Run whose completion contained it first. */
    first_run_id: ref().notNull(),
    /** When that response was received (UTC). */
    first_seen_at: instant().notNull(),
    /** Run whose completion contained it last. */
    last_run_id: ref().notNull(),
    /** When that response was received (UTC). */
    last_seen_at: instant().notNull(),
    /** Number of completions that contain it. */
    runs_seen: counter().notNull(),
    /** Whether the search's newest completion contains it. Failed runs do not change this. */
    current: boolean().notNull(),
    /** IDs of the links cited at the last occurrence, in order; empty when no known link is cited. */
    cited_links: ref().array().notNull(),
    /** URLs of those links, in the same order. */
    cited_urls: text().array().notNull(),
    /**
     * Whether every cited link was among the results of the same response; null when no known link is
     * cited.
     */
    cited_returned: boolean(),
    /** IDs of cited links that were not among the results. */
    not_returned: ref().array().notNull(),
    /** Citation numbers that the response does not resolve to a link. */
    unresolved: integer().array().notNull(),
  })
  .existing();

/** Claims of each completion, in order, with their citations. */
export const completionClaimsView = analytics
  .view('completion_claims', {
    /** The completion. */
    completion_id: ref().notNull(),
    /** The run. */
    run_id: ref().notNull(),
    /** The search. */
    search_id: ref().notNull(),
    /** Slug of the search. */
    search: text().notNull(),
    /** When the completion was received (UTC). */
    observed_at: instant().notNull(),
    /** Section of the completion that contains it. */
    role: text({ enum: CLAIM_ROLES }).notNull(),
    /** Position in the completion, across all sections, from 0. */
    position: integer().notNull(),
    /** The claim. */
    claim_id: ref().notNull(),
    /** The statement in its first wording, without citation marks. */
    text: text().notNull(),
    /** IDs of the links cited here, in order. */
    cited_links: ref().array().notNull(),
    /** URLs of those links, in the same order. */
    cited_urls: text().array().notNull(),
    /**
     * Whether every link cited here was among the results of the same response; null when no known link
     * is cited.
     */
    cited_returned: boolean(),
    /** IDs of cited links that were not among the results. */
    not_returned: ref().array().notNull(),
    /** Citation numbers used here that the response does not resolve to a link. */
    unresolved: integer().array().notNull(),
    /** Whether no earlier completion of this search contained it. */
    new: boolean().notNull(),
  })
  .existing();

/** AI-written completions, at most one per run of an ai search. */
export const completionsView = analytics
  .view('completions', {
    /** Key of the completion. */
    id: ref().notNull(),
    /** The run. */
    run_id: ref().notNull(),
    /** The search. */
    search_id: ref().notNull(),
    /** Slug of the search. */
    search: text().notNull(),
    /** When it was received (UTC). */
    observed_at: instant().notNull(),
    /**
     * Whether it says something that no completion of the search did in the 7 days before (of the last
     * 50): a new statement, the opposite of an earlier one, another name or another figure. Moved
     * counters, other words for the same facts, other sources, a statement that comes and goes, and
     * introductions without a citation are no change; the first completion is none. A completion stored
     * by an earlier version keeps the former meaning until runs replay, and has no statements_revised.
     */
    changed: boolean().notNull(),
    /** Summary across all sources; null when the response had none. */
    summary: text(),
    /** Summary of microblog posts; null when the response had none. */
    microblog_summary: text(),
    /** Summary of discussion boards; null when the response had none. */
    discussion_board_summary: text(),
    /** Summary of news forums; null when the response had none. */
    news_forum_summary: text(),
    /** Chunks of the microblog summary, as returned; null when there were none. */
    text_chunks: text().array(),
    /** IDs of the links it cites, in order. */
    completion_links: ref().array().notNull(),
    /** IDs of all links in the response, in order. */
    search_completion_links: ref().array().notNull(),
    /** Relevance scores by post ID or URL, as returned; null when there were none. */
    miner_link_scores: jsonb(),
    /** Warnings returned by the service, if any. */
    warnings: jsonb().notNull(),
    /**
     * Number of claims, see completion_claims; null when the completion was stored before claims were
     * parsed (runs replay fills it in).
     */
    claims: integer(),
    /** Further text of the response, in the third format; null when the response had none. */
    text: text(),
    /**
     * Run of the previous completion, which it is compared with. Null for the first completion, and for
     * those stored by an earlier version.
     */
    previous_run_id: ref(),
    /**
     * Number of statements that the previous completion does not contain. Statements are compared by
     * their words, figures, names and negations; counters, ages and copies within the completion are
     * left out, and so are revised ones; null if it was not compared.
     */
    statements_new: integer(),
    /**
     * Number of statements of the previous completion that it does not contain; null if it was not
     * compared.
     */
    statements_gone: integer(),
    /** Number of its statements that the previous completion contains; null if it was not compared. */
    statements_kept: integer(),
    /** Number of links it cites and the previous completion does not; null if it was not compared. */
    citations_added: integer(),
    /** Number of links the previous completion cites and it does not; null if it was not compared. */
    citations_removed: integer(),
    /**
     * Share of the statements of both completions that the other one contains as well, from 0 to 1;
     * null if it was not compared.
     */
    similarity: doublePrecision(),
    /** Whether it is simulated: true in the database of the sandbox, false in any other. */
    simulated: boolean().notNull(),
    /**
     * Number of statements that differ from one of the previous completion in figures only; null if it
     * was not compared, and by an earlier version, which counts them as new and gone.
     */
    statements_revised: integer(),
  })
  .existing();

/** Version of this contract. One row. */
export const contractView = analytics
  .view('contract', {
    /** major.minor, such as 1.1. Compare the two numbers, not the text. */
    version: text().notNull(),
    /**
     * Number that increases when a column is removed or changes name, position, type or meaning: review
     * your queries.
     */
    major: integer().notNull(),
    /**
     * Number that increases when views or columns are added or documented more precisely: existing
     * queries keep working.
     */
    minor: integer().notNull(),
  })
  .existing();

/** Every column of every view of this contract, with its meaning. */
export const contractColumnsView = analytics
  .view('contract_columns', {
    /** Name of the view. */
    view: text().notNull(),
    /** Position of the column in the view, from 1. */
    position: integer().notNull(),
    /** Name of the column. */
    name: text().notNull(),
    /** Postgres type of the column. */
    type: text().notNull(),
    /** Content and unit, and what a missing value means where there may be none. */
    meaning: text().notNull(),
    /** What one row of the view is. */
    view_meaning: text().notNull(),
  })
  .existing();

/**
 * Time range in which each run with a parsed response, also one that stays failed, saw all posts of
 * its search. Time that no run covers was not observed; it does not mean there were no posts.
 */
export const coverageView = analytics
  .view('coverage', {
    /** The run. */
    run_id: ref().notNull(),
    /** The search. */
    search_id: ref().notNull(),
    /** Slug of the search. */
    search: text().notNull(),
    /** The response contains every post since this time (UTC). */
    observed_from: instant().notNull(),
    /** End of the range: when the response was received (UTC). */
    observed_until: instant().notNull(),
    /**
     * Start of the range if the response had not been truncated (UTC). If earlier than observed_from,
     * posts in between may be missing.
     */
    reached_from: instant().notNull(),
    /** Whether the response reached its limit before it covered the whole range. */
    cut: boolean().notNull(),
    /** Seconds between two slots at that time. */
    every_seconds: integer().notNull(),
    /** Posts in the response. */
    posts: integer().notNull(),
  })
  .existing();

/** Alert messages and their status, one row per message and channel. */
export const deliveriesView = analytics
  .view('deliveries', {
    /** Key of the delivery, in order of creation. */
    id: ref().notNull(),
    /** ID sent to the receiver (webhook-id). The same for every attempt. */
    message_id: text().notNull(),
    /** Slug of the channel. */
    channel: text().notNull(),
    /** Slug of the rule. */
    rule: text().notNull(),
    /** Run whose discoveries the message reports; null when there were several. */
    run_id: ref(),
    /** gathering (until it may be sent), pending, delivered, dead (permanently failed) or cancelled. */
    state: text({ enum: DELIVERY_STATES }).notNull(),
    /** Why it is dead or cancelled; null otherwise. */
    reason: text(),
    /** Number of discoveries in the message. */
    discoveries: counter().notNull(),
    /** Size of the body in bytes; null while gathering, and after the body was deleted. */
    bytes: integer(),
    /** When the delivery was created (UTC). */
    created_at: instant().notNull(),
    /** When the body was composed (UTC); null while gathering. */
    made_at: instant(),
    /** Earliest time of the next attempt (UTC); null when no further attempt is planned. */
    next_attempt_at: instant(),
    /** Number of delivery attempts. */
    attempts: integer().notNull(),
    /** When the last attempt began (UTC); null before the first. */
    last_attempt_at: instant(),
    /** When the receiver accepted it (UTC); null if it did not. */
    delivered_at: instant(),
    /** HTTP status code of the last response; null when there was none. */
    http_status: integer(),
    /** Error code of the last attempt; null unless it failed. */
    code: text({ enum: DELIVERY_CODE_NAMES }),
    /** Kind of the channel, such as webhook. */
    channel_kind: text().notNull(),
    /** Whether it sums up what a mute held back. */
    muted: boolean().notNull(),
    /**
     * Why it was not sent at once: mute, limit (of messages a day), quiet_hours or cooldown; null if
     * nothing held it back.
     */
    waits_for: text({ enum: WAIT_REASONS }),
    /** The digest that it is; null if it reports discoveries. */
    digest_id: ref(),
    /** Number of problems of strandline itself in the message; 0 unless the rule is system. */
    system_events: counter().notNull(),
  })
  .existing();

/**
 * How far volume, coverage, growth, ages, tops, rising items and spikes are derived, one row per
 * search. Derivation runs a few seconds behind the runs.
 */
export const derivedUntilView = analytics
  .view('derived_until', {
    /** The search. */
    search_id: ref().notNull(),
    /** Slug of the search. */
    search: text().notNull(),
    /** Slug of the topic. */
    topic: text().notNull(),
    /**
     * When the oldest response that is not yet included was received (UTC); null when all are included.
     */
    as_of: instant(),
    /** Number of responses not yet included, counting those that are derived again. */
    waiting: counter().notNull(),
  })
  .existing();

/** The diff: everything a search found for the first time, in commit order. */
export const discoveriesView = analytics
  .view('discoveries', {
    /** Position in the feed. A reader that remembers the last ID it processed misses nothing. */
    id: ref().notNull(),
    /** When it was found (UTC). */
    at: instant().notNull(),
    /** post, link, completion, spike, trend, growth or name (in answers). */
    kind: text({ enum: DISCOVERY_KINDS }).notNull(),
    /** Whether it was found by the first run of a request. */
    baseline: boolean().notNull(),
    /** The search. */
    search_id: ref().notNull(),
    /** Slug of the search. */
    search: text().notNull(),
    /** Slug of the topic. */
    topic: text().notNull(),
    /** Run that found it. */
    run_id: ref().notNull(),
    /** The post, or the post that grew; null for other kinds. */
    post_id: ref(),
    /** The link; null for other kinds. */
    link_id: ref(),
    /** The completion; null for other kinds. */
    completion_id: ref(),
    /**
     * Text of the post, title of the link, summary of the completion or sentence of the spike, trend,
     * growth or name; null when a link has no title or a completion no summary.
     */
    text: text(),
    /** URL of the post or link; null for completions, spikes and trends, and for posts without one. */
    url: text(),
    /** Handle of the author of the post; null when unknown, and for other kinds. */
    author_username: text(),
    /**
     * When the post or link was published, or when the spike's window or the state begins (UTC); null
     * when unknown, and for completions.
     */
    created_at: instant(),
    /** Likes when last observed; null when unknown. */
    like_count: counter(),
    /** Reposts when last observed; null when unknown. */
    repost_count: counter(),
    /** Replies when last observed; null when unknown. */
    reply_count: counter(),
    /** Views when last observed; null when unknown. */
    view_count: counter(),
    /** The spike; null for other kinds. */
    spike_id: ref(),
    /**
     * Whether it is the first discovery of its story in the topic, or of its item if that is in no
     * story: a post, the links to it and its copies in other services are one item. Decided within
     * seconds after a run. True for completions, spikes and trends. False, too, for the baseline of a
     * search that was added later.
     */
    first_in_topic: boolean().notNull(),
    /** Of a link to a known post, that post; null for all others. */
    named_post_id: ref(),
    /** Whether it is simulated: true in the database of the sandbox, false in any other. */
    simulated: boolean().notNull(),
    /** The change of state of a search; null for other kinds. */
    trend_state_id: ref(),
    /**
     * Whether a person said that its item, or another of its story, is not relevant for the topic:
     * lists and messages leave it out. Views keep it; who and when is in the view stories.
     */
    hidden: boolean().notNull(),
  })
  .existing();

/**
 * When each search found something for the first time. A narrow view for counting; discoveries has
 * the details.
 */
export const discoveryTimesView = analytics
  .view('discovery_times', {
    /** When it was found (UTC). */
    at: instant().notNull(),
    /** post, link, completion, spike or trend. */
    kind: text({ enum: DISCOVERY_KINDS }).notNull(),
    /** Whether it was found by the first run of a request. */
    baseline: boolean().notNull(),
    /** The search. */
    search_id: ref().notNull(),
    /** Slug of the search. */
    search: text().notNull(),
    /** Slug of the topic. */
    topic: text().notNull(),
  })
  .existing();

/**
 * Changes of adaptive intervals (auto) by a tenth or more, each with its reason. Until the next row
 * of its search, an interval stays within a tenth of this one.
 */
export const intervalChangesView = analytics
  .view('interval_changes', {
    /** Key of the change. */
    id: ref().notNull(),
    /** When the response was received that caused it (UTC). */
    at: instant().notNull(),
    /** The search. */
    search_id: ref().notNull(),
    /** Slug of the search. */
    search: text().notNull(),
    /** Slug of the topic. */
    topic: text().notNull(),
    /** The interval before, in seconds; null if there was none. */
    seconds_before: doublePrecision(),
    /** The interval from then on, in seconds. */
    seconds: doublePrecision().notNull(),
    /**
     * Why: learning (its rate is not known yet), rate (so that a response is not truncated), truncated
     * (posts are missing between this response and the one before), quiet (nothing new), found
     * (something new, of an ai search), least or most (the shortest or longest allowed), budget
     * (limited by calls per day).
     */
    reason: text({ enum: INTERVAL_REASONS }).notNull(),
    /** Posts per hour expected then; null if unknown, and for an ai search. */
    per_hour: doublePrecision(),
    /** How many of the newest posts a response holds, as learned; null if unknown. */
    room: doublePrecision(),
    /** Posts and links that were new to the search in this response; null if unknown. */
    new_items: integer(),
    /**
     * Seconds between the previous response and this one; null if there is none, or the time between
     * was not observed.
     */
    waited_seconds: doublePrecision(),
    /**
     * Limit of calls per day of the search; null if it has none of its own, only CALLS_PER_DAY of its
     * service.
     */
    calls_per_day: integer(),
  })
  .existing();

/**
 * Posts and links of topics with a goal, each once in its topic: whether a language model judged
 * that they are what the goal asks for. Of the current goal only. Items that are not relevant stay
 * in every other view.
 */
export const judgementsView = analytics
  .view('judgements', {
    /** First discovery of the item in the topic. */
    discovery_id: ref().notNull(),
    /** Topic. */
    topic_id: ref().notNull(),
    /** Slug of the topic. */
    topic: text().notNull(),
    /** Kind of the item: post or link. */
    kind: text().notNull(),
    /** Key of the post or link. */
    item_id: ref().notNull(),
    /**
     * Its story: items of one story are judged once. Null when nothing else in the topic says the same.
     */
    story_id: ref(),
    /** When the topic found it (UTC). */
    found_at: instant().notNull(),
    /** Text of the post, or title of the link; null when never returned. */
    text: text(),
    /** URL of the post or link; null when never returned. */
    url: text(),
    /** Whether it is what the goal asks for; null when it is not judged. */
    relevant: boolean(),
    /**
     * Why, in at most a dozen words of the model; null when it gave no reason, and when relevant is
     * null.
     */
    why: text(),
    /** When it was judged (UTC); null when it is not. */
    judged_at: instant(),
    /** Whether the model will be asked about it: within a day after it was found. */
    waiting: boolean().notNull(),
    /** Number of requests about it that ended without a verdict. */
    failures: integer().notNull(),
  })
  .existing();

/** Key items of completions: short texts with a link. */
export const keyItemsView = analytics
  .view('key_items', {
    /** The completion. */
    completion_id: ref().notNull(),
    /** The run. */
    run_id: ref().notNull(),
    /** The search. */
    search_id: ref().notNull(),
    /** key_posts, key_microblog_posts, key_news or key_sources. */
    list: text({ enum: KEY_LISTS }).notNull(),
    /** Position in the list, from 0. */
    position: integer().notNull(),
    /** The text. */
    text: text().notNull(),
    /** URL as returned; null when there was none. */
    url: text(),
    /** The link it resolves to; null when the URL could not be parsed. */
    link_id: ref(),
  })
  .existing();

/** Every URL of each link, as returned: one row per URL. */
export const linkAddressesView = analytics
  .view('link_addresses', {
    /** The link. */
    link_id: ref().notNull(),
    /** A URL of it, as returned. */
    url: text().notNull(),
  })
  .existing();

/**
 * Rank of each link in each run: its position over time. If a run has no row for a link, it did not
 * return it. Failed runs have no rows.
 */
export const linkRanksView = analytics
  .view('link_ranks', {
    /** The search. */
    search_id: ref().notNull(),
    /** Slug of the search. */
    search: text().notNull(),
    /** The link. */
    link_id: ref().notNull(),
    /** URL with which the link was first seen, as returned. */
    url: text().notNull(),
    /** The run. */
    run_id: ref().notNull(),
    /** When the run's response was received (UTC). */
    observed_at: instant().notNull(),
    /**
     * Group of the response that contained it: web, news_forum, discussion_board, encyclopedia, video,
     * microblog or preprint.
     */
    source: text({ enum: SOURCES }).notNull(),
    /** Position in its group, from 1. */
    rank: integer().notNull(),
    /** Position among all links of the response, from 1, with groups in the order of the response. */
    place: integer().notNull(),
  })
  .existing();

/** Sightings of links: the first time each search saw each link. */
export const linkSightingsView = analytics
  .view('link_sightings', {
    /** The search. */
    search_id: ref().notNull(),
    /** Slug of the search. */
    search: text().notNull(),
    /** The link. */
    link_id: ref().notNull(),
    /** Run that saw it first. */
    first_run_id: ref().notNull(),
    /** When this search first saw it (UTC). */
    first_seen_at: instant().notNull(),
    /**
     * Group of the response that contained it at that time: web, news_forum, discussion_board,
     * encyclopedia, video, microblog or preprint.
     */
    source: text({ enum: SOURCES }).notNull(),
  })
  .existing();

/** Which search found each link first: one row per link and search, in order of discovery. */
export const linkSourcesView = analytics
  .view('link_sources', {
    /** The link. */
    link_id: ref().notNull(),
    /** URL with which the link was first seen, as returned. */
    url: text().notNull(),
    /** Host of the link, without www., m., mobile., old. and amp. */
    site: text().notNull(),
    /** The search that found it. */
    search_id: ref().notNull(),
    /** Slug of the search. */
    search: text().notNull(),
    /** Name of the service that the search uses. */
    service: text().notNull(),
    /**
     * Group of the response that contained it at that time: web, news_forum, discussion_board,
     * encyclopedia, video, microblog or preprint.
     */
    source: text({ enum: SOURCES }).notNull(),
    /** Run that saw it first. */
    first_run_id: ref().notNull(),
    /** When this search first saw it (UTC). */
    first_seen_at: instant().notNull(),
    /** Whether a baseline run found it, so it may be old; null when that run is no longer stored. */
    baseline: boolean(),
    /** Position of the search among those that found the link: 1 is the first. */
    nth: integer().notNull(),
    /** Number of searches that found it. */
    searches: integer().notNull(),
    /**
     * Seconds until the next search found it; null when there is no next search, and when it found the
     * link in a baseline run, which does not show when the link appeared.
     */
    lead_seconds: doublePrecision(),
  })
  .existing();

/**
 * Links, with the latest known values. Different spellings of an address are one link, on each
 * side.
 */
export const linksView = analytics
  .view('links', {
    /** Key of the link. */
    id: ref().notNull(),
    /** URL with which it was first seen, as returned; all are in link_addresses. */
    url: text().notNull(),
    /** Host, without www., m., mobile., old. and amp. */
    site: text().notNull(),
    /** Latest title; null when never returned. */
    title: text(),
    /** Latest excerpt; null when never returned. */
    snippet: text(),
    /** Summary written by the service; null when never returned. */
    summary_description: text(),
    /** Flag of the service, returned for preprints and encyclopedia results; null for others. */
    with_metadata: boolean(),
    /** When it was published (UTC); null when no response said so. */
    published_at: instant(),
    /** When any search first returned it (UTC). */
    first_seen_at: instant().notNull(),
    /** When a value was last observed to change (UTC). */
    observed_at: instant().notNull(),
    /**
     * exact when a response gave the time or date; minute, hour, day, week, month or year when it gave
     * an age, such as 17 hours ago: the link may be older by up to that unit. Null when published_at
     * is.
     */
    published_precision: text({ enum: TIME_PRECISIONS }),
    /** Publication or channel named by the result; null when never returned. */
    publisher: text(),
    /** Passages that the service highlights; null when never returned. */
    highlights: text().array(),
    /** Whether it is simulated: true in the database of the sandbox, false in any other. */
    simulated: boolean().notNull(),
  })
  .existing();

/**
 * Requests to a language model (`LLM_BASE_URL`), by purpose and day, of about 40 days. A day
 * without requests has no row.
 */
export const modelCallsView = analytics
  .view('model_calls', {
    /**
     * What was asked for: plan (queries of a search), write (a completion), check (whether sources
     * state what was written), judge (whether stories are what the goal of their topic asks for), brief
     * (to write a brief, and to check it) or translate (texts into the language of a topic).
     */
    purpose: text().notNull(),
    /** When the day begins (UTC). */
    day: instant().notNull(),
    /** Number of requests, counted before they were sent; those that failed count too. */
    calls: counter().notNull(),
    /** Number of these requests whose response said how many tokens it cost. */
    calls_with_tokens: counter().notNull(),
    /**
     * Number of tokens that were sent in the requests of calls_with_tokens; null when no response said
     * so.
     */
    input_tokens: counter(),
    /**
     * Number of tokens that were returned to the requests of calls_with_tokens; null when no response
     * said so.
     */
    output_tokens: counter(),
    /** When the last of these requests was counted (UTC). */
    last_call_at: instant().notNull(),
    /**
     * Number of these requests without a response that could be used. Responses that cannot be used are
     * counted for judge, brief and translate only.
     */
    failed: counter().notNull(),
  })
  .existing();

/** Names that entered the answers of a search, or left them, as they were reported. */
export const nameChangesView = analytics
  .view('name_changes', {
    /** Key of the change. */
    id: ref().notNull(),
    /** When the answer was received that decided it (UTC). */
    at: instant().notNull(),
    /** The search. */
    search_id: ref().notNull(),
    /** Slug of the search. */
    search: text().notNull(),
    /** Slug of the topic. */
    topic: text().notNull(),
    /** Name of the search service that wrote the answers. */
    service: text().notNull(),
    /** Run whose answer decided it. */
    run_id: ref().notNull(),
    /** Key of the name, which may be gone. */
    name_id: ref().notNull(),
    /** The name as it was then. */
    name: text().notNull(),
    /**
     * entered: the answer names or cites it, and none of at least five before did, or it had left.
     * left: at least three answers in a row do not, which chance does not explain.
     */
    change: text({ enum: NAME_CHANGES }).notNull(),
    /** Number of answers before that were compared, at most 60 with those that lack it. */
    before: integer().notNull(),
    /** Number of these that name or cite it. */
    present: integer().notNull(),
    /** Number of answers in a row without it. */
    missing: integer().notNull(),
    /** The change in one sentence. */
    sentence: text().notNull(),
  })
  .existing();

/**
 * In how many answers of an AI search each name that its topic lists was named or cited, per day
 * (UTC). Only answers that were read: a run that failed and an answer without a text are none. A
 * day without a row had no answer, which is not zero. After a change of the names, answers are read
 * again within minutes, the newest first.
 */
export const namesInAnswersView = analytics
  .view('names_in_answers', {
    /** The topic. */
    topic_id: ref().notNull(),
    /** Slug of the topic. */
    topic: text().notNull(),
    /** The search. */
    search_id: ref().notNull(),
    /** Slug of the search. */
    search: text().notNull(),
    /** Name of the search service that wrote the answers. They say nothing about any other service. */
    service: text().notNull(),
    /** sandbox (simulated), own or hosted. */
    service_kind: text({ enum: SERVICE_KINDS }).notNull(),
    /** Key of the name. */
    name_id: ref().notNull(),
    /** The name. */
    name: text().notNull(),
    /** own or rival. */
    side: text({ enum: NAME_SIDES }).notNull(),
    /** Start of the day (UTC) on which the answers were received. */
    bucket_at: instant().notNull(),
    /** Number of answers that were read. */
    answers: counter().notNull(),
    /**
     * Number of them whose text has the name or an alias, as whole words. A name inside of a longer
     * listed name counts for the longer one.
     */
    named: counter().notNull(),
    /** Number of them that cite a link of its domains. */
    cited: counter().notNull(),
    /** Number of them that name it, cite it, or both. */
    present: counter().notNull(),
    /** present / answers, 0 to 1. */
    share: doublePrecision().notNull(),
  })
  .existing();

/** Discoveries since midnight UTC, without baselines. */
export const newTodayView = analytics
  .view('new_today', {
    /** Position in the feed. A reader that remembers the last ID it processed misses nothing. */
    id: ref().notNull(),
    /** When it was found (UTC). */
    at: instant().notNull(),
    /** post, link, completion, spike, trend, growth or name (in answers). */
    kind: text({ enum: DISCOVERY_KINDS }).notNull(),
    /** Whether it was found by the first run of a request. */
    baseline: boolean().notNull(),
    /** The search. */
    search_id: ref().notNull(),
    /** Slug of the search. */
    search: text().notNull(),
    /** Slug of the topic. */
    topic: text().notNull(),
    /** Run that found it. */
    run_id: ref().notNull(),
    /** The post, or the post that grew; null for other kinds. */
    post_id: ref(),
    /** The link; null for other kinds. */
    link_id: ref(),
    /** The completion; null for other kinds. */
    completion_id: ref(),
    /**
     * Text of the post, title of the link, summary of the completion or sentence of the spike, trend,
     * growth or name; null when a link has no title or a completion no summary.
     */
    text: text(),
    /** URL of the post or link; null for completions, spikes and trends, and for posts without one. */
    url: text(),
    /** Handle of the author of the post; null when unknown, and for other kinds. */
    author_username: text(),
    /**
     * When the post or link was published, or when the spike's window or the state begins (UTC); null
     * when unknown, and for completions.
     */
    created_at: instant(),
    /** Likes when last observed; null when unknown. */
    like_count: counter(),
    /** Reposts when last observed; null when unknown. */
    repost_count: counter(),
    /** Replies when last observed; null when unknown. */
    reply_count: counter(),
    /** Views when last observed; null when unknown. */
    view_count: counter(),
    /** The spike; null for other kinds. */
    spike_id: ref(),
    /**
     * Whether it is the first discovery of its story in the topic, or of its item if that is in no
     * story: a post, the links to it and its copies in other services are one item. Decided within
     * seconds after a run. True for completions, spikes and trends. False, too, for the baseline of a
     * search that was added later.
     */
    first_in_topic: boolean().notNull(),
    /** Of a link to a known post, that post; null for all others. */
    named_post_id: ref(),
    /** Whether it is simulated: true in the database of the sandbox, false in any other. */
    simulated: boolean().notNull(),
    /** The change of state of a search; null for other kinds. */
    trend_state_id: ref(),
    /**
     * Whether a person said that its item, or another of its story, is not relevant for the topic:
     * lists and messages leave it out. Views keep it; who and when is in the view stories.
     */
    hidden: boolean().notNull(),
  })
  .existing();

/**
 * Posts at equal age: counters 1, 3, 8, 24 and 72 hours after publication, with typical values of
 * the search and of the author at that age. Counters are interpolated linearly between this
 * search's last observation before the age and its first one after it, and only if both are within
 * half the age. Otherwise there is no row; the nearest observation is never used instead.
 */
export const postAtAgeView = analytics
  .view('post_at_age', {
    /** The search. */
    search_id: ref().notNull(),
    /** Slug of the search. */
    search: text().notNull(),
    /** Slug of the topic. */
    topic: text().notNull(),
    /** sandbox (simulated), own or hosted. Kinds are never added together. */
    service_kind: text({ enum: SERVICE_KINDS }).notNull(),
    /** The post. */
    post_id: ref().notNull(),
    /** Author of the post; null when unknown. */
    author_id: ref(),
    /** When the post was published (UTC). */
    created_at: instant().notNull(),
    /** Age of the post in hours: 1, 3, 8, 24 or 72. */
    hours: integer().notNull(),
    /** When the post reached this age (UTC). */
    reached_at: instant().notNull(),
    /** Last observation by this search before that time (UTC), at most half the age earlier. */
    observed_before_at: instant().notNull(),
    /** First observation by this search after that time (UTC), at most half the age later. */
    observed_after_at: instant().notNull(),
    /**
     * Replies at this age, interpolated between the two observations; null when unknown at either,
     * which is not zero.
     */
    reply_count: doublePrecision(),
    /**
     * Reposts at this age, interpolated between the two observations; null when unknown at either,
     * which is not zero.
     */
    repost_count: doublePrecision(),
    /**
     * Likes at this age, interpolated between the two observations; null when unknown at either, which
     * is not zero.
     */
    like_count: doublePrecision(),
    /**
     * Views at this age, interpolated between the two observations; null when unknown at either, which
     * is not zero.
     */
    view_count: doublePrecision(),
    /**
     * Quotes at this age, interpolated between the two observations; null when unknown at either, which
     * is not zero.
     */
    quote_count: doublePrecision(),
    /**
     * Impressions at this age, interpolated between the two observations; null when unknown at either,
     * which is not zero.
     */
    impression_count: doublePrecision(),
    /**
     * Bookmarks at this age, interpolated between the two observations; null when unknown at either,
     * which is not zero.
     */
    bookmark_count: doublePrecision(),
    /** Likes + reposts + replies + quotes at this age, as far as known; null when none is known. */
    engagement: doublePrecision(),
    /**
     * Number of posts behind the typical values: the 500 posts of the search that reached this age
     * last, including this one.
     */
    compared_with: counter().notNull(),
    /** Median of their likes at this age; null when fewer than 5 are known. */
    typical_like_count: doublePrecision(),
    /** Median of their views at this age; null when fewer than 5 are known. */
    typical_view_count: doublePrecision(),
    /** Median of their engagement at this age; null when fewer than 5 are known. */
    typical_engagement: doublePrecision(),
    /** like_count / typical_like_count; null when the typical value is 0 or unknown. */
    like_ratio: doublePrecision(),
    /** view_count / typical_view_count; null when the typical value is 0 or unknown. */
    view_ratio: doublePrecision(),
    /** engagement / typical_engagement; null when the typical value is 0 or unknown. */
    engagement_ratio: doublePrecision(),
    /** Number of the author's last 200 posts that any search observed at this age. */
    author_compared_with: counter().notNull(),
    /** Median of their engagement at this age; null when fewer than 5 are known. */
    author_typical_engagement: doublePrecision(),
    /** engagement / author_typical_engagement; null when the typical value is 0 or unknown. */
    author_engagement_ratio: doublePrecision(),
  })
  .existing();

/** Post counters over time: one row whenever a counter changed. */
export const postEngagementView = analytics
  .view('post_engagement', {
    /** The post. */
    post_id: ref().notNull(),
    /** When the counters were observed (UTC). */
    observed_at: instant().notNull(),
    /** Replies at that time; null when unknown, which is not zero. */
    reply_count: counter(),
    /** Reposts at that time; null when unknown. */
    repost_count: counter(),
    /** Likes at that time; null when unknown. */
    like_count: counter(),
    /** Views at that time; null when unknown. */
    view_count: counter(),
    /** Quotes at that time; null when unknown. */
    quote_count: counter(),
    /** Impressions at that time; null when unknown. */
    impression_count: counter(),
    /** Bookmarks at that time; null when unknown. */
    bookmark_count: counter(),
  })
  .existing();

/**
 * Growth of each post across all observations. Decreases are reported separately and never
 * subtracted from gains.
 */
export const postGrowthView = analytics
  .view('post_growth', {
    /** The post. */
    post_id: ref().notNull(),
    /** Service that returned the item. */
    service: text().notNull(),
    /** sandbox (simulated), own or hosted. Kinds are never added together. */
    service_kind: text({ enum: SERVICE_KINDS }).notNull(),
    /** Author of the post; null when unknown. */
    author_id: ref(),
    /** Handle of the author; null when unknown. */
    author_username: text(),
    /** Text as last observed. */
    text: text().notNull(),
    /** URL of the post; null when never returned. */
    url: text(),
    /** When the post was published (UTC); null when unknown. */
    created_at: instant(),
    /** When any search first returned it, directly or inside another post (UTC). */
    first_seen_at: instant().notNull(),
    /** When a response last returned it (UTC); null for posts only seen inside other posts. */
    last_seen_at: instant(),
    /** Slug of the search that last returned it; null for posts only seen inside other posts. */
    last_seen_by: text(),
    /**
     * last_seen_at if every search that found it has received a newer response without it (UTC); null
     * while it is still returned.
     */
    not_seen_since: instant(),
    /** When a counter was last observed to change (UTC); null if none ever did. */
    changed_at: instant(),
    /** Replies when first known; null when unknown, which is not zero. */
    first_reply_count: counter(),
    /** Replies when last observed; null when unknown. */
    reply_count: counter(),
    /**
     * Sum of the increases in replies between observations; 0 when a later result returned the post
     * without a change, or left the counter out; null when none did.
     */
    gained_reply_count: counter(),
    /**
     * Sum of the decreases in replies, as a positive number; null when no later response returned the
     * post. reply_count = first + gained - lost.
     */
    lost_reply_count: counter(),
    /** Whether replies ever fell. */
    replies_fell: boolean().notNull(),
    /** Reposts when first known; null when unknown, which is not zero. */
    first_repost_count: counter(),
    /** Reposts when last observed; null when unknown. */
    repost_count: counter(),
    /**
     * Sum of the increases in reposts between observations; 0 when a later result returned the post
     * without a change, or left the counter out; null when none did.
     */
    gained_repost_count: counter(),
    /**
     * Sum of the decreases in reposts, as a positive number; null when no later response returned the
     * post. repost_count = first + gained - lost.
     */
    lost_repost_count: counter(),
    /** Whether reposts ever fell. */
    reposts_fell: boolean().notNull(),
    /** Likes when first known; null when unknown, which is not zero. */
    first_like_count: counter(),
    /** Likes when last observed; null when unknown. */
    like_count: counter(),
    /**
     * Sum of the increases in likes between observations; 0 when a later result returned the post
     * without a change, or left the counter out; null when none did.
     */
    gained_like_count: counter(),
    /**
     * Sum of the decreases in likes, as a positive number; null when no later response returned the
     * post. like_count = first + gained - lost.
     */
    lost_like_count: counter(),
    /** Whether likes ever fell. */
    likes_fell: boolean().notNull(),
    /** Views when first known; null when unknown, which is not zero. */
    first_view_count: counter(),
    /** Views when last observed; null when unknown. */
    view_count: counter(),
    /**
     * Sum of the increases in views between observations; 0 when a later result returned the post
     * without a change, or left the counter out; null when none did.
     */
    gained_view_count: counter(),
    /**
     * Sum of the decreases in views, as a positive number; null when no later response returned the
     * post. view_count = first + gained - lost.
     */
    lost_view_count: counter(),
    /** Whether views ever fell. */
    views_fell: boolean().notNull(),
    /** Quotes when first known; null when unknown, which is not zero. */
    first_quote_count: counter(),
    /** Quotes when last observed; null when unknown. */
    quote_count: counter(),
    /**
     * Sum of the increases in quotes between observations; 0 when a later result returned the post
     * without a change, or left the counter out; null when none did.
     */
    gained_quote_count: counter(),
    /**
     * Sum of the decreases in quotes, as a positive number; null when no later response returned the
     * post. quote_count = first + gained - lost.
     */
    lost_quote_count: counter(),
    /** Whether quotes ever fell. */
    quotes_fell: boolean().notNull(),
    /** Impressions when first known; null when unknown, which is not zero. */
    first_impression_count: counter(),
    /** Impressions when last observed; null when unknown. */
    impression_count: counter(),
    /**
     * Sum of the increases in impressions between observations; 0 when a later result returned the post
     * without a change, or left the counter out; null when none did.
     */
    gained_impression_count: counter(),
    /**
     * Sum of the decreases in impressions, as a positive number; null when no later response returned
     * the post. impression_count = first + gained - lost.
     */
    lost_impression_count: counter(),
    /** Whether impressions ever fell. */
    impressions_fell: boolean().notNull(),
    /** Bookmarks when first known; null when unknown, which is not zero. */
    first_bookmark_count: counter(),
    /** Bookmarks when last observed; null when unknown. */
    bookmark_count: counter(),
    /**
     * Sum of the increases in bookmarks between observations; 0 when a later result returned the post
     * without a change, or left the counter out; null when none did.
     */
    gained_bookmark_count: counter(),
    /**
     * Sum of the decreases in bookmarks, as a positive number; null when no later response returned the
     * post. bookmark_count = first + gained - lost.
     */
    lost_bookmark_count: counter(),
    /** Whether bookmarks ever fell. */
    bookmarks_fell: boolean().notNull(),
    /** Likes + reposts + replies + quotes, as far as known; null when none is known. */
    engagement: counter(),
    /**
     * Gain in likes, reposts, replies and quotes combined; null when none is known, or no later
     * response returned the post.
     */
    gained_engagement: counter(),
    /**
     * Likes gained per hour over the last observed interval: from the snapshot before the last change
     * (see post_engagement) until the post was last seen. 0 when likes only fell; null when the last
     * change does not know them, or observed once.
     */
    likes_per_hour: doublePrecision(),
    /**
     * Engagement gained per hour over the last observed interval: from the snapshot before the last
     * change (see post_engagement) until the post was last seen. 0 when it only fell; null when the
     * last change does not know it, or observed once.
     */
    engagement_per_hour: doublePrecision(),
    /**
     * Likes gained per hour in the 24 h before the post was last seen, or since it was first seen if
     * that is less; null when observed once.
     */
    likes_per_hour_24h: doublePrecision(),
  })
  .existing();

/** Links whose URLs are in the text of a post: one row per post and link. */
export const postLinksView = analytics
  .view('post_links', {
    /** The post. */
    post_id: ref().notNull(),
    /** The link. */
    link_id: ref().notNull(),
    /** URL with which the link was first seen, as returned. The URLs in the post are in posts.urls. */
    url: text().notNull(),
    /** Host of the link, without www., m., mobile., old. and amp. */
    site: text().notNull(),
  })
  .existing();

/** Sightings of posts: the first time each search saw each post. */
export const postSightingsView = analytics
  .view('post_sightings', {
    /** The search. */
    search_id: ref().notNull(),
    /** Slug of the search. */
    search: text().notNull(),
    /** The post. */
    post_id: ref().notNull(),
    /** Run that saw it first. */
    first_run_id: ref().notNull(),
    /** When this search first saw it (UTC). */
    first_seen_at: instant().notNull(),
    /** When the post was published (UTC), as first reported; null when unknown. */
    post_created_at: instant(),
  })
  .existing();

/**
 * Posts over time: one row whenever the text, publication time, language, hashtags, mentions, URLs
 * or entities changed. Posts that never changed have one row.
 */
export const postVersionsView = analytics
  .view('post_versions', {
    /** The post. */
    post_id: ref().notNull(),
    /** When a response first showed this version (UTC). */
    valid_from: instant().notNull(),
    /** When a response first showed the next version (UTC); null for the current one. */
    valid_until: instant(),
    /** Run whose response first showed this version; null when stored before versions were kept. */
    run_id: ref(),
    /** Slug of the search of this run; null when unknown or deleted. */
    search: text(),
    /** Text; empty when unknown. */
    text: text().notNull(),
    /** Stated time of publication (UTC); null when unknown. */
    created_at: instant(),
    /** Language code; null when unknown. */
    lang: text(),
    /** Hashtags in the text; null when unknown. */
    hashtags: text().array(),
    /** Handles mentioned in the text; null when unknown. */
    mentions: text().array(),
    /** URLs in the text, expanded; null when unknown. */
    urls: text().array(),
    /** Entities, as returned; null when unknown. */
    entities: jsonb(),
  })
  .existing();

/** Posts, including quoted and reposted ones, with the latest known values. */
export const postsView = analytics
  .view('posts', {
    /** Key of the post. */
    id: ref().notNull(),
    /** ID assigned by the service, as text: it can exceed 19 digits. */
    external_id: text().notNull(),
    /** Service that returned it. IDs are unique only within a service. */
    service: text().notNull(),
    /** Author of the post; null when unknown. */
    author_id: ref(),
    /** Handle of the author; null when unknown. */
    author_username: text(),
    /** Display name of the author; null when unknown. */
    author_name: text(),
    /** Text as last observed. */
    text: text().notNull(),
    /** URL of the post; null when never returned. */
    url: text(),
    /** When the post was published (UTC); null when unknown. */
    created_at: instant(),
    /** Language code as returned, including und, qme and zxx; null when never returned. */
    lang: text(),
    /** Replies when last observed; null when unknown, which is not zero. */
    reply_count: counter(),
    /** Reposts when last observed; null when unknown. */
    repost_count: counter(),
    /** Likes when last observed; null when unknown. */
    like_count: counter(),
    /** Views when last observed; null when unknown. */
    view_count: counter(),
    /** Quotes when last observed; null when unknown. */
    quote_count: counter(),
    /** Impressions when last observed; null when unknown. */
    impression_count: counter(),
    /** Bookmarks when last observed; null when unknown. */
    bookmark_count: counter(),
    /** ID of the first post of the conversation; null when unknown. */
    conversation_id: text(),
    /** Handle of the author it replies to; null when it is not a reply. */
    in_reply_to_screen_name: text(),
    /** External ID of the post it replies to; null when it is not a reply. */
    in_reply_to_status_id: text(),
    /** External ID of the author it replies to; null when it is not a reply. */
    in_reply_to_user_id: text(),
    /** External ID of the quoted post; null when it quotes none. */
    quoted_status_id: text(),
    /** External ID of the reposted post; null when it is not a repost. */
    reposted_status_id: text(),
    /** Quoted text if the service returned only text; otherwise null. */
    quote: text(),
    /** Whether it quotes another post; null when unknown. */
    is_quote_post: boolean(),
    /** Whether it is a repost; null when unknown. */
    is_repost: boolean(),
    /** Summary written by the service; null when never returned. */
    summary_description: text(),
    /** Hashtags in the text, without #, as written; empty when there are none or they are unknown. */
    hashtags: text().array().notNull(),
    /** Handles mentioned in the text; empty when there are none or they are unknown. */
    mentions: text().array().notNull(),
    /** URLs in the text, expanded; empty when there are none or they are unknown. */
    urls: text().array().notNull(),
    /** Media, as returned; empty when there are none or they are unknown. */
    media: jsonb().notNull(),
    /** Entities, as returned, with the variants of videos under media; empty when unknown. */
    entities: jsonb().notNull(),
    /** When any search first returned it (UTC). */
    first_seen_at: instant().notNull(),
    /** When a value was last observed to change (UTC). */
    observed_at: instant().notNull(),
    /** Start and end of the displayed text, in characters; null when never returned. */
    display_text_range: jsonb(),
    /** Whether it is simulated: true in the database of the sandbox, false in any other. */
    simulated: boolean().notNull(),
  })
  .existing();

/**
 * Posts in the newest response of each search. Together with unseen_posts: all posts a search has
 * found.
 */
export const postsInSightView = analytics
  .view('posts_in_sight', {
    /** The search. */
    search_id: ref().notNull(),
    /** Slug of the search. */
    search: text().notNull(),
    /** Slug of the topic. */
    topic: text().notNull(),
    /** sandbox (simulated), own or hosted. Kinds are never added together. */
    service_kind: text({ enum: SERVICE_KINDS }).notNull(),
    /** The post. */
    post_id: ref().notNull(),
    /** When that response was received (UTC). */
    last_seen_at: instant().notNull(),
    /** When the post was published (UTC); null when unknown. */
    created_at: instant(),
    /** Likes + reposts + replies + quotes, as last observed by any search; null when all are unknown. */
    engagement: counter(),
  })
  .existing();

/** Response items that could not be parsed. The rest of the response was stored. */
export const rejectsView = analytics
  .view('rejects', {
    /** Key of the reject. */
    id: ref().notNull(),
    /** The run. */
    run_id: ref().notNull(),
    /** The search. */
    search_id: ref().notNull(),
    /** Slug of the search. */
    search: text().notNull(),
    /** Path of the item in the response, with the names used on the wire. */
    path: text().notNull(),
    /** Why it could not be parsed. */
    code: text({ enum: REJECT_CODES }).notNull(),
    /** First 500 characters of the item. */
    sample: text().notNull(),
    /** When its run ended (UTC). */
    at: instant().notNull(),
  })
  .existing();

/**
 * Domains linked more often this week than in the four weeks before: at least 5 times in the 7 days
 * up to as_of, with a score of 2 or more, by so many authors that it is not chance: at most 5 % of
 * what rises is expected to be false, over all that is compared. Rates are per observed day;
 * domains are compared only if at least 3.5 days of this week and 7 of the weeks before were
 * observed. One row per search, and one per topic (search is null), which counts each post and link
 * once.
 */
export const risingDomainsView = analytics
  .view('rising_domains', {
    /** The topic. */
    topic_id: ref().notNull(),
    /** Slug of the topic. */
    topic: text().notNull(),
    /** sandbox (simulated), own or hosted. Kinds are never added together. */
    service_kind: text({ enum: SERVICE_KINDS }).notNull(),
    /** The search; null in the row for the whole topic. */
    search_id: ref(),
    /** Slug of the search; null in the row for the whole topic. */
    search: text(),
    /** When the newest response was received (UTC). The week is that day (UTC) and the 6 days before. */
    as_of: instant().notNull(),
    /** Host without www, lower case. */
    domain: text().notNull(),
    /** Posts that link there, and found links, this week. Not corrected for coverage. */
    posts: counter().notNull(),
    /** The same count for the 28 days before. */
    posts_before: counter().notNull(),
    /** Observed days of this week, 0 to 7: mean across the searches. */
    observed_days: doublePrecision().notNull(),
    /** Observed days of the 28 days before. */
    observed_days_before: doublePrecision().notNull(),
    /** posts per observed day this week. */
    per_day: doublePrecision().notNull(),
    /** posts_before per observed day. */
    per_day_before: doublePrecision().notNull(),
    /** per_day / per_day_before; null when it was not used before. */
    ratio: doublePrecision(),
    /**
     * Excess over expectation: (posts - expected) / sqrt(expected + 1), with expected = per_day_before
     * * observed_days. Higher rises more.
     */
    score: doublePrecision().notNull(),
    /** Distinct authors of these posts, and found links. */
    authors: counter().notNull(),
  })
  .existing();

/**
 * Hashtags used more often this week than in the four weeks before: at least 5 times in the 7 days
 * up to as_of, with a score of 2 or more, by so many authors that it is not chance: at most 5 % of
 * what rises is expected to be false, over all that is compared. Rates are per observed day;
 * hashtags are compared only if at least 3.5 days of this week and 7 of the weeks before were
 * observed. One row per search, and one per topic (search is null), which counts each post once.
 */
export const risingHashtagsView = analytics
  .view('rising_hashtags', {
    /** The topic. */
    topic_id: ref().notNull(),
    /** Slug of the topic. */
    topic: text().notNull(),
    /** sandbox (simulated), own or hosted. Kinds are never added together. */
    service_kind: text({ enum: SERVICE_KINDS }).notNull(),
    /** The search; null in the row for the whole topic. */
    search_id: ref(),
    /** Slug of the search; null in the row for the whole topic. */
    search: text(),
    /** When the newest response was received (UTC). The week is that day (UTC) and the 6 days before. */
    as_of: instant().notNull(),
    /** Hashtag without #, lower case. */
    hashtag: text().notNull(),
    /** Posts with this hashtag this week. Not corrected for coverage. */
    posts: counter().notNull(),
    /** The same count for the 28 days before. */
    posts_before: counter().notNull(),
    /** Observed days of this week, 0 to 7: mean across the searches. */
    observed_days: doublePrecision().notNull(),
    /** Observed days of the 28 days before. */
    observed_days_before: doublePrecision().notNull(),
    /** posts per observed day this week. */
    per_day: doublePrecision().notNull(),
    /** posts_before per observed day. */
    per_day_before: doublePrecision().notNull(),
    /** per_day / per_day_before; null when it was not used before. */
    ratio: doublePrecision(),
    /**
     * Excess over expectation: (posts - expected) / sqrt(expected + 1), with expected = per_day_before
     * * observed_days. Higher rises more.
     */
    score: doublePrecision().notNull(),
    /** Distinct authors of these posts. */
    authors: counter().notNull(),
  })
  .existing();

/**
 * Posts that gain engagement faster than is typical for their search and age. The gain is the
 * increase in likes, reposts, replies and quotes since the last response before the search's last 6
 * hours; a post published within these hours counts from zero at publication, one found later
 * counts from its first observation. Typical is the hourly growth of the median post between the
 * two ages (0, 1, 3, 8, 24, 72 h) around its age; beyond 72 h, between 24 and 72 h. Lists posts
 * that gained at least 5 in at least a quarter of an hour and either exceed the typical rate or
 * have no typical rate yet.
 */
export const risingPostsView = analytics
  .view('rising_posts', {
    /** The search. */
    search_id: ref().notNull(),
    /** Slug of the search. */
    search: text().notNull(),
    /** Slug of the topic. */
    topic: text().notNull(),
    /** sandbox (simulated), own or hosted. Kinds are never added together. */
    service_kind: text({ enum: SERVICE_KINDS }).notNull(),
    /** The post. */
    post_id: ref().notNull(),
    /** Author of the post; null when unknown. */
    author_id: ref(),
    /** Handle of the author; null when unknown. */
    author_username: text(),
    /** Text as last observed. */
    text: text().notNull(),
    /** URL of the post; null when never returned. */
    url: text(),
    /** When the post was published (UTC); null when unknown. */
    created_at: instant(),
    /**
     * Newest response of the search that was compared (UTC): "now" for this row. Old if the search is
     * not active.
     */
    as_of: instant().notNull(),
    /** Age of the post at as_of, in hours; null when its publication time is unknown. */
    age_hours: doublePrecision(),
    /** Engagement gained in the observed_hours before as_of, as far as observed. */
    gained_engagement: counter().notNull(),
    /**
     * Hours over which the gain was observed: since the last response before the last 6 hours, or since
     * publication or first observation. Never spans a gap of more than two intervals.
     */
    observed_hours: doublePrecision().notNull(),
    /** gained_engagement per hour. */
    per_hour: doublePrecision().notNull(),
    /**
     * Hourly gain of the median post of the search at this age; null when fewer than 5 posts were
     * observed at either end.
     */
    typical_per_hour: doublePrecision(),
    /**
     * Number of posts behind the typical rate, at the end with fewer; null when there is no typical
     * rate.
     */
    compared_with: counter(),
    /**
     * Engagement per hour above the typical rate. Higher rises more; null when the typical rate is
     * unknown.
     */
    ahead_per_hour: doublePrecision(),
    /** per_hour / typical_per_hour; null when the typical rate is 0 or unknown. */
    ratio: doublePrecision(),
    /** Likes when last observed; null when unknown. */
    like_count: counter(),
    /** Reposts when last observed; null when unknown. */
    repost_count: counter(),
    /** Replies when last observed; null when unknown. */
    reply_count: counter(),
    /** Quotes when last observed; null when unknown. */
    quote_count: counter(),
    /** Views when last observed; null when unknown. */
    view_count: counter(),
  })
  .existing();

/** Alert rules: what they report, and to which channels. */
export const rulesView = analytics
  .view('rules', {
    /** Key of the rule. */
    id: ref().notNull(),
    /** Short name. Unique among rules that are not removed. */
    slug: text().notNull(),
    /** Display name. */
    name: text().notNull(),
    /**
     * Slug of the topic in scope, or of the topic of the search in scope; null when the scope is
     * everything.
     */
    topic: text(),
    /** Slug of the search in scope; null when the scope is a topic or everything. */
    search: text(),
    /**
     * What it reports: post, link, spike, trend, answer, growth, name; of the rule system: system, the
     * problems of strandline itself.
     */
    kinds: text({ enum: STORED_RULE_KINDS }).array().notNull(),
    /** Query that a discovery must match (docs/reference/queries.md). Empty: no filter. */
    filter: text().notNull(),
    /** Minimum seconds between two messages, per channel. 0: one message per run with discoveries. */
    cooldown_seconds: integer().notNull(),
    /** Slugs of the channels it sends to. */
    channels: text().array().notNull(),
    /** active or paused. */
    state: text({ enum: RULE_STATES }).notNull(),
    /** When this state began (UTC). */
    state_since: instant().notNull(),
    /** When its last message was created (UTC); null before the first message. */
    last_made_at: instant(),
    /** When it was created (UTC). */
    created_at: instant().notNull(),
    /** When it was removed (UTC); null unless removed. */
    archived_at: instant(),
    /** Local times between which it sends nothing, such as 22:00-07:00; null: none. */
    quiet_hours: text(),
    /** Time zone of the quiet hours, and of the day of max_per_day. */
    tz: text().notNull(),
    /** Maximum number of messages a day, per channel; null: no limit. */
    max_per_day: integer(),
    /** Until when its messages are held back (UTC). Over if in the past; null if it was never muted. */
    muted_until: instant(),
    /** When it sends a digest, as a cron expression in tz; null: it reports discoveries instead. */
    digest: text(),
    /** When its next digest is due (UTC); null if it sends none, and until the next scan. */
    digest_due_at: instant(),
    /** For the kind growth: what a post must reach, such as likes>=1000, or unusual. Empty: unusual. */
    growth: text().array().notNull(),
  })
  .existing();

/**
 * Coverage by tool: which tools each run asked, which responded, and why not. One row per run and
 * tool; runs that were not executed, and most from before version 0.2, have none.
 */
export const runToolsView = analytics
  .view('run_tools', {
    /** The run. */
    run_id: ref().notNull(),
    /** The search. */
    search_id: ref().notNull(),
    /** Slug of the search. */
    search: text().notNull(),
    /** Slug of the topic. */
    topic: text().notNull(),
    /** Version in which the request last changed. */
    request_version: integer().notNull(),
    /** Label of the tool, such as Web Search. A microblog search asks one, Microblog Search. */
    tool: text({ enum: TOOLS }).notNull(),
    /** Whether the request named it. Some services return results of other tools, too. */
    asked: boolean().notNull(),
    /** Whether it responded, with or without results; null when the service does not report it. */
    responded: boolean(),
    /**
     * Number of items in its results; null when it did not respond, and when its results cannot be told
     * apart from others.
     */
    items: integer(),
    /**
     * Whether there may be more: the service says so (list_full), or it returned as many items as this
     * request ever got from it, and at least 10. Null when neither is known.
     */
    truncated: boolean(),
    /**
     * Why it did not respond, from a fixed list: a warning of the service (source_needs_key),
     * not_reported, or the code of the failed run. list_full when it responded, but more match than it
     * returned; otherwise null when it responded.
     */
    reason: text({ enum: TOOL_REASON_NAMES }),
    /** What the service reported about it; null when it reported nothing. */
    detail: text(),
    /**
     * When it last responded to the search before this run (UTC); null when it never did, or responded
     * now.
     */
    last_responded_at: instant(),
    /** When the response was received (UTC); null without a response. */
    observed_at: instant(),
    /** When the run was due, or created for a run without a slot (UTC). */
    due_at: instant().notNull(),
  })
  .existing();

/**
 * Runs: one row per due slot of a search, including slots that were not run, and one per manual or
 * first run.
 */
export const runsView = analytics
  .view('runs', {
    /** Key of the run. */
    id: ref().notNull(),
    /** The search. */
    search_id: ref().notNull(),
    /** Slug of the search. */
    search: text().notNull(),
    /** Slug of the topic. */
    topic: text().notNull(),
    /** Search version that was run. */
    version: integer().notNull(),
    /** Version in which the request last changed. */
    request_version: integer().notNull(),
    /** schedule, manual or first. */
    trigger: text({ enum: RUN_TRIGGERS }).notNull(),
    /** When it was due (UTC); null for manual and first runs. */
    slot_at: instant(),
    /** Last slot of a range of missed slots (UTC); null for a single slot. */
    span_until: instant(),
    /** Number of slots in the range; null for a single slot. */
    span_slots: integer(),
    /** queued, running, succeeded, failed, skipped or cancelled. */
    status: text({ enum: RUN_STATUSES }).notNull(),
    /** Error code, from a fixed list; null unless the run failed. */
    code: text({ enum: RUN_CODE_NAMES }),
    /**
     * Why it was skipped or cancelled, or what the service reported; null when there is no reason to
     * report.
     */
    reason: text(),
    /**
     * Whether it is the first succeeded run of its request, or an older one that was parsed later. Its
     * discoveries are listed but trigger no alerts.
     */
    baseline: boolean().notNull(),
    /** Posts and links in the response, parsed or not; null when there was no response. */
    items_seen: integer(),
    /** Posts and links that this search saw for the first time; null when there was no response. */
    items_new: integer(),
    /** Number of items that could not be parsed, see rejects; null when there was no response. */
    rejected: integer(),
    /** Posts returned. */
    posts_seen: integer().notNull(),
    /** Links returned. */
    links_seen: integer().notNull(),
    /** Number of calls made for this run. Each may be billed. */
    calls: counter().notNull(),
    /** Cost in US dollars, as reported by the service; null when not reported. */
    cost_usd: numeric({ mode: 'number' }),
    /** Earliest start of a queued run (retry, UTC); null when it can start now. */
    not_before: instant(),
    /** Number of times a worker leased it. */
    fence: integer().notNull(),
    /** Worker that leased it last; null when never leased. */
    worker: text(),
    /** When the row was created (UTC). */
    created_at: instant().notNull(),
    /** When it was first leased (UTC); null when never leased. */
    started_at: instant(),
    /** When it ended (UTC); null while queued or running. */
    ended_at: instant(),
    /** Seconds from first lease to end; null until it ends, and when never leased. */
    seconds: doublePrecision(),
    /**
     * Number of tools that its request names, see run_tools; 0 when it was not executed, or before this
     * was recorded.
     */
    tools_asked: integer().notNull(),
    /**
     * Number of those that responded. Tools that the service does not report are neither responding nor
     * silent.
     */
    tools_responded: integer().notNull(),
    /** Number of those that did not respond: what they would have found is missing. */
    tools_silent: integer().notNull(),
    /** Whether it is simulated: true in the database of the sandbox, false in any other. */
    simulated: boolean().notNull(),
  })
  .existing();

/**
 * Growth of a search's posts per observed day, from any search's observations: gains and losses,
 * summed separately. After a gap, the first observation includes all growth during the gap. No row:
 * not observed, which is not zero.
 */
export const searchGrowthDailyView = analytics
  .view('search_growth_daily', {
    /** The search. */
    search_id: ref().notNull(),
    /** Slug of the search. */
    search: text().notNull(),
    /** Slug of the topic. */
    topic: text().notNull(),
    /** sandbox (simulated), own or hosted. Kinds are never added together. */
    service_kind: text({ enum: SERVICE_KINDS }).notNull(),
    /** Start of the day (UTC). */
    bucket_at: instant().notNull(),
    /**
     * Number of responses of the search on this day. 0: gains were observed by other searches that have
     * the same posts.
     */
    looks: counter().notNull(),
    /**
     * Posts in those responses that the search had seen before, summed: posts whose growth could be
     * measured. 0 without gains: nothing to compare with.
     */
    followed: counter().notNull(),
    /** Number of observed changes of posts. */
    changes: counter().notNull(),
    /**
     * Share of the day that was observed, 0 to 1, as in volume_daily. Growth is attributed to the time
     * of the response, see looks.
     */
    coverage: doublePrecision().notNull(),
    /** Replies gained: increases only; null when unknown. */
    gained_reply_count: counter(),
    /** Replies lost, as a positive number; null when unknown. */
    lost_reply_count: counter(),
    /** Reposts gained: increases only; null when unknown. */
    gained_repost_count: counter(),
    /** Reposts lost, as a positive number; null when unknown. */
    lost_repost_count: counter(),
    /** Likes gained: increases only; null when unknown. */
    gained_like_count: counter(),
    /** Likes lost, as a positive number; null when unknown. */
    lost_like_count: counter(),
    /** Views gained: increases only; null when unknown. */
    gained_view_count: counter(),
    /** Views lost, as a positive number; null when unknown. */
    lost_view_count: counter(),
    /** Quotes gained: increases only; null when unknown. */
    gained_quote_count: counter(),
    /** Quotes lost, as a positive number; null when unknown. */
    lost_quote_count: counter(),
    /** Impressions gained: increases only; null when unknown. */
    gained_impression_count: counter(),
    /** Impressions lost, as a positive number; null when unknown. */
    lost_impression_count: counter(),
    /** Bookmarks gained: increases only; null when unknown. */
    gained_bookmark_count: counter(),
    /** Bookmarks lost, as a positive number; null when unknown. */
    lost_bookmark_count: counter(),
    /** Likes, reposts, replies and quotes gained, combined, as far as known; null when none is known. */
    gained_engagement: counter(),
  })
  .existing();

/**
 * Growth of a search's posts per observed hour, from any search's observations: gains and losses,
 * summed separately. After a gap, the first observation includes all growth during the gap. No row:
 * not observed, which is not zero.
 */
export const searchGrowthHourlyView = analytics
  .view('search_growth_hourly', {
    /** The search. */
    search_id: ref().notNull(),
    /** Slug of the search. */
    search: text().notNull(),
    /** Slug of the topic. */
    topic: text().notNull(),
    /** sandbox (simulated), own or hosted. Kinds are never added together. */
    service_kind: text({ enum: SERVICE_KINDS }).notNull(),
    /** Start of the hour (UTC). */
    bucket_at: instant().notNull(),
    /**
     * Number of responses of the search in this hour. 0: gains were observed by other searches that
     * have the same posts.
     */
    looks: integer().notNull(),
    /**
     * Posts in those responses that the search had seen before, summed: posts whose growth could be
     * measured. 0 without gains: nothing to compare with.
     */
    followed: counter().notNull(),
    /** Number of observed changes of posts. */
    changes: counter().notNull(),
    /**
     * Share of the hour that was observed, 0 to 1, as in volume_hourly. Growth is attributed to the
     * time of the response, see looks.
     */
    coverage: doublePrecision().notNull(),
    /** Replies gained: increases only; null when unknown. */
    gained_reply_count: counter(),
    /** Replies lost, as a positive number; null when unknown. */
    lost_reply_count: counter(),
    /** Reposts gained: increases only; null when unknown. */
    gained_repost_count: counter(),
    /** Reposts lost, as a positive number; null when unknown. */
    lost_repost_count: counter(),
    /** Likes gained: increases only; null when unknown. */
    gained_like_count: counter(),
    /** Likes lost, as a positive number; null when unknown. */
    lost_like_count: counter(),
    /** Views gained: increases only; null when unknown. */
    gained_view_count: counter(),
    /** Views lost, as a positive number; null when unknown. */
    lost_view_count: counter(),
    /** Quotes gained: increases only; null when unknown. */
    gained_quote_count: counter(),
    /** Quotes lost, as a positive number; null when unknown. */
    lost_quote_count: counter(),
    /** Impressions gained: increases only; null when unknown. */
    gained_impression_count: counter(),
    /** Impressions lost, as a positive number; null when unknown. */
    lost_impression_count: counter(),
    /** Bookmarks gained: increases only; null when unknown. */
    gained_bookmark_count: counter(),
    /** Bookmarks lost, as a positive number; null when unknown. */
    lost_bookmark_count: counter(),
    /** Likes, reposts, replies and quotes gained, combined, as far as known; null when none is known. */
    gained_engagement: counter(),
  })
  .existing();

/**
 * Gains of posts, per search that found them: a narrow view for ranking the posts of a search.
 * Contains only posts with a changed counter; post_growth has all.
 */
export const searchPostGainsView = analytics
  .view('search_post_gains', {
    /** The search. */
    search_id: ref().notNull(),
    /** Slug of the search. */
    search: text().notNull(),
    /** Slug of the topic. */
    topic: text().notNull(),
    /** sandbox (simulated), own or hosted. Kinds are never added together. */
    service_kind: text({ enum: SERVICE_KINDS }).notNull(),
    /** The post. */
    post_id: ref().notNull(),
    /** When this search first saw it (UTC). */
    first_seen_at: instant().notNull(),
    /** When a counter was last observed to change (UTC). */
    changed_at: instant().notNull(),
    /** Likes gained since first known, increases only; null when observed fewer than two times. */
    gained_like_count: counter(),
    /** Reposts gained since first known, increases only; null when observed fewer than two times. */
    gained_repost_count: counter(),
    /** Replies gained since first known, increases only; null when observed fewer than two times. */
    gained_reply_count: counter(),
    /** Quotes gained since first known, increases only; null when observed fewer than two times. */
    gained_quote_count: counter(),
    /** Views gained since first known, increases only; null when observed fewer than two times. */
    gained_view_count: counter(),
    /**
     * Likes, reposts, replies and quotes gained, combined, as far as known; null when none was observed
     * twice.
     */
    gained_engagement: counter(),
  })
  .existing();

/**
 * State history of each search. Time in which a search was not active was not observed; it does not
 * mean there were no posts.
 */
export const searchStatesView = analytics
  .view('search_states', {
    /** The search. */
    search_id: ref().notNull(),
    /** Slug of the search. */
    search: text().notNull(),
    /** Slug of the topic. */
    topic: text().notNull(),
    /** active, paused, broken or capped. */
    state: text({ enum: SEARCH_STATES }).notNull(),
    /** Why it was in this state; null when there is no reason to report. */
    reason: text(),
    /** When it began (UTC). */
    began_at: instant().notNull(),
    /** When it ended (UTC); null for the current state. */
    ended_at: instant(),
    /** Seconds from began_at to ended_at; null for the current state. */
    seconds: doublePrecision(),
  })
  .existing();

/**
 * How each search is doing now, from its runs: the same status as on pages, in commands and in the
 * API. Only silent is not decided here, because three intervals of a schedule are not computed in
 * SQL: compare no_success_since with the schedule.
 */
export const searchStatusView = analytics
  .view('search_status', {
    /** The search. */
    search_id: ref().notNull(),
    /** Slug of the search. */
    search: text().notNull(),
    /** Slug of the topic. */
    topic: text().notNull(),
    /**
     * ok; nothing_coming: its newest successful runs returned nothing where at least ten results are
     * usual, more of them in a row than ever before in its last 50 successful runs with this request;
     * runs in which a tool did not respond do not count; waiting_for_source: its run waits until a
     * public source is reachable; failing: the newest run failed; waiting: no run has succeeded or
     * failed yet; paused, broken or capped: its state; removed.
     */
    status: text({ enum: SEARCH_STATUSES }).notNull(),
    /**
     * When this status began (UTC): the first run that failed or returned nothing, the change of state,
     * the creation, or that of the run that waits for a source; null for ok.
     */
    since: instant(),
    /** Why it is paused, broken, capped or waiting for a source; null for any other status. */
    reason: text(),
    /** Newest run that succeeded or failed; null if there is none. */
    last_run_id: ref(),
    /** succeeded or failed; null if no run has yet. */
    last_run_status: text({ enum: RUN_OUTCOMES }),
    /** Error code of the newest run, from a closed list; null unless it failed. */
    last_run_code: text({ enum: RUN_CODE_NAMES }),
    /** The service's message if it failed; untrusted text. Null if there is none. */
    last_run_reason: text(),
    /** When the newest run that succeeded or failed ended (UTC); null if none has. */
    last_run_at: instant(),
    /** When the newest response that was parsed was received (UTC); null if there is none. */
    last_success_at: instant(),
    /**
     * For nothing_coming: number of successful runs in a row that returned nothing; null for any other
     * status.
     */
    empty_runs: integer(),
    /**
     * For nothing_coming: median number of results of the runs before, at most 50; null for any other
     * status.
     */
    usual_results: doublePrecision(),
    /**
     * Start of the time without a successful run (UTC): the newest response, or a later creation, edit
     * or resume.
     */
    no_success_since: instant().notNull(),
    /** Next slot (UTC); null when none is planned. */
    next_due_at: instant(),
    /**
     * HTTP status code of the response to the last call of the newest run, if that run failed; null if
     * it did not, or none arrived.
     */
    last_run_http_status: integer(),
    /** When it becomes active again by itself (UTC); null unless it is paused with an end. */
    paused_until: instant(),
    /**
     * What was paused: search (it alone), topic (its topic), all (all searches). Each is resumed by
     * itself; it is active again after the last of them. Empty unless it is paused.
     */
    pauses: text({ enum: PAUSE_SCOPES }).array().notNull(),
  })
  .existing();

/**
 * All versions of each search: request and schedule, and when they took effect. A changed request
 * starts a new baseline.
 */
export const searchVersionsView = analytics
  .view('search_versions', {
    /** The search. */
    search_id: ref().notNull(),
    /** Slug of the search. */
    search: text().notNull(),
    /** Slug of the topic. */
    topic: text().notNull(),
    /** Version number, from 1. */
    version: integer().notNull(),
    /** Version in which the request last changed. Equal to version if this version changed it. */
    request_version: integer().notNull(),
    /** When it was created (UTC). */
    created_at: instant().notNull(),
    /** The query. */
    prompt: text().notNull(),
    /** Tools of an ai search, as named in the specification; empty for microblog. */
    tools: text({ enum: TOOLS }).array().notNull(),
    /** NOVA, ORBIT or HORIZON: about 10, 30 or 120 seconds. */
    model: text({ enum: MODELS }).notNull(),
    /** Time range of an ai search; null for microblog. */
    date_filter: text({ enum: DATE_FILTERS }),
    /** Whether the response is streamed. */
    streaming: boolean().notNull(),
    /** Request members beyond the specification, passed through. */
    extra: jsonb().notNull(),
    /** Cron expression with five fields; null for an interval. */
    cron: text(),
    /** Interval in seconds; null for a cron expression or an adaptive interval. */
    every_seconds: integer(),
    /** Time zone of the cron expression (IANA name). */
    tz: text().notNull(),
    /** Adaptive interval as written, such as auto 5m-2h 48/day; null for a fixed schedule. */
    auto: text(),
  })
  .existing();

/** Saved searches with their current version. */
export const searchesView = analytics
  .view('searches', {
    /** The search. */
    id: ref().notNull(),
    /** Short unique name used by commands. */
    slug: text().notNull(),
    /** Its topic. */
    topic_id: ref().notNull(),
    /** Slug of the topic. */
    topic: text().notNull(),
    /** Name of the service it uses. Never changes. */
    service: text().notNull(),
    /** sandbox (simulated), own or hosted. */
    service_kind: text({ enum: SERVICE_KINDS }).notNull(),
    /** ai (all sources) or microblog (posts). */
    operation: text({ enum: OPERATIONS }).notNull(),
    /** Current version. Each change creates a new one. */
    version: integer().notNull(),
    /** Version in which the request last changed. A new request starts a new baseline. */
    request_version: integer().notNull(),
    /** The query. */
    prompt: text().notNull(),
    /** Tools of an ai search, as named in the specification; empty for microblog. */
    tools: text({ enum: TOOLS }).array().notNull(),
    /** NOVA, ORBIT or HORIZON: about 10, 30 or 120 seconds. */
    model: text({ enum: MODELS }).notNull(),
    /** Time range of an ai search; null for microblog. */
    date_filter: text({ enum: DATE_FILTERS }),
    /** Whether the response is streamed. */
    streaming: boolean().notNull(),
    /** Request members beyond the specification, passed through. */
    extra: jsonb().notNull(),
    /** Cron expression with five fields; null for an interval. */
    cron: text(),
    /** Interval in seconds; null for a cron expression or an adaptive interval. */
    every_seconds: integer(),
    /** Time zone of the cron expression (IANA name). */
    tz: text().notNull(),
    /** Labels set by a person. */
    labels: text().array().notNull(),
    /** active, paused, broken or capped. */
    state: text({ enum: SEARCH_STATES }).notNull(),
    /** Why it is in this state; null while active. */
    state_reason: text(),
    /** When this state began (UTC). */
    state_since: instant().notNull(),
    /** Next slot (UTC); null when none is planned. */
    next_due_at: instant(),
    /** When it was created (UTC). */
    created_at: instant().notNull(),
    /** When it was removed (UTC); null unless removed. */
    archived_at: instant(),
    /** How unusual volume must be to count as a spike: low, normal, high or off. */
    sensitivity: text({ enum: SENSITIVITIES }).notNull(),
    /** Whether it is simulated: true in the database of the sandbox, false in any other. */
    simulated: boolean().notNull(),
    /** Adaptive interval as written, such as auto 5m-2h 48/day; null for a fixed schedule. */
    auto: text(),
    /** When it becomes active again by itself (UTC); null unless it is paused with an end. */
    paused_until: instant(),
    /**
     * What was paused: search (it alone), topic (its topic), all (all searches). Each is resumed by
     * itself; it is active again after the last of them. Empty unless it is paused.
     */
    pauses: text({ enum: PAUSE_SCOPES }).array().notNull(),
  })
  .existing();

/**
 * Topics compared per day (UTC) of publication, separately for each kind of service. No row:
 * nothing found and nothing observed, which is not zero.
 */
export const shareOfVoiceView = analytics
  .view('share_of_voice', {
    /** The topic. */
    topic_id: ref().notNull(),
    /** Slug of the topic. */
    topic: text().notNull(),
    /** sandbox (simulated), own or hosted. Kinds are never added together. */
    service_kind: text({ enum: SERVICE_KINDS }).notNull(),
    /** Start of the day (UTC). */
    bucket_at: instant().notNull(),
    /**
     * Posts published that day, each counted once per topic, including reposts. Not corrected for
     * coverage.
     */
    posts: counter().notNull(),
    /** Number of those posts known to be reposts. */
    reposts: counter().notNull(),
    /**
     * Number of searches of the topic in use that day: they had returned results for it or an earlier
     * day, and were not removed before it.
     */
    searches: counter().notNull(),
    /**
     * Share of the day that was observed, 0 to 1: mean across those searches, counting 0 for a search
     * that saw none of it.
     */
    coverage: doublePrecision().notNull(),
    /** Whether the count may be too low because a response reached its limit. */
    lower_bound: boolean().notNull(),
    /**
     * Estimate for a fully observed day: the posts published in the observed time, divided by coverage.
     * Null when coverage is below 0.5, unless 20 such posts in half of the hours measure the rate.
     */
    normalised_posts: doublePrecision(),
    /**
     * Share of the normalised posts of all topics of this kind of service on this day, 0 to 1; null
     * when unknown for this topic, or when all are 0.
     */
    share: doublePrecision(),
    /** Number of topics compared: those with known normalised posts. */
    topics: counter().notNull(),
  })
  .existing();

/** Windows with unusually high volume or engagement, with the figures behind each decision. */
export const spikesView = analytics
  .view('spikes', {
    /** Key of the spike. */
    id: ref().notNull(),
    /** When it was found (UTC). */
    at: instant().notNull(),
    /** The search. */
    search_id: ref().notNull(),
    /** Slug of the search. */
    search: text().notNull(),
    /** Slug of the topic. */
    topic: text().notNull(),
    /** Run in which it was detected. */
    run_id: ref().notNull(),
    /** posts (published) or engagement (gained by posts). */
    measure: text({ enum: SPIKE_MEASURES }).notNull(),
    /** When the window begins (UTC). */
    window_start: instant().notNull(),
    /** When the window ends (UTC). */
    window_end: instant().notNull(),
    /** The spike described in one sentence. */
    sentence: text().notNull(),
    /**
     * Posts in the observed part of the window, or engagement gained in it. Not corrected for coverage.
     */
    n: doublePrecision().notNull(),
    /**
     * Whether n may be too low because a response reached its limit. Only in spikes of earlier
     * versions: since then, n / coverage is a measured rate.
     */
    lower_bound: boolean().notNull(),
    /**
     * Share of the window that was observed, 0 to 1. Small for a truncated response, which measures the
     * rate over minutes.
     */
    coverage: doublePrecision().notNull(),
    /** Expected for this time of day, for a fully observed window: posts, or engagement gained. */
    usual: doublePrecision().notNull(),
    /** n / usual, with n corrected for coverage unless it is a lower bound; null when usual is 0. */
    ratio: doublePrecision(),
    /** Mean of all times of day, for a fully observed window: posts, or engagement gained. */
    mean: doublePrecision().notNull(),
    /**
     * Standard deviation of such windows around usual: chance, and how much hours of this search vary
     * beyond it.
     */
    sd: doublePrecision().notNull(),
    /** How unlikely n is, in standard deviations of a normal distribution with the same tail. */
    score: doublePrecision().notNull(),
    /** Minimum score for a spike, in standard deviations. */
    threshold: doublePrecision().notNull(),
    /** Sensitivity of the search: low, normal or high. */
    sensitivity: text({ enum: SENSITIVITIES }).notNull(),
    /** Number of days in the comparison. */
    days: integer().notNull(),
    /** Number of hours in the comparison. */
    windows: integer().notNull(),
    /** Whether fewer than three days were observed. */
    provisional: boolean().notNull(),
    /** Time zone used in the sentence (IANA name). */
    tz: text().notNull(),
    /** For engagement, the post that gained most; null for posts. */
    top_post_id: ref(),
    /** That post's share of n, 0 to 1; null for posts. */
    top_share: doublePrecision(),
    /**
     * Median of the windows within an hour of this time on this weekday in the last four weeks, in the
     * unit of n; null unless all were observed.
     */
    weekday_usual: doublePrecision(),
    /** For posts, the author with the most in the window; null when unknown, and for engagement. */
    top_author_id: ref(),
    /** That author's share of the posts in the window, 0 to 1; null when unknown, and for engagement. */
    author_share: doublePrecision(),
    /**
     * What alone makes the window high: author (the loudest one) or text (copies of one). No rule
     * reports such a spike. Null for a spike of many.
     */
    only_by: text({ enum: SPIKE_CAUSES }),
    /**
     * What distinguishes the posts of the window from those of the week before: text (copies of one),
     * author, domain, hashtag, word, or none (no single one stands out). For engagement: post, if one
     * accounts for at least 30 % of the gain, or none. Null in spikes of earlier versions.
     */
    reason: text({ enum: SPIKE_REASONS }),
    /** The domain, hashtag or word; null for other reasons. */
    reason_name: text(),
    /**
     * Share of the posts (text, author), of the distinct authors (domain, hashtag, word) or of the gain
     * (post) in the window, 0 to 1; null for none.
     */
    reason_share: doublePrecision(),
    /** Share of the distinct authors in the week before, 0 to 1; null for other reasons. */
    reason_share_before: doublePrecision(),
    /**
     * The earliest post of the window with it, or the post that gained most; null for none, and once
     * that post was forgotten.
     */
    reason_post_id: ref(),
    /** When that post was published (UTC); null where there is none. */
    reason_post_at: instant(),
    /**
     * What n would be without it: without the repetitions of the text, the author, the links to the
     * domain, or the post; null for other reasons.
     */
    n_without_reason: doublePrecision(),
    /** Number of distinct authors in the window; null for engagement, and where the reason is. */
    window_authors: integer(),
    /**
     * Up to eight words, hashtags and domains that are more frequent than in the week before, as JSON:
     * kind, name, authors, share, share_before. Counted by distinct authors; at most one in twenty
     * differs by chance. Null for engagement, and where the reason is.
     */
    distinct_names: jsonb().$type<readonly DistinctName[]>(),
    /** The reason in a sentence or two, without names of people; null where the reason is. */
    why: text(),
    /** Handle of the author of the earliest post with the reason; null when unknown. */
    reason_author_username: text(),
  })
  .existing();

/**
 * Stories of topics: items that say the same thing. Two posts or links of a topic are joined if
 * they were found within 14 days of each other and have one address, contain or quote the same
 * thing, or share two thirds of their wording; a story is whatever such pairs connect. Decided
 * within seconds after a run. An item that nothing joins is in no story.
 */
export const storiesView = analytics
  .view('stories', {
    /**
     * Key of the story: that of the first discovery in it. Stays when stories merge: the older one is
     * kept.
     */
    id: ref().notNull(),
    /** Topic. */
    topic_id: ref().notNull(),
    /** Slug of the topic. */
    topic: text().notNull(),
    /** When its first member was found (UTC). */
    first_found_at: instant().notNull(),
    /** When its newest member was found (UTC). */
    last_news_at: instant().notNull(),
    /** Number of posts and links. */
    members: integer().notNull(),
    /** Number of distinct authors of its posts, as far as they are known; of the first 1,000 members. */
    authors: integer().notNull(),
    /** Number of distinct hosts of its addresses; of the first 1,000 members. */
    sources: integer().notNull(),
    /** Languages of its posts, as reported; of the first 1,000 members. */
    languages: text().array().notNull(),
    /** When the member that was published first was published (UTC); if unknown, when it was found. */
    first_published_at: instant().notNull(),
    /** Kind of that member: post or link. */
    first_kind: text().notNull(),
    /** Key of that post or link. */
    first_item_id: ref().notNull(),
    /** Text of that post, or title of that link; null when never returned. */
    text: text(),
    /** URL of that post or link; null when never returned. */
    url: text(),
    /** Author of that post; null for a link, and when unknown. */
    author_id: ref(),
    /** Handle of that author; null when unknown. */
    author_username: text(),
    /**
     * Number of distinct things among the members: a post and the links to it are one. Of the first
     * 1,000 members; each further one counts.
     */
    things: integer().notNull(),
    /**
     * When a person said that it is not relevant (UTC): lists and messages leave it out. Of merged
     * stories, the first time. Null: it is shown.
     */
    hidden_at: instant(),
    /** Who said so: an account, or the prefix of a token. Null: nobody, or it was not recorded. */
    hidden_by: text(),
    /**
     * Whether it is what the goal of the topic asks for, as a language model judged its first judged
     * item; null when it is not judged (yet), or when the topic has no goal.
     */
    relevant: boolean(),
    /**
     * Why, in at most a dozen words of the model; null when it gave no reason, and when relevant is
     * null.
     */
    why: text(),
    /** When it was judged (UTC); null when relevant is. */
    judged_at: instant(),
  })
  .existing();

/**
 * How stories grew: their posts and links by the hour in which the topic found them. Hours without
 * any are left out.
 */
export const storyHoursView = analytics
  .view('story_hours', {
    /** The story. */
    story_id: ref().notNull(),
    /** Topic. */
    topic_id: ref().notNull(),
    /** Slug of the topic. */
    topic: text().notNull(),
    /** Beginning of the hour (UTC). */
    hour: instant().notNull(),
    /** Posts and links of the story that were found in it, each once. */
    members: integer().notNull(),
  })
  .existing();

/** Posts and links of stories, each once in its topic. */
export const storyItemsView = analytics
  .view('story_items', {
    /** The story. */
    story_id: ref().notNull(),
    /** Topic. */
    topic_id: ref().notNull(),
    /** Slug of the topic. */
    topic: text().notNull(),
    /** First discovery of the item in the topic. */
    discovery_id: ref().notNull(),
    /** Kind of the item: post or link. */
    kind: text().notNull(),
    /** Key of the post or link. */
    item_id: ref().notNull(),
    /** When the topic found it (UTC). */
    found_at: instant().notNull(),
    /** When it was published (UTC); null when unknown. */
    published_at: instant(),
    /** Text of the post, or title of the link; null when never returned. */
    text: text(),
    /** URL of the post or link; null when never returned. */
    url: text(),
    /** Author of the post; null for a link, and when unknown. */
    author_id: ref(),
    /** Handle of the author; null when unknown. */
    author_username: text(),
  })
  .existing();

/**
 * Problems of strandline itself, each with its beginning and its end. The rule system reports them.
 */
export const systemEventsView = analytics
  .view('system_events', {
    /** Key of the problem, in the order in which they were noticed. */
    id: ref().notNull(),
    /**
     * search_failing: its newest runs failed; search_stopped: it was stopped by a refusal and needs a
     * person; search_silent: no successful run for three intervals; nothing_coming: nothing is returned
     * where results are usual; source_down: a source of the search service failed for all searches that
     * use it; channel_dead: a channel is disabled, or everything sent to it failed for an hour;
     * budget_low: nine tenths of the calls of a day are used; worker_stopped: a worker ended without
     * saying so; nothing_ran: no worker ran.
     */
    kind: text({ enum: SYSTEM_EVENT_KINDS }).notNull(),
    /** What it is about: slug of the search or channel, name of the source, service or worker. */
    subject: text().notNull(),
    /** Slug of the search; null if it is about something else. */
    search: text(),
    /** Slug of the topic of the search; null if it is about something else. */
    topic: text(),
    /** When it began (UTC). */
    since: instant().notNull(),
    /** When a second check confirmed it (UTC), so that it could be reported. */
    opened_at: instant().notNull(),
    /**
     * When a check first did not see it any more (UTC): it ends when that lasts. Null while it is seen.
     */
    clear_since: instant(),
    /** When it ended (UTC); null: it lasts. */
    until: instant(),
    /**
     * How it ended: recovered; replaced: another problem of the same search took its place; paused or
     * removed: somebody did that to its subject; day_ended. Null: it lasts.
     */
    outcome: text({ enum: SYSTEM_EVENT_OUTCOMES }),
    /** Why, as of the last check; may contain text of a service. Null if there is nothing to add. */
    reason: text(),
    /** What a person can do; null: nothing, or to wait. */
    advice: text(),
  })
  .existing();

/**
 * Most active authors of a search's new posts, per day. Rows can be summed across days. Across the
 * searches of a topic, sum only topic_posts, which counts each post once.
 */
export const topAuthorsView = analytics
  .view('top_authors', {
    /** The search. */
    search_id: ref().notNull(),
    /** Slug of the search. */
    search: text().notNull(),
    /** Slug of the topic. */
    topic: text().notNull(),
    /** sandbox (simulated), own or hosted. Kinds are never added together. */
    service_kind: text({ enum: SERVICE_KINDS }).notNull(),
    /** Start of the day (UTC) on which the posts were published. */
    bucket_at: instant().notNull(),
    /** The author. */
    author_id: ref().notNull(),
    /** Handle of the author; null when unknown. */
    author_username: text(),
    /** Display name of the author; null when unknown. */
    author_name: text(),
    /** Followers when last observed; null when unknown. */
    followers_count: counter(),
    /** Posts published that day that are new to this search. */
    posts: integer().notNull(),
    /**
     * Number of those posts that no other search of the topic had seen before. Counts each post once
     * per topic.
     */
    topic_posts: integer().notNull(),
  })
  .existing();

/**
 * Domains of a search: those its new posts link to, and those of its new links, per day. Rows can
 * be summed across days. Across the searches of a topic, sum only topic_posts and topic_links,
 * which count each item once.
 */
export const topDomainsView = analytics
  .view('top_domains', {
    /** The search. */
    search_id: ref().notNull(),
    /** Slug of the search. */
    search: text().notNull(),
    /** Slug of the topic. */
    topic: text().notNull(),
    /** sandbox (simulated), own or hosted. Kinds are never added together. */
    service_kind: text({ enum: SERVICE_KINDS }).notNull(),
    /** Start of the day (UTC): of publication for posts, of the first sighting by the search for links. */
    bucket_at: instant().notNull(),
    /** Host without www, lower case. */
    domain: text().notNull(),
    /** New posts of that day that link to the domain. */
    posts: counter().notNull(),
    /** Number of those posts that no other search of the topic had seen before. */
    topic_posts: counter().notNull(),
    /** Links of the domain that are new to this search. */
    links: counter().notNull(),
    /** Number of those links that no other search of the topic had seen before. */
    topic_links: counter().notNull(),
  })
  .existing();

/**
 * Hashtags in a search's new posts, per day. Rows can be summed across days. Across the searches of
 * a topic, sum only topic_posts, which counts each post once.
 */
export const topHashtagsView = analytics
  .view('top_hashtags', {
    /** The search. */
    search_id: ref().notNull(),
    /** Slug of the search. */
    search: text().notNull(),
    /** Slug of the topic. */
    topic: text().notNull(),
    /** sandbox (simulated), own or hosted. Kinds are never added together. */
    service_kind: text({ enum: SERVICE_KINDS }).notNull(),
    /** Start of the day (UTC) on which the posts were published. */
    bucket_at: instant().notNull(),
    /** Hashtag without #, lower case. */
    hashtag: text().notNull(),
    /** Posts published that day that are new to this search. */
    posts: integer().notNull(),
    /**
     * Number of those posts that no other search of the topic had seen before. Counts each post once
     * per topic.
     */
    topic_posts: integer().notNull(),
  })
  .existing();

/**
 * Languages of a search's new posts, per day. Rows can be summed across days. Across the searches
 * of a topic, sum only topic_posts, which counts each post once.
 */
export const topLanguagesView = analytics
  .view('top_languages', {
    /** The search. */
    search_id: ref().notNull(),
    /** Slug of the search. */
    search: text().notNull(),
    /** Slug of the topic. */
    topic: text().notNull(),
    /** sandbox (simulated), own or hosted. Kinds are never added together. */
    service_kind: text({ enum: SERVICE_KINDS }).notNull(),
    /** Start of the day (UTC) on which the posts were published. */
    bucket_at: instant().notNull(),
    /** Language code as returned, including und, qme and zxx. Posts without a code are not counted. */
    lang: text().notNull(),
    /** Posts published that day that are new to this search. */
    posts: integer().notNull(),
    /**
     * Number of those posts that no other search of the topic had seen before. Counts each post once
     * per topic.
     */
    topic_posts: integer().notNull(),
  })
  .existing();

/** Names that topics list, to see in which answers of AI searches they are. */
export const topicNamesView = analytics
  .view('topic_names', {
    /** Key of the name. */
    id: ref().notNull(),
    /** The topic. */
    topic_id: ref().notNull(),
    /** Slug of the topic. */
    topic: text().notNull(),
    /** The name as it was written. */
    name: text().notNull(),
    /** own or rival. */
    side: text({ enum: NAME_SIDES }).notNull(),
    /** Further forms that count as the name. */
    aliases: text().array().notNull(),
    /** Domains whose links count as citing it, with their subdomains. */
    domains: text().array().notNull(),
    /** When it was added (UTC). */
    added_at: instant().notNull(),
    /** Who added it. */
    added_by: text().notNull(),
  })
  .existing();

/**
 * What people know about a time of a topic, such as the start of a campaign. The chart of the topic
 * shows it.
 */
export const topicNotesView = analytics
  .view('topic_notes', {
    /** Key of the note. */
    id: ref().notNull(),
    /** The topic. */
    topic_id: ref().notNull(),
    /** Slug of the topic. */
    topic: text().notNull(),
    /** The time that the note is about (UTC). */
    at: instant().notNull(),
    /** The note: one line, at most 280 characters. */
    text: text().notNull(),
    /** When it was added (UTC). */
    added_at: instant().notNull(),
    /** Who added it: an account, or the prefix of a token. */
    added_by: text().notNull(),
    /** When its time or text was changed last (UTC); null: never. */
    edited_at: instant(),
  })
  .existing();

/** Topics, including removed ones. */
export const topicsView = analytics
  .view('topics', {
    /** Key of the topic. */
    id: ref().notNull(),
    /** Short unique name used by commands. */
    slug: text().notNull(),
    /** Display name. */
    name: text().notNull(),
    /** Whether it is the sample topic that the program creates with simulated posts. */
    sample: boolean().notNull(),
    /** When it was created (UTC). */
    created_at: instant().notNull(),
    /** When it was removed (UTC); null unless removed. Its history is kept. */
    archived_at: instant(),
    /** Number of its searches that are not removed. */
    searches: counter().notNull(),
    /** Slug of the topic that continues its searches on another service; null if there is none. */
    successor: text(),
    /** Whether it is simulated: true in the database of the sandbox, false in any other. */
    simulated: boolean().notNull(),
    /**
     * Until when messages about it are held back (UTC). Over if in the past; null if it was never
     * muted.
     */
    muted_until: instant(),
    /**
     * What its news is about, in words: a language model judges each story by it (judgements), and only
     * relevant ones are reported. Null: everything is.
     */
    goal: text(),
    /**
     * Language tag of its readers: a language model translates what it finds in other languages
     * (translations). Null: nothing is translated.
     */
    language: text(),
  })
  .existing();

/**
 * Translations of texts by a language model (`LLM_BASE_URL`), for topics with a language. The
 * original is in its own view.
 */
export const translationsView = analytics
  .view('translations', {
    /**
     * What is translated: post (its text), title or snippet (of a link), or claim (a statement of an
     * answer).
     */
    kind: text({ enum: TRANSLATED_KINDS }).notNull(),
    /** Key of the post, link or claim. */
    item_id: ref().notNull(),
    /** Language tag of the translation, such as en. */
    language: text().notNull(),
    /** The translation. Of an original of more than 1,000 characters, that of its beginning. */
    text: text().notNull(),
    /** The language model that translated it. */
    model: text().notNull(),
    /** When it was translated (UTC). */
    translated_at: instant().notNull(),
  })
  .existing();

/**
 * States of searches over days, one at a time, as they were reported: rising, falling, at a new
 * level, silent, and back to normal. A search without a row is normal.
 */
export const trendStatesView = analytics
  .view('trend_states', {
    /** Key of the state. */
    id: ref().notNull(),
    /** When it was found (UTC). */
    at: instant().notNull(),
    /** The search. */
    search_id: ref().notNull(),
    /** Slug of the search. */
    search: text().notNull(),
    /** Slug of the topic. */
    topic: text().notNull(),
    /** Run in which it was detected. */
    run_id: ref().notNull(),
    /** rising, falling, new_level, silent (observed without posts), or normal. */
    state: text({ enum: TREND_STATES }).notNull(),
    /** When it began (UTC), which is before it was found. */
    since: instant().notNull(),
    /** When the next state began (UTC); null for the current state. */
    until: instant(),
    /** The change described in one sentence. */
    sentence: text().notNull(),
    /** The state that it ended; null for the first row of a search. */
    previous_state: text({ enum: TREND_STATES }),
    /** When that state began (UTC); null for the first row of a search. */
    previous_since: instant(),
    /**
     * Posts a day before the change; after a state, those before the state. Null for silence, and when
     * unknown.
     */
    rate_before: doublePrecision(),
    /** Posts a day when it was found; null for silence, and when unknown. */
    rate: doublePrecision(),
    /** For silence, observed hours without posts when it was found; null for others. */
    observed_hours: doublePrecision(),
    /** For silence, posts that are usual in these hours; null for others. */
    expected: doublePrecision(),
    /**
     * How unlikely the change is, in standard deviations: the root of twice the log-likelihood ratio;
     * for silence, minus the logarithm of the probability of no post. Null for normal.
     */
    score: doublePrecision(),
    /** Minimum score, in the same unit (standard deviations, or a logarithm); null for normal. */
    threshold: doublePrecision(),
    /** Number of observed days in the comparison. */
    days: integer().notNull(),
    /** Days from then on (UTC) are compared in what follows; null for all. */
    compared_since: instant(),
    /** Time zone used in the sentence (IANA name). */
    tz: text().notNull(),
    /**
     * For rising and a higher level, what distinguishes the posts since then from those of the week
     * before: text, author, domain, hashtag, word. For falling, a lower level and silence, what
     * stopped: author or domain, if it accounts for at least half of the decline, or service, if all
     * other searches of the service that usually find posts fell silent, too. none: no single one
     * stands out. Null for normal, and in states of earlier versions.
     */
    reason: text({ enum: TREND_REASONS }),
    /** The domain, hashtag, word or service; null for other reasons. */
    reason_name: text(),
    /**
     * Share of the posts (text, author) or of the distinct authors (domain, hashtag, word) since then,
     * 0 to 1; of what stopped, its share of the posts of the week before. Null for none and service.
     */
    reason_share: doublePrecision(),
    /** Share of the distinct authors in the week before, 0 to 1; null for other reasons. */
    reason_share_before: doublePrecision(),
    /**
     * The earliest post with it; of what stopped, the last one. Null where there is none, and once that
     * post was forgotten.
     */
    reason_post_id: ref(),
    /** When that post was published (UTC); null where there is none. */
    reason_post_at: instant(),
    /** The reason in a sentence, without names of people; null where the reason is. */
    why: text(),
  })
  .existing();

/**
 * Calls that tested a search before it was saved. They belong to no run but count toward the daily
 * call limit. Their results are not stored.
 */
export const trialsView = analytics
  .view('trials', {
    /** Key of the trial. */
    id: ref().notNull(),
    /** Service that was called. */
    service: text().notNull(),
    /** ai or microblog. */
    operation: text({ enum: OPERATIONS }).notNull(),
    /** The query. */
    prompt: text().notNull(),
    /** Tools of an ai search, as named in the specification; empty for microblog. */
    tools: text({ enum: TOOLS }).array().notNull(),
    /** NOVA, ORBIT or HORIZON: about 10, 30 or 120 seconds. */
    model: text({ enum: MODELS }).notNull(),
    /** Time range of an ai search; null for microblog. */
    date_filter: text({ enum: DATE_FILTERS }),
    /** Whether a streamed response was requested. */
    streaming: boolean().notNull(),
    /** Request members beyond the specification, passed through. */
    extra: jsonb().notNull(),
    /**
     * sent, received, failed or unknown (the client disconnected or the process ended during the call;
     * counts as paid).
     */
    state: text({ enum: CALL_STATES }).notNull(),
    /** HTTP status code of the response; null when there was none. */
    http_status: integer(),
    /** Why the call failed or its response could not be parsed; null otherwise. */
    code: text({ enum: RUN_CODE_NAMES }),
    /** Size of the decoded response in bytes; null when there was none. */
    bytes: integer(),
    /** Milliseconds from request to last byte; null when there was no response. */
    latency_ms: integer(),
    /** Cost in US dollars, as reported by the service; null when not reported. */
    cost_usd: numeric({ mode: 'number' }),
    /** When the call was recorded, just before the request was sent (UTC). */
    sent_at: instant().notNull(),
    /** When the response arrived or the call failed (UTC); null while the call is open. */
    received_at: instant(),
  })
  .existing();

/**
 * Typical values of a search: medians over its posts at one age, from at most 500 observed posts
 * that reached the age last, as of the search's newest response.
 */
export const typicalAtAgeView = analytics
  .view('typical_at_age', {
    /** The search. */
    search_id: ref().notNull(),
    /** Slug of the search. */
    search: text().notNull(),
    /** Slug of the topic. */
    topic: text().notNull(),
    /** sandbox (simulated), own or hosted. Kinds are never added together. */
    service_kind: text({ enum: SERVICE_KINDS }).notNull(),
    /** Age of the posts in hours: 1, 3, 8, 24 or 72. */
    hours: integer().notNull(),
    /** Number of posts behind the medians. */
    posts: counter().notNull(),
    /** Median of replies at this age; null when fewer than 5 are known. */
    reply_count: doublePrecision(),
    /** Median of reposts at this age; null when fewer than 5 are known. */
    repost_count: doublePrecision(),
    /** Median of likes at this age; null when fewer than 5 are known. */
    like_count: doublePrecision(),
    /** Median of views at this age; null when fewer than 5 are known. */
    view_count: doublePrecision(),
    /** Median of quotes at this age; null when fewer than 5 are known. */
    quote_count: doublePrecision(),
    /** Median of impressions at this age; null when fewer than 5 are known. */
    impression_count: doublePrecision(),
    /** Median of bookmarks at this age; null when fewer than 5 are known. */
    bookmark_count: doublePrecision(),
    /**
     * Median of engagement at this age (likes + reposts + replies + quotes, as far as known); null when
     * fewer than 5 are known.
     */
    engagement: doublePrecision(),
  })
  .existing();

/**
 * Posts that a search found earlier and that are not in its newest response. Later changes to them
 * are not observed by this search.
 */
export const unseenPostsView = analytics
  .view('unseen_posts', {
    /** The search. */
    search_id: ref().notNull(),
    /** Slug of the search. */
    search: text().notNull(),
    /** Slug of the topic. */
    topic: text().notNull(),
    /** sandbox (simulated), own or hosted. Kinds are never added together. */
    service_kind: text({ enum: SERVICE_KINDS }).notNull(),
    /** The post. */
    post_id: ref().notNull(),
    /** When this search last returned it (UTC). */
    not_seen_since: instant().notNull(),
    /** Whether the newest response of another search contains it. */
    seen_elsewhere: boolean().notNull(),
    /** When the post was published (UTC); null when unknown. */
    created_at: instant(),
    /** Start of the day (UTC) on which it was published; null when unknown. */
    bucket_at: instant(),
    /** Likes + reposts + replies + quotes, as last observed by any search; null when all are unknown. */
    engagement: counter(),
  })
  .existing();

/**
 * Posts of a search per day (UTC) of publication. No row: nothing found and nothing observed, which
 * is not zero.
 */
export const volumeDailyView = analytics
  .view('volume_daily', {
    /** The search. */
    search_id: ref().notNull(),
    /** Slug of the search. */
    search: text().notNull(),
    /** Start of the day (UTC). */
    bucket_at: instant().notNull(),
    /**
     * Posts published in this time, each counted once per search; a post without a time, or with a
     * later one, counts when it was first seen. Not corrected for coverage.
     */
    posts: counter().notNull(),
    /** Share of this time that was observed, 0 to 1. Below 1, posts may be missing. */
    coverage: doublePrecision().notNull(),
    /** Whether the count may be too low because a response reached its limit. */
    lower_bound: boolean().notNull(),
    /** Of posts, those published in the observed share of this time. */
    observed_posts: counter().notNull(),
    /**
     * Rate: observed_posts per observed hour, also where a response reached its limit; null when
     * nothing was observed.
     */
    per_hour: doublePrecision(),
    /**
     * Of posts, those that no other search of the topic found earlier: the sum over the searches of a
     * topic counts each post once.
     */
    topic_posts: counter().notNull(),
  })
  .existing();

/**
 * Posts of a search per hour of publication. No row: nothing found and nothing observed, which is
 * not zero.
 */
export const volumeHourlyView = analytics
  .view('volume_hourly', {
    /** The search. */
    search_id: ref().notNull(),
    /** Slug of the search. */
    search: text().notNull(),
    /** Start of the hour (UTC). */
    bucket_at: instant().notNull(),
    /**
     * Posts published in this time, each counted once per search; a post without a time, or with a
     * later one, counts when it was first seen. Not corrected for coverage.
     */
    posts: counter().notNull(),
    /** Share of this time that was observed, 0 to 1. Below 1, posts may be missing. */
    coverage: doublePrecision().notNull(),
    /** Whether the count may be too low because a response reached its limit. */
    lower_bound: boolean().notNull(),
    /** Of posts, those published in the observed share of this time. */
    observed_posts: counter().notNull(),
    /**
     * Rate: observed_posts per observed hour, also where a response reached its limit; null when
     * nothing was observed.
     */
    per_hour: doublePrecision(),
    /**
     * Of posts, those that no other search of the topic found earlier: the sum over the searches of a
     * topic counts each post once.
     */
    topic_posts: counter().notNull(),
  })
  .existing();
