/** Sources of topics: their kinds. Pure. */

/**
 * `feed`; `site`: a page that names a feed; `page`: its text is watched; `search`: a feed of an engine, whose address takes words;
 * `service`: a source of the search service.
 */
export const TOPIC_SOURCE_KINDS = ['feed', 'site', 'page', 'search', 'service'] as const;
export type TopicSourceKind = (typeof TOPIC_SOURCE_KINDS)[number];

/** The most sources of a topic, besides those of the service: a request names them all. */
export const MAX_TOPIC_SOURCES = 100;
