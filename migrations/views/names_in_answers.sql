CREATE OR REPLACE VIEW strandline_analytics.names_in_answers AS
  select t.id as topic_id, t.slug as topic, s.id as search_id, s.slug as search, v.name as service, v.kind as service_kind,
    n.id as name_id, n.name, n.side, d.bucket_at, d.answers, d.named, d.cited, d.present, d.present::float8 / d.answers as share
  from strandline.topic_names n
  join strandline.topics t on t.id = n.topic_id
  join strandline.topic_name_lists l on l.topic_id = t.id
  join strandline.searches s on s.topic_id = t.id
  join strandline.services v on v.id = s.service_id
  cross join lateral (
    select date_trunc('day', a.observed_at, 'UTC') as bucket_at, count(*) as answers,
      count(*) filter (where n.id = any (a.named)) as named, count(*) filter (where n.id = any (a.cited)) as cited,
      count(*) filter (where n.id = any (a.named) or n.id = any (a.cited)) as present
    from strandline.answer_names a where a.search_id = s.id and a.version = l.version group by 1
  ) d;

COMMENT ON VIEW strandline_analytics.names_in_answers IS 'In how many answers of an AI search each name that its topic lists was named or cited, per day (UTC). Only answers that were read: a run that failed and an answer without a text are none. A day without a row had no answer, which is not zero. After a change of the names, answers are read again within minutes, the newest first.';
COMMENT ON COLUMN strandline_analytics.names_in_answers.topic_id IS 'The topic.';
COMMENT ON COLUMN strandline_analytics.names_in_answers.topic IS 'Slug of the topic.';
COMMENT ON COLUMN strandline_analytics.names_in_answers.search_id IS 'The search.';
COMMENT ON COLUMN strandline_analytics.names_in_answers.search IS 'Slug of the search.';
COMMENT ON COLUMN strandline_analytics.names_in_answers.service IS 'Name of the search service that wrote the answers. They say nothing about any other service.';
COMMENT ON COLUMN strandline_analytics.names_in_answers.service_kind IS 'sandbox (simulated), own or hosted.';
COMMENT ON COLUMN strandline_analytics.names_in_answers.name_id IS 'Key of the name.';
COMMENT ON COLUMN strandline_analytics.names_in_answers.name IS 'The name.';
COMMENT ON COLUMN strandline_analytics.names_in_answers.side IS 'own or rival.';
COMMENT ON COLUMN strandline_analytics.names_in_answers.bucket_at IS 'Start of the day (UTC) on which the answers were received.';
COMMENT ON COLUMN strandline_analytics.names_in_answers.answers IS 'Number of answers that were read.';
COMMENT ON COLUMN strandline_analytics.names_in_answers.named IS 'Number of them whose text has the name or an alias, as whole words. A name inside of a longer listed name counts for the longer one.';
COMMENT ON COLUMN strandline_analytics.names_in_answers.cited IS 'Number of them that cite a link of its domains.';
COMMENT ON COLUMN strandline_analytics.names_in_answers.present IS 'Number of them that name it, cite it, or both.';
COMMENT ON COLUMN strandline_analytics.names_in_answers.share IS 'present / answers, 0 to 1.';
