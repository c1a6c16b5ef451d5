CREATE OR REPLACE VIEW strandline_analytics.author_versions AS
  with known as (
    select v.author_id, v.observed_at, v.run_id,
      (select o.username from strandline.author_versions o where o.author_id = v.author_id and o.observed_at <= v.observed_at
        and o.username is not null order by o.is_partial, o.observed_at desc limit 1) as username,
      (select o.name from strandline.author_versions o where o.author_id = v.author_id and o.observed_at <= v.observed_at
        and o.name is not null order by o.is_partial, o.observed_at desc limit 1) as name,
      (select o.description from strandline.author_versions o where o.author_id = v.author_id and o.observed_at <= v.observed_at
        and o.description is not null order by o.is_partial, o.observed_at desc limit 1) as description,
      (select o.location from strandline.author_versions o where o.author_id = v.author_id and o.observed_at <= v.observed_at
        and o.location is not null order by o.is_partial, o.observed_at desc limit 1) as location,
      (select o.url from strandline.author_versions o where o.author_id = v.author_id and o.observed_at <= v.observed_at
        and o.url is not null order by o.is_partial, o.observed_at desc limit 1) as url
    from strandline.author_versions v
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
