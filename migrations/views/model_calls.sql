CREATE OR REPLACE VIEW strandline_analytics.model_calls AS
  select c.purpose, c.day, c.calls, c.reported as calls_with_tokens,
    case when c.reported > 0 then c.input end as input_tokens, case when c.reported > 0 then c.output end as output_tokens, c.last_call_at, c.failed
  from (
    select split_part(a.source, ':', 2) as purpose, to_date(a.period, 'YYYY-MM-DD')::timestamp at time zone 'UTC' as day,
      coalesce(max(a.units) filter (where a.source like '%:calls'), 0) as calls,
      coalesce(max(a.units) filter (where a.source like '%:reported'), 0) as reported,
      coalesce(max(a.units) filter (where a.source like '%:input'), 0) as input,
      coalesce(max(a.units) filter (where a.source like '%:output'), 0) as output,
      coalesce(max(a.units) filter (where a.source like '%:failed'), 0) as failed,
      max(a.counted_at) filter (where a.source like '%:calls') as last_call_at
    from strandline.source_allowances a
    where a.source like 'llm:%'
    group by 1, 2
  ) c
  where c.calls > 0;

COMMENT ON VIEW strandline_analytics.model_calls IS 'Requests to a language model (`LLM_BASE_URL`), by purpose and day, of about 40 days. A day without requests has no row.';
COMMENT ON COLUMN strandline_analytics.model_calls.purpose IS 'What was asked for: plan (queries of a search), write (a completion), check (whether sources state what was written), judge (whether stories are what the goal of their topic asks for), brief (to write a brief, and to check it) or translate (texts into the language of a topic).';
COMMENT ON COLUMN strandline_analytics.model_calls.day IS 'When the day begins (UTC).';
COMMENT ON COLUMN strandline_analytics.model_calls.calls IS 'Number of requests, counted before they were sent; those that failed count too.';
COMMENT ON COLUMN strandline_analytics.model_calls.calls_with_tokens IS 'Number of these requests whose response said how many tokens it cost.';
COMMENT ON COLUMN strandline_analytics.model_calls.input_tokens IS 'Number of tokens that were sent in the requests of calls_with_tokens; null when no response said so.';
COMMENT ON COLUMN strandline_analytics.model_calls.output_tokens IS 'Number of tokens that were returned to the requests of calls_with_tokens; null when no response said so.';
COMMENT ON COLUMN strandline_analytics.model_calls.last_call_at IS 'When the last of these requests was counted (UTC).';
COMMENT ON COLUMN strandline_analytics.model_calls.failed IS 'Number of these requests without a response that could be used. Responses that cannot be used are counted for judge, brief and translate only.';
