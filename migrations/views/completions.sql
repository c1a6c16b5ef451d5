CREATE OR REPLACE VIEW strandline_analytics.completions AS
  select c.id, c.run_id, c.search_id, s.slug as search, c.observed_at, c.changed, c.summary, c.microblog_summary,
    c.discussion_board_summary, c.news_forum_summary, c.text_chunks, c.completion_links, c.search_completion_links, c.miner_link_scores, c.warnings,
    c.claims, c.text, c.previous_run_id, c.statements_new, c.statements_gone, c.statements_kept, c.citations_added,
    c.citations_removed, c.similarity, :simulated as simulated, c.statements_revised
  from strandline.completions c join strandline.searches s on s.id = c.search_id;

COMMENT ON VIEW strandline_analytics.completions IS 'AI-written completions, at most one per run of an ai search.';
COMMENT ON COLUMN strandline_analytics.completions.id IS 'Key of the completion.';
COMMENT ON COLUMN strandline_analytics.completions.run_id IS 'The run.';
COMMENT ON COLUMN strandline_analytics.completions.search_id IS 'The search.';
COMMENT ON COLUMN strandline_analytics.completions.search IS 'Slug of the search.';
COMMENT ON COLUMN strandline_analytics.completions.observed_at IS 'When it was received (UTC).';
COMMENT ON COLUMN strandline_analytics.completions.changed IS 'Whether it says something that no completion of the search did in the 7 days before (of the last 50): a new statement, the opposite of an earlier one, another name or another figure. Moved counters, other words for the same facts, other sources, a statement that comes and goes, and introductions without a citation are no change; the first completion is none. A completion stored by an earlier version keeps the former meaning until runs replay, and has no statements_revised.';
COMMENT ON COLUMN strandline_analytics.completions.summary IS 'Summary across all sources; null when the response had none.';
COMMENT ON COLUMN strandline_analytics.completions.microblog_summary IS 'Summary of microblog posts; null when the response had none.';
COMMENT ON COLUMN strandline_analytics.completions.discussion_board_summary IS 'Summary of discussion boards; null when the response had none.';
COMMENT ON COLUMN strandline_analytics.completions.news_forum_summary IS 'Summary of news forums; null when the response had none.';
COMMENT ON COLUMN strandline_analytics.completions.text_chunks IS 'Chunks of the microblog summary, as returned; null when there were none.';
COMMENT ON COLUMN strandline_analytics.completions.completion_links IS 'IDs of the links it cites, in order.';
COMMENT ON COLUMN strandline_analytics.completions.search_completion_links IS 'IDs of all links in the response, in order.';
COMMENT ON COLUMN strandline_analytics.completions.miner_link_scores IS 'Relevance scores by post ID or URL, as returned; null when there were none.';
COMMENT ON COLUMN strandline_analytics.completions.warnings IS 'Warnings returned by the service, if any.';
COMMENT ON COLUMN strandline_analytics.completions.claims IS 'Number of claims, see completion_claims; null when the completion was stored before claims were parsed (runs replay fills it in).';
COMMENT ON COLUMN strandline_analytics.completions.text IS 'Further text of the response, in the third format; null when the response had none.';
COMMENT ON COLUMN strandline_analytics.completions.previous_run_id IS 'Run of the previous completion, which it is compared with. Null for the first completion, and for those stored by an earlier version.';
COMMENT ON COLUMN strandline_analytics.completions.statements_new IS 'Number of statements that the previous completion does not contain. Statements are compared by their words, figures, names and negations; counters, ages and copies within the completion are left out, and so are revised ones; null if it was not compared.';
COMMENT ON COLUMN strandline_analytics.completions.statements_gone IS 'Number of statements of the previous completion that it does not contain; null if it was not compared.';
COMMENT ON COLUMN strandline_analytics.completions.statements_kept IS 'Number of its statements that the previous completion contains; null if it was not compared.';
COMMENT ON COLUMN strandline_analytics.completions.citations_added IS 'Number of links it cites and the previous completion does not; null if it was not compared.';
COMMENT ON COLUMN strandline_analytics.completions.citations_removed IS 'Number of links the previous completion cites and it does not; null if it was not compared.';
COMMENT ON COLUMN strandline_analytics.completions.similarity IS 'Share of the statements of both completions that the other one contains as well, from 0 to 1; null if it was not compared.';
COMMENT ON COLUMN strandline_analytics.completions.simulated IS 'Whether it is simulated: true in the database of the sandbox, false in any other.';
COMMENT ON COLUMN strandline_analytics.completions.statements_revised IS 'Number of statements that differ from one of the previous completion in figures only; null if it was not compared, and by an earlier version, which counts them as new and gone.';
