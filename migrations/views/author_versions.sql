CREATE OR REPLACE VIEW strandline_analytics.author_versions AS
  with sources as (
    -- When each member that is known at a version was last said, by a full copy if there is one.
    select v.author_id, v.observed_at, v.run_id,
      coalesce(max(v.observed_at) filter (where v.username is not null and not v.is_partial) over w,
        max(v.observed_at) filter (where v.username is not null) over w) as username_at,
      coalesce(max(v.observed_at) filter (where v.name is not null and not v.is_partial) over w,
        max(v.observed_at) filter (where v.name is not null) over w) as name_at,
      coalesce(max(v.observed_at) filter (where v.description is not null and not v.is_partial) over w,
        max(v.observed_at) filter (where v.description is not null) over w) as description_at,
      coalesce(max(v.observed_at) filter (where v.location is not null and not v.is_partial) over w,
        max(v.observed_at) filter (where v.location is not null) over w) as location_at,
      coalesce(max(v.observed_at) filter (where v.url is not null and not v.is_partial) over w,
        max(v.observed_at) filter (where v.url is not null) over w) as url_at
    from strandline.author_versions v window w as (partition by v.author_id order by v.observed_at)
  ), known as (
    select v.author_id, v.observed_at, v.run_id,
      (select o.username from strandline.author_versions o where o.author_id = v.author_id and o.observed_at = v.username_at) as username,
      (select o.name from strandline.author_versions o where o.author_id = v.author_id and o.observed_at = v.name_at) as name,
      (select o.description from strandline.author_versions o where o.author_id = v.author_id and o.observed_at = v.description_at) as description,
      (select o.location from strandline.author_versions o where o.author_id = v.author_id and o.observed_at = v.location_at) as location,
      (select o.url from strandline.author_versions o where o.author_id = v.author_id and o.observed_at = v.url_at) as url
    from sources v
    union all
    select p.id, p.observed_at, p.run_id, p.username, p.name, p.description, p.location, p.url
    from strandline.authors p where not exists (select from strandline.author_versions v where v.author_id = p.id)
  ), changed as (
    select *, (username, name, description, location, url)
      is distinct from lag((username, name, description, location, url)) over (partition by author_id order by observed_at) as is_new
    from known
  )
  select c.author_id, c.observed_at as valid_from,
    lead(c.observed_at) over (partition by c.author_id order by c.observed_at) as valid_until,
    c.run_id, s.slug as search, c.username, c.name, c.description, c.location, c.url
  from changed c
  left join strandline.runs r on r.id = c.run_id
  left join strandline.searches s on s.id = r.search_id
  where c.is_new;

COMMENT ON VIEW strandline_analytics.author_versions IS 'Authors over time: one row whenever the handle, name, profile text, location or URL changed. Authors who never changed have one row.';
COMMENT ON COLUMN strandline_analytics.author_versions.author_id IS 'The author.';
COMMENT ON COLUMN strandline_analytics.author_versions.valid_from IS 'When a response first showed this version (UTC).';
COMMENT ON COLUMN strandline_analytics.author_versions.valid_until IS 'When a response first showed the next version (UTC); null for the current one.';
COMMENT ON COLUMN strandline_analytics.author_versions.run_id IS 'Run whose response first showed this version; null when stored before versions were kept.';
COMMENT ON COLUMN strandline_analytics.author_versions.search IS 'Slug of the search of this run; null when unknown or deleted.';
COMMENT ON COLUMN strandline_analytics.author_versions.username IS 'Handle; null when unknown.';
COMMENT ON COLUMN strandline_analytics.author_versions.name IS 'Display name; null when unknown.';
COMMENT ON COLUMN strandline_analytics.author_versions.description IS 'Profile text; null when unknown, empty when the author has none.';
COMMENT ON COLUMN strandline_analytics.author_versions.location IS 'Location as entered by the author; null when unknown, empty when the author has none.';
COMMENT ON COLUMN strandline_analytics.author_versions.url IS 'Profile URL; null when unknown, empty when the author has none.';
