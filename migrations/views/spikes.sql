CREATE OR REPLACE VIEW strandline_analytics.spikes AS
  select k.id, k.at, k.search_id, s.slug as search, t.slug as topic, k.run_id, k.measure, k.window_start, k.window_end, k.sentence,
    k.n, k.lower_bound, k.coverage, k.usual,
    case when k.lower_bound then k.n else k.n / k.coverage end / nullif(k.usual, 0) as ratio, k.mean, k.sd, k.score, k.threshold,
    k.sensitivity, k.days, k.windows, k.provisional, k.tz, k.top_post_id, k.top_share, k.weekday_usual
  from strandline.spikes k
  join strandline.searches s on s.id = k.search_id
  join strandline.topics t on t.id = s.topic_id;

COMMENT ON VIEW strandline_analytics.spikes IS 'Windows with more than usual, each with what it was decided on.';
COMMENT ON COLUMN strandline_analytics.spikes.id IS 'Key of the spike.';
COMMENT ON COLUMN strandline_analytics.spikes.at IS 'When it was found (UTC).';
COMMENT ON COLUMN strandline_analytics.spikes.search_id IS 'The search.';
COMMENT ON COLUMN strandline_analytics.spikes.search IS 'Slug of the search.';
COMMENT ON COLUMN strandline_analytics.spikes.topic IS 'Slug of the topic.';
COMMENT ON COLUMN strandline_analytics.spikes.run_id IS 'Run that brought it to light.';
COMMENT ON COLUMN strandline_analytics.spikes.measure IS 'posts (how many were written) or engagement (what counters of posts gained).';
COMMENT ON COLUMN strandline_analytics.spikes.window_start IS 'When the window begins (UTC).';
COMMENT ON COLUMN strandline_analytics.spikes.window_end IS 'When it ends (UTC).';
COMMENT ON COLUMN strandline_analytics.spikes.sentence IS 'The spike in one sentence.';
COMMENT ON COLUMN strandline_analytics.spikes.n IS 'Posts in the window, or likes, reposts, replies and quotes gained in it, as counted.';
COMMENT ON COLUMN strandline_analytics.spikes.lower_bound IS 'It may have been more: an answer was cut at its limit.';
COMMENT ON COLUMN strandline_analytics.spikes.coverage IS 'Share of the window that was observed, 0 to 1.';
COMMENT ON COLUMN strandline_analytics.spikes.usual IS 'Middle of the observed windows within an hour of this time of day, in the unit of n: posts, or engagement gained.';
COMMENT ON COLUMN strandline_analytics.spikes.ratio IS 'n, scaled up by coverage where it is no lower bound, over usual; null where usual is 0.';
COMMENT ON COLUMN strandline_analytics.spikes.mean IS 'Mean of all observed windows compared with, in the unit of n: posts, or engagement gained.';
COMMENT ON COLUMN strandline_analytics.spikes.sd IS 'Their spread (standard deviation, with a floor), in the unit of n: posts, or engagement gained.';
COMMENT ON COLUMN strandline_analytics.spikes.score IS 'How far n, scaled up by coverage where it is no lower bound, lies from the mean of this time of day, in sd.';
COMMENT ON COLUMN strandline_analytics.spikes.threshold IS 'What the score had to reach: a number of standard deviations.';
COMMENT ON COLUMN strandline_analytics.spikes.sensitivity IS 'Setting of the search: low, normal or high.';
COMMENT ON COLUMN strandline_analytics.spikes.days IS 'How many days back the comparison goes.';
COMMENT ON COLUMN strandline_analytics.spikes.windows IS 'Number of windows compared with.';
COMMENT ON COLUMN strandline_analytics.spikes.provisional IS 'Less than three days were observed.';
COMMENT ON COLUMN strandline_analytics.spikes.tz IS 'Time zone of the sentence (IANA name).';
COMMENT ON COLUMN strandline_analytics.spikes.top_post_id IS 'For engagement, the post that gained most; null for posts.';
COMMENT ON COLUMN strandline_analytics.spikes.top_share IS 'Its share of n, 0 to 1; null for posts.';
COMMENT ON COLUMN strandline_analytics.spikes.weekday_usual IS 'Middle of the observed windows within an hour of this time on this weekday in the last four weeks, in the unit of n; null where one of them was not observed.';
