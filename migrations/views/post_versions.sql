CREATE OR REPLACE VIEW strandline_analytics.post_versions AS
  with sources as (
    -- When each member that is known at a version was last said, by a full copy if there is one.
    select v.post_id, v.observed_at, v.run_id,
      coalesce(max(v.observed_at) filter (where v.text is not null and not v.is_partial) over w,
        max(v.observed_at) filter (where v.text is not null) over w) as text_at,
      coalesce(max(v.observed_at) filter (where v.created_at is not null and not v.is_partial) over w,
        max(v.observed_at) filter (where v.created_at is not null) over w) as created_at_at,
      coalesce(max(v.observed_at) filter (where v.lang is not null and not v.is_partial) over w,
        max(v.observed_at) filter (where v.lang is not null) over w) as lang_at,
      coalesce(max(v.observed_at) filter (where v.hashtags is not null and not v.is_partial) over w,
        max(v.observed_at) filter (where v.hashtags is not null) over w) as hashtags_at,
      coalesce(max(v.observed_at) filter (where v.mentions is not null and not v.is_partial) over w,
        max(v.observed_at) filter (where v.mentions is not null) over w) as mentions_at,
      coalesce(max(v.observed_at) filter (where v.urls is not null and not v.is_partial) over w,
        max(v.observed_at) filter (where v.urls is not null) over w) as urls_at,
      coalesce(max(v.observed_at) filter (where v.entities is not null and not v.is_partial) over w,
        max(v.observed_at) filter (where v.entities is not null) over w) as entities_at
    from strandline.post_versions v window w as (partition by v.post_id order by v.observed_at)
  ), known as (
    select v.post_id, v.observed_at, v.run_id,
      (select o.text from strandline.post_versions o where o.post_id = v.post_id and o.observed_at = v.text_at) as text,
      (select o.created_at from strandline.post_versions o where o.post_id = v.post_id and o.observed_at = v.created_at_at) as created_at,
      (select o.lang from strandline.post_versions o where o.post_id = v.post_id and o.observed_at = v.lang_at) as lang,
      (select o.hashtags from strandline.post_versions o where o.post_id = v.post_id and o.observed_at = v.hashtags_at) as hashtags,
      (select o.mentions from strandline.post_versions o where o.post_id = v.post_id and o.observed_at = v.mentions_at) as mentions,
      (select o.urls from strandline.post_versions o where o.post_id = v.post_id and o.observed_at = v.urls_at) as urls,
      (select o.entities from strandline.post_versions o where o.post_id = v.post_id and o.observed_at = v.entities_at) as entities
    from sources v
    union all
    select p.id, p.observed_at, p.run_id, nullif(p.text, ''), p.created_at, p.lang, p.hashtags, p.mentions, p.urls, p.entities
    from strandline.posts p where not exists (select from strandline.post_versions v where v.post_id = p.id)
  ), changed as (
    select *, (text, created_at, lang, hashtags, mentions, urls, entities)
      is distinct from lag((text, created_at, lang, hashtags, mentions, urls, entities)) over (partition by post_id order by observed_at) as is_new
    from known
  )
  select c.post_id, c.observed_at as valid_from,
    lead(c.observed_at) over (partition by c.post_id order by c.observed_at) as valid_until,
    c.run_id, s.slug as search, coalesce(c.text, '') as text, c.created_at, c.lang, c.hashtags, c.mentions, c.urls, c.entities
  from changed c
  join strandline.posts p on p.id = c.post_id
  left join strandline.runs r on r.id = c.run_id
  left join strandline.searches s on s.id = r.search_id
  where c.is_new;

COMMENT ON VIEW strandline_analytics.post_versions IS 'Posts over time: one row whenever the text, publication time, language, hashtags, mentions, URLs or entities changed. Posts that never changed have one row.';
COMMENT ON COLUMN strandline_analytics.post_versions.post_id IS 'The post.';
COMMENT ON COLUMN strandline_analytics.post_versions.valid_from IS 'When a response first showed this version (UTC).';
COMMENT ON COLUMN strandline_analytics.post_versions.valid_until IS 'When a response first showed the next version (UTC); null for the current one.';
COMMENT ON COLUMN strandline_analytics.post_versions.run_id IS 'Run whose response first showed this version; null when stored before versions were kept.';
COMMENT ON COLUMN strandline_analytics.post_versions.search IS 'Slug of the search of this run; null when unknown or deleted.';
COMMENT ON COLUMN strandline_analytics.post_versions.text IS 'Text; empty when unknown.';
COMMENT ON COLUMN strandline_analytics.post_versions.created_at IS 'Stated time of publication (UTC); null when unknown.';
COMMENT ON COLUMN strandline_analytics.post_versions.lang IS 'Language code; null when unknown.';
COMMENT ON COLUMN strandline_analytics.post_versions.hashtags IS 'Hashtags in the text; null when unknown.';
COMMENT ON COLUMN strandline_analytics.post_versions.mentions IS 'Handles mentioned in the text; null when unknown.';
COMMENT ON COLUMN strandline_analytics.post_versions.urls IS 'URLs in the text, expanded; null when unknown.';
COMMENT ON COLUMN strandline_analytics.post_versions.entities IS 'Entities, as returned; null when unknown.';
