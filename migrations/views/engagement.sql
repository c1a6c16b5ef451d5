-- No view: what the views add up with. Not STRICT and without SET, so that Postgres puts it in the place of its call, as if
-- the sum were written there. Of any type of number. The same as `sumEngagement` in src/domain/counters.ts.
CREATE OR REPLACE FUNCTION strandline_analytics.engagement(likes anyelement, reposts anyelement, replies anyelement, quotes anyelement)
  RETURNS anyelement LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  select case when coalesce(likes, reposts, replies, quotes) is not null
    then coalesce(likes, 0) + coalesce(reposts, 0) + coalesce(replies, 0) + coalesce(quotes, 0) end
$$;

COMMENT ON FUNCTION strandline_analytics.engagement IS 'Likes, reposts, replies and quotes together, as far as they are known; null where none of them is.';
