-- Completions and spikes are looked up where a row is one: joined, they made the view a join of eight, which took longer to plan than to run.
CREATE OR REPLACE VIEW strandline_analytics.discoveries AS
  select d.id, d.at, d.kind, d.baseline, d.search_id, s.slug as search, t.slug as topic, d.run_id,
    case d.kind when 'post' then d.thing end as post_id,
    case d.kind when 'link' then d.thing end as link_id,
    case d.kind when 'completion' then d.thing end as completion_id,
    coalesce(p.text, l.title,
      (select c.summary from strandline.completions c where d.kind = 'completion' and c.id = d.thing),
      (select k.sentence from strandline.spikes k where d.kind = 'spike' and k.id = d.thing)) as text,
    coalesce(p.url, l.canonical) as url,
    a.username as author_username,
    coalesce(p.created_at, l.published_at,
      (select k.window_start from strandline.spikes k where d.kind = 'spike' and k.id = d.thing)) as created_at,
    p.like_count, p.repost_count, p.reply_count, p.view_count,
    case d.kind when 'spike' then d.thing end as spike_id
  from strandline.discoveries d
  join strandline.searches s on s.id = d.search_id
  join strandline.topics t on t.id = s.topic_id
  left join strandline.posts p on d.kind = 'post' and p.id = d.thing
  left join strandline.authors a on a.id = p.author_id
  left join strandline.links l on d.kind = 'link' and l.id = d.thing;
--> statement-breakpoint
COMMENT ON SCHEMA strandline_analytics IS 'strandline SQL contract, version 1.11';
