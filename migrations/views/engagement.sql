-- A helper of the views, not a view. Neither STRICT nor with SET, so that Postgres can inline it. Works with any numeric type.
-- Must match `sumEngagement` in src/model/counters.ts.
CREATE OR REPLACE FUNCTION strandline_analytics.engagement(likes anyelement, reposts anyelement, replies anyelement, quotes anyelement)
  RETURNS anyelement LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  select case when coalesce(likes, reposts, replies, quotes) is not null
    then coalesce(likes, 0) + coalesce(reposts, 0) + coalesce(replies, 0) + coalesce(quotes, 0) end
$$;

COMMENT ON FUNCTION strandline_analytics.engagement IS 'Likes + reposts + replies + quotes, as far as known; null when none is known.';
