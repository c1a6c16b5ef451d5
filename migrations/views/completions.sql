CREATE OR REPLACE VIEW strandline_analytics.completions AS
  select c.id, c.run_id, c.search_id, s.slug as search, c.observed_at, c.changed, c.summary, c.microblog_summary,
    c.discussion_board_summary, c.news_forum_summary, c.text_chunks, c.completion_links, c.search_completion_links, c.miner_link_scores, c.warnings,
    c.claims
  from strandline.completions c join strandline.searches s on s.id = c.search_id;

COMMENT ON VIEW strandline_analytics.completions IS 'AI-written completions, one per run of an ai search.';
COMMENT ON COLUMN strandline_analytics.completions.id IS 'Key of the completion.';
COMMENT ON COLUMN strandline_analytics.completions.run_id IS 'Its run.';
COMMENT ON COLUMN strandline_analytics.completions.search_id IS 'Its search.';
COMMENT ON COLUMN strandline_analytics.completions.search IS 'Slug of its search.';
COMMENT ON COLUMN strandline_analytics.completions.observed_at IS 'When it was received (UTC).';
COMMENT ON COLUMN strandline_analytics.completions.changed IS 'Its set of cited links differs from the completion before.';
COMMENT ON COLUMN strandline_analytics.completions.summary IS 'Summary over all sources; null where the answer had none.';
COMMENT ON COLUMN strandline_analytics.completions.microblog_summary IS 'Summary of microblog posts; null where the answer had none.';
COMMENT ON COLUMN strandline_analytics.completions.discussion_board_summary IS 'Summary of discussion boards; null where the answer had none.';
COMMENT ON COLUMN strandline_analytics.completions.news_forum_summary IS 'Summary of news forums; null where the answer had none.';
COMMENT ON COLUMN strandline_analytics.completions.text_chunks IS 'Pieces of the microblog summary as given; null where none were.';
COMMENT ON COLUMN strandline_analytics.completions.completion_links IS 'Ids of the links that it cites, in order.';
COMMENT ON COLUMN strandline_analytics.completions.search_completion_links IS 'Ids of all links returned for it, in order.';
COMMENT ON COLUMN strandline_analytics.completions.miner_link_scores IS 'Relevance by post id or address, as given; null where none was.';
COMMENT ON COLUMN strandline_analytics.completions.warnings IS 'Warnings of the service, where given.';
COMMENT ON COLUMN strandline_analytics.completions.claims IS 'Number of claims that it makes, see completion_claims; null where it was kept before claims were read (runs replay reads them).';
