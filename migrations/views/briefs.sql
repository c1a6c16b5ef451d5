CREATE OR REPLACE VIEW strandline_analytics.briefs AS
  select b.id, b.kind, b.digest_id, b.spike_id, b.topic_id, t.slug as topic,
    (
      select string_agg(concat_ws(' ', e->>'text', (
        select string_agg('[' || (n #>> '{}') || ']', '' order by p) from jsonb_array_elements(e->'sources') with ordinality u(n, p)
      )), ' ' order by i)
      from jsonb_array_elements(b.content->'sentences') with ordinality s(e, i)
    ) as text,
    array(select e->>'page' from jsonb_array_elements(b.content->'sources') with ordinality s(e, i) order by i) as pages,
    b.content->>'model' as model, b.written_at
  from strandline.briefs b
  left join strandline.topics t on t.id = b.topic_id
  where b.content is not null;

COMMENT ON VIEW strandline_analytics.briefs IS 'Two or three sentences that a language model (`LLM_BASE_URL`) wrote of a digest, of a spike, or of the last day of a topic, without those that their sources do not support. Of a topic only the newest.';
COMMENT ON COLUMN strandline_analytics.briefs.id IS 'Key.';
COMMENT ON COLUMN strandline_analytics.briefs.kind IS 'What it is about: digest, spike or topic.';
COMMENT ON COLUMN strandline_analytics.briefs.digest_id IS 'Digest; null of others.';
COMMENT ON COLUMN strandline_analytics.briefs.spike_id IS 'Spike; null of others.';
COMMENT ON COLUMN strandline_analytics.briefs.topic_id IS 'Topic, also of a spike; null of a digest.';
COMMENT ON COLUMN strandline_analytics.briefs.topic IS 'Slug of the topic; null of a digest.';
COMMENT ON COLUMN strandline_analytics.briefs.text IS 'The sentences, each followed by the numbers of its sources in brackets.';
COMMENT ON COLUMN strandline_analytics.briefs.pages IS 'Paths of the pages of the sources in the dashboard: the first is that of number 1.';
COMMENT ON COLUMN strandline_analytics.briefs.model IS 'The language model that wrote it.';
COMMENT ON COLUMN strandline_analytics.briefs.written_at IS 'When it was written (UTC).';
