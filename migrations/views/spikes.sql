CREATE OR REPLACE VIEW strandline_analytics.spikes AS
  select k.id, k.at, k.search_id, s.slug as search, t.slug as topic, k.run_id, k.measure, k.window_start, k.window_end, k.sentence,
    k.n, k.lower_bound, k.coverage, k.usual,
    case when k.lower_bound then k.n else k.n / k.coverage end / nullif(k.usual, 0) as ratio, k.mean, k.sd, k.score, k.threshold,
    k.sensitivity, k.days, k.windows, k.provisional, k.tz, k.top_post_id, k.top_share, k.weekday_usual, k.top_author_id, k.author_share,
    k.only_by, k.reason, k.reason_name, k.reason_share, k.reason_share_before, k.reason_post_id, k.reason_post_at, k.n_without_reason,
    k.window_authors, k.distinct_names, k.why, a.username as reason_author_username
  from strandline.spikes k
  join strandline.searches s on s.id = k.search_id
  join strandline.topics t on t.id = s.topic_id
  left join strandline.posts p on p.id = k.reason_post_id
  left join strandline.authors a on a.id = p.author_id;

COMMENT ON VIEW strandline_analytics.spikes IS 'Windows with unusually high volume or engagement, with the figures behind each decision.';
COMMENT ON COLUMN strandline_analytics.spikes.id IS 'Key of the spike.';
COMMENT ON COLUMN strandline_analytics.spikes.at IS 'When it was found (UTC).';
COMMENT ON COLUMN strandline_analytics.spikes.search_id IS 'The search.';
COMMENT ON COLUMN strandline_analytics.spikes.search IS 'Slug of the search.';
COMMENT ON COLUMN strandline_analytics.spikes.topic IS 'Slug of the topic.';
COMMENT ON COLUMN strandline_analytics.spikes.run_id IS 'Run in which it was detected.';
COMMENT ON COLUMN strandline_analytics.spikes.measure IS 'posts (published) or engagement (gained by posts).';
COMMENT ON COLUMN strandline_analytics.spikes.window_start IS 'When the window begins (UTC).';
COMMENT ON COLUMN strandline_analytics.spikes.window_end IS 'When the window ends (UTC).';
COMMENT ON COLUMN strandline_analytics.spikes.sentence IS 'The spike described in one sentence.';
COMMENT ON COLUMN strandline_analytics.spikes.n IS 'Posts in the observed part of the window, or engagement gained in it. Not corrected for coverage.';
COMMENT ON COLUMN strandline_analytics.spikes.lower_bound IS 'Whether n may be too low because a response reached its limit. Only in spikes of earlier versions: since then, n / coverage is a measured rate.';
COMMENT ON COLUMN strandline_analytics.spikes.coverage IS 'Share of the window that was observed, 0 to 1. Small for a truncated response, which measures the rate over minutes.';
COMMENT ON COLUMN strandline_analytics.spikes.usual IS 'Expected for this time of day, for a fully observed window: posts, or engagement gained.';
COMMENT ON COLUMN strandline_analytics.spikes.ratio IS 'n / usual, with n corrected for coverage unless it is a lower bound; null when usual is 0.';
COMMENT ON COLUMN strandline_analytics.spikes.mean IS 'Mean of all times of day, for a fully observed window: posts, or engagement gained.';
COMMENT ON COLUMN strandline_analytics.spikes.sd IS 'Standard deviation of such windows around usual: chance, and how much hours of this search vary beyond it.';
COMMENT ON COLUMN strandline_analytics.spikes.score IS 'How unlikely n is, in standard deviations of a normal distribution with the same tail.';
COMMENT ON COLUMN strandline_analytics.spikes.threshold IS 'Minimum score for a spike, in standard deviations.';
COMMENT ON COLUMN strandline_analytics.spikes.sensitivity IS 'Sensitivity of the search: low, normal or high.';
COMMENT ON COLUMN strandline_analytics.spikes.days IS 'Number of days in the comparison.';
COMMENT ON COLUMN strandline_analytics.spikes.windows IS 'Number of hours in the comparison.';
COMMENT ON COLUMN strandline_analytics.spikes.provisional IS 'Whether fewer than three days were observed.';
COMMENT ON COLUMN strandline_analytics.spikes.tz IS 'Time zone used in the sentence (IANA name).';
COMMENT ON COLUMN strandline_analytics.spikes.top_post_id IS 'For engagement, the post that gained most; null for posts.';
COMMENT ON COLUMN strandline_analytics.spikes.top_share IS 'That post''s share of n, 0 to 1; null for posts.';
COMMENT ON COLUMN strandline_analytics.spikes.weekday_usual IS 'Median of the windows within an hour of this time on this weekday in the last four weeks, in the unit of n; null unless all were observed.';
COMMENT ON COLUMN strandline_analytics.spikes.top_author_id IS 'For posts, the author with the most in the window; null when unknown, and for engagement.';
COMMENT ON COLUMN strandline_analytics.spikes.author_share IS 'That author''s share of the posts in the window, 0 to 1; null when unknown, and for engagement.';
COMMENT ON COLUMN strandline_analytics.spikes.only_by IS 'What alone makes the window high: author (the loudest one) or text (copies of one). No rule reports such a spike. Null for a spike of many.';
COMMENT ON COLUMN strandline_analytics.spikes.reason IS 'What distinguishes the posts of the window from those of the week before: text (copies of one), author, domain, hashtag, word, or none (no single one stands out). For engagement: post, if one accounts for at least 30 % of the gain, or none. Null in spikes of earlier versions.';
COMMENT ON COLUMN strandline_analytics.spikes.reason_name IS 'The domain, hashtag or word; null for other reasons.';
COMMENT ON COLUMN strandline_analytics.spikes.reason_share IS 'Share of the posts (text, author), of the distinct authors (domain, hashtag, word) or of the gain (post) in the window, 0 to 1; null for none.';
COMMENT ON COLUMN strandline_analytics.spikes.reason_share_before IS 'Share of the distinct authors in the week before, 0 to 1; null for other reasons.';
COMMENT ON COLUMN strandline_analytics.spikes.reason_post_id IS 'The earliest post of the window with it, or the post that gained most; null for none, and once that post was forgotten.';
COMMENT ON COLUMN strandline_analytics.spikes.reason_post_at IS 'When that post was published (UTC); null where there is none.';
COMMENT ON COLUMN strandline_analytics.spikes.n_without_reason IS 'What n would be without it: without the repetitions of the text, the author, the links to the domain, or the post; null for other reasons.';
COMMENT ON COLUMN strandline_analytics.spikes.window_authors IS 'Number of distinct authors in the window; null for engagement, and where the reason is.';
COMMENT ON COLUMN strandline_analytics.spikes.distinct_names IS 'Up to eight words, hashtags and domains that are more frequent than in the week before, as JSON: kind, name, authors, share, share_before. Counted by distinct authors; at most one in twenty differs by chance. Null for engagement, and where the reason is.';
COMMENT ON COLUMN strandline_analytics.spikes.why IS 'The reason in a sentence or two, without names of people; null where the reason is.';
COMMENT ON COLUMN strandline_analytics.spikes.reason_author_username IS 'Handle of the author of the earliest post with the reason; null when unknown.';
