/** The statements that make the history, in their order. `made` (n, search_id, ai) is there before them. */

export type Size = {
  posts: number;
  searches: number;
  days: number;
  service: string;
  from: Date;
  until: Date;
};

const S = 'strandline';
/** Hours after it was found at which a post is seen with other counters than before. */
const AGES = [0, 1, 2, 3, 5, 8, 12, 24, 36, 48, 72];
const COUNTERS = ['reply', 'repost', 'like', 'view', 'quote', 'bookmark'] as const;
/** Of the likes, in which part they are known of every post. */
const PARTS = { reply: 8, repost: 5, like: 1, view: -90, quote: 20, bookmark: 30 };
/** Most of them: a small history has no more than posts. */
const AUTHORS_MOST = 50_000;
const LINKS_MOST = 60_000;
/** Claims that a search of operation A ever makes, and those of one completion. */
const CLAIMS = 248;
const SAID = 8;

/** A number from 0 to k - 1 that only depends on n and the salt. */
const draw = (n: string, salt: number, k: number) =>
  `((hashint8extended(${n}, ${salt}) & 9223372036854775807) % ${k})`;
/** What a counter is when a post is so many hours old: it comes near to its last value within two days. */
const counted = (name: keyof typeof PARTS, likes: string, hours: string) => {
  const all = PARTS[name] < 0 ? `${likes} * ${-PARTS[name]}` : `${likes} / ${PARTS[name]}`;
  return `floor((${all}) * (1 - exp(-(${hours}) / 10.0)))::bigint`;
};
const columns = COUNTERS.map((name) => `${name}_count`).join(', ');
const countedAll = (likes: string, hours: string) =>
  COUNTERS.map((name) => counted(name, likes, hours)).join(', ');

export function steps({ posts, searches, days, service, from, until }: Size): [name: string, sql: string][] {
  const begin = `'${from.toISOString()}'::timestamptz`;
  const end = `'${until.toISOString()}'::timestamptz`;
  const seconds = days * 86_400;
  const authors = Math.min(AUTHORS_MOST, posts);
  const links = Math.min(LINKS_MOST, posts);
  return [
    ['partitions', `SELECT ${S}.ensure_snapshot_partitions(${begin}, ${end} + interval '1 month')`],
    [
      'authors',
      `WITH made AS (
         INSERT INTO ${S}.authors (service_id, external_id, username, name, first_seen_at, observed_at)
         SELECT ${service}, 'a' || n, 'author_' || n, 'Author ' || n, ${begin}, ${begin} FROM generate_series(1, ${authors}) n
         RETURNING id, external_id, observed_at
       )
       INSERT INTO ${S}.author_counters (author_id, observed_at, followers_count)
       SELECT id, observed_at, ${draw('substr(external_id, 2)::int', 1, 100_000)} FROM made ORDER BY id`,
    ],
    // One run an hour. Two of a hundred fail, one is missed. The first of each search is its baseline.
    [
      'runs',
      `INSERT INTO ${S}.runs (search_id, version, request_version, slot_at, trigger, status, code, reason, fence, created_at, started_at,
         ended_at, baseline, items_seen, items_new, rejected)
       SELECT m.search_id, 1, 1, t.at, 'schedule', k.status, CASE k.status WHEN 'failed' THEN 'upstream_5xx' END,
         CASE k.status WHEN 'skipped' THEN 'missed' WHEN 'failed' THEN 'HTTP 500' END, 1, t.at,
         CASE WHEN k.status <> 'skipped' THEN t.at + interval '200 ms' END, t.at + interval '2 s', t.h = 1,
         CASE k.status WHEN 'succeeded' THEN 100 END, CASE k.status WHEN 'succeeded' THEN ${draw('m.n * 1000 + t.h', 2, 20)} END,
         CASE k.status WHEN 'succeeded' THEN 0 END
       FROM generate_series(1, ${days * 24}) AS h(h) CROSS JOIN LATERAL (SELECT h.h, ${begin} + h.h * interval '1 hour' AS at) t
       CROSS JOIN made m CROSS JOIN LATERAL (SELECT CASE WHEN t.h = 1 THEN 'succeeded' WHEN d.d < 2 THEN 'failed' WHEN d.d = 2 THEN 'skipped'
         ELSE 'succeeded' END AS status FROM (SELECT ${draw('m.n * 1000 + t.h', 3, 100)} AS d) d) k
       ORDER BY t.h, m.n;
       ANALYZE ${S}.runs`,
    ],
    [
      'calls',
      `INSERT INTO ${S}.calls (run_id, n, service_id, fence, state, http_status, code, bytes, latency_ms, cost_usd, sent_at, received_at)
       SELECT id, 1, ${service}, 1, CASE status WHEN 'failed' THEN 'failed' ELSE 'received' END, CASE status WHEN 'failed' THEN 500 ELSE 200 END,
         code, 100000, 500 + ${draw('id', 4, 2_000)}, 0.01, started_at, ended_at
       FROM ${S}.runs WHERE status <> 'skipped' ORDER BY id`,
    ],
    // Sizes of searches fall as 1/n: the first has an eighth of all posts.
    [
      'found',
      `CREATE TEMP TABLE found AS
       SELECT p.n, floor(exp(ln(${searches + 1}) * ${draw('p.n', 5, 1_000_000)} / 1000000.0))::int AS m,
         ${begin} + (p.n::float8 / ${posts}) * ${seconds - 7_200} * interval '1 second' AS created_at,
         ${draw('p.n', 6, 400)} * (1 + ${draw('p.n', 7, 3)} * ${draw('p.n', 8, 3)}) AS likes
       FROM generate_series(1, ${posts}) p(n);
       ANALYZE found`,
    ],
    // By the first run after it that succeeded.
    [
      'first runs',
      `CREATE TEMP TABLE seen AS
       SELECT f.n, f.m, f.created_at, f.likes, r.id AS run_id, r.ended_at AS seen_at FROM found f JOIN made m ON m.n = f.m
       CROSS JOIN LATERAL (SELECT id, ended_at FROM ${S}.runs WHERE search_id = m.search_id AND slot_at >= f.created_at AND status = 'succeeded'
         ORDER BY slot_at LIMIT 1) r`,
    ],
    [
      'posts',
      `CREATE TEMP TABLE last_seen AS
       SELECT n, last.h, seen_at + last.h * interval '1 hour' AS observed_at FROM seen
       CROSS JOIN LATERAL (SELECT max(h) AS h FROM unnest(ARRAY[${AGES.join(', ')}]) h WHERE h = 0 OR seen_at + h * interval '1 hour' <= ${end}) last;
       INSERT INTO ${S}.posts (service_id, author_id, external_id, text, url, lang, created_at, first_seen_at, observed_at, reposted_status_id,
         is_repost, hashtags, mentions, urls, media, entities)
       SELECT ${service}, a.id, 'p' || n, repeat('words of a post ', 8) || n, 'https://x.example/' || n, (ARRAY['en', 'en', 'de', 'ja', 'fr'])[1 + ${draw('n', 9, 5)}],
         seen.created_at, seen_at, last_seen.observed_at,
         CASE WHEN ${draw('n', 10, 7)} = 0 AND n > 1000 THEN 'p' || n - 1 - ${draw('n', 11, 900)} END, ${draw('n', 10, 7)} = 0,
         ARRAY['tag' || floor(exp(ln(500) * ${draw('n', 12, 1_000)} / 1000.0))::int], '{}',
         CASE WHEN ${draw('n', 13, 3)} = 0 THEN ARRAY['https://site-' || ${draw('n', 14, 300)} || '.example/' || n] ELSE '{}' END, '[]', '{}'
       FROM seen JOIN last_seen USING (n) JOIN ${S}.authors a ON a.external_id = 'a' || (1 + ${draw('n', 15, authors)}) AND a.service_id = ${service}
       ORDER BY n`,
    ],
    [
      'keys',
      `CREATE TEMP TABLE keyed AS SELECT s.*, p.id, p.observed_at, last.h AS last_h FROM seen s JOIN last_seen last USING (n) JOIN ${S}.posts p ON p.service_id = ${service} AND p.external_id = 'p' || s.n;
       CREATE INDEX ON keyed (m, seen_at); ANALYZE keyed`,
    ],
    [
      'counters',
      `INSERT INTO ${S}.post_counters (post_id, observed_at, ${columns})
       SELECT id, observed_at, ${countedAll('likes', 'last_h')} FROM keyed ORDER BY id;
       ANALYZE ${S}.post_counters`,
    ],
    [
      'snapshots',
      `INSERT INTO ${S}.post_snapshots (post_id, observed_at, ${columns})
       SELECT k.id, k.seen_at + h * interval '1 hour', ${countedAll('k.likes', 'h')}
       FROM unnest(ARRAY[${AGES.join(', ')}]) h CROSS JOIN keyed k WHERE h = 0 OR k.seen_at + h * interval '1 hour' <= ${end}`,
    ],
    // Three of ten are found by another search of the topic too, at the same time: none of it is new to the topic.
    [
      'sightings',
      `CREATE TEMP TABLE sighted AS
       SELECT m.search_id, k.id AS post_id, k.run_id, k.seen_at, k.created_at, true AS first, k.observed_at FROM keyed k JOIN made m ON m.n = k.m
       UNION ALL
       SELECT m.search_id, k.id, r.id, r.ended_at, k.created_at, false, k.observed_at FROM keyed k
       JOIN made m ON m.n = (k.m + 24) % ${searches} + 1
       JOIN ${S}.runs r ON r.search_id = m.search_id AND r.slot_at = date_trunc('hour', k.seen_at) AND r.status = 'succeeded'
       WHERE ${draw('k.n', 16, 10)} < 3;
       INSERT INTO ${S}.post_sightings (search_id, post_id, first_run_id, first_seen_at, post_created_at)
       SELECT search_id, post_id, run_id, seen_at, created_at FROM sighted ORDER BY seen_at, search_id, post_id;
       CREATE INDEX ON sighted (search_id, seen_at); ANALYZE sighted`,
    ],
    // The newest hundred that the search knows.
    [
      'results',
      `INSERT INTO ${S}.run_results (run_id, post_ids, link_ids, link_sources)
       SELECT r.id, ARRAY(SELECT post_id FROM sighted s WHERE s.search_id = r.search_id AND s.seen_at <= r.ended_at ORDER BY s.seen_at DESC LIMIT 100),
         '{}', '{}'
       FROM ${S}.runs r JOIN made m USING (search_id) WHERE r.status = 'succeeded' AND NOT m.ai`,
    ],
    [
      'coverage',
      `INSERT INTO ${S}.coverage (run_id, search_id, request_version, observed_until, observed_from, reached_from, every_seconds, posts, most_posts)
       SELECT id, search_id, 1, ended_at, greatest(before, ended_at - interval '2 hours'), greatest(before, ended_at - interval '2 hours'), 3600, 100, 101
       FROM (SELECT r.*, coalesce(lag(ended_at) OVER (PARTITION BY search_id ORDER BY slot_at), ended_at - interval '2 hours') AS before
         FROM ${S}.runs r JOIN made m USING (search_id) WHERE r.status = 'succeeded' AND NOT m.ai) r`,
    ],
    // Whole quarters: those that end within what a run saw. The save counts milliseconds.
    [
      'volume',
      `INSERT INTO ${S}.volume (search_id, bucket_at, posts, topic_posts, observed, exposure_ms, exposed_posts, cut)
       SELECT search_id, at, coalesce(p.posts, 0), coalesce(p.topic_posts, 0), CASE WHEN o.search_id IS NULL THEN '{}' ELSE '{[0,900000)}' END::int4multirange,
         CASE WHEN o.search_id IS NULL THEN 0 ELSE 900000 END, CASE WHEN o.search_id IS NULL THEN 0 ELSE coalesce(p.posts, 0) END, o.search_id IS NULL
       FROM (SELECT search_id, date_bin('15 minutes', created_at, 'epoch') AS at, count(*)::int AS posts,
         (count(*) FILTER (WHERE first))::int AS topic_posts FROM sighted GROUP BY 1, 2) p
       FULL JOIN (SELECT DISTINCT c.search_id, q AS at FROM ${S}.coverage c, generate_series(
         date_bin('15 minutes', c.observed_from, 'epoch'), c.observed_until - interval '15 minutes', interval '15 minutes') q) o USING (search_id, at)
       ORDER BY at, search_id`,
    ],
    [
      'days',
      `INSERT INTO ${S}.search_days (search_id, day_at, posts, topic_posts, topic_reposts, exposure_ms, exposed_posts, cut)
       SELECT search_id, day_at, coalesce(p.posts, 0), coalesce(p.topic_posts, 0), coalesce(p.topic_posts, 0) / 7, coalesce(v.exposure_ms, 0), coalesce(v.exposed_posts, 0), coalesce(v.cut, false)
       FROM (SELECT search_id, date_trunc('day', created_at, 'UTC') AS day_at, count(*) AS posts, count(*) FILTER (WHERE first) AS topic_posts FROM sighted GROUP BY 1, 2) p
       FULL JOIN (SELECT search_id, date_trunc('day', bucket_at, 'UTC') AS day_at, sum(exposure_ms) AS exposure_ms, sum(exposed_posts) AS exposed_posts, bool_or(cut) AS cut
         FROM ${S}.volume GROUP BY 1, 2) v USING (search_id, day_at)`,
    ],
    [
      'tops',
      `INSERT INTO ${S}.search_tops (search_id, kind, day_at, name, posts, topic_posts)
       SELECT s.search_id, t.kind, date_trunc('day', s.created_at, 'UTC'), t.name, count(*), count(*) FILTER (WHERE s.first)
       FROM sighted s JOIN ${S}.posts p ON p.id = s.post_id CROSS JOIN LATERAL (
         SELECT 'author' AS kind, p.author_id::text AS name UNION ALL SELECT 'language', p.lang UNION ALL SELECT 'hashtag', unnest(p.hashtags)
         UNION ALL SELECT 'domain', split_part(unnest(p.urls), '/', 3)) t
       GROUP BY 1, 2, 3, 4`,
    ],
    [
      'gains',
      `UPDATE ${S}.post_counters c SET changed_before_at = c.observed_at - interval '1 hour', ${COUNTERS.map(
        (name) => `first_${name}_count = 0, gained_${name}_count = c.${name}_count, lost_${name}_count = 0,
         was_${name}_count = c.${name}_count * 8 / 9`,
      ).join(', ')}
       FROM ${S}.posts p WHERE c.post_id = p.id AND p.service_id = ${service} AND c.observed_at > p.first_seen_at`,
    ],
    // Of six posts in ten, at every age that they reached: the save asks which looks lay around it.
    [
      'ages',
      `INSERT INTO ${S}.post_counters_at_age (search_id, post_id, hours, at, before_at, after_at, ${columns})
       SELECT s.search_id, s.post_id, h.h, s.created_at + h.h * interval '1 hour', s.created_at + h.h * interval '50 minutes', s.created_at + h.h * interval '70 minutes',
         ${COUNTERS.map((name) => `c.${name}_count * (1 - exp(-h.h / 10.0))`).join(', ')}
       FROM (VALUES (1), (3), (8), (24), (72)) h(h) CROSS JOIN sighted s JOIN ${S}.post_counters c ON c.post_id = s.post_id
       WHERE ${draw('s.post_id', 17, 10)} < 6 AND s.created_at + h.h * interval '70 minutes' <= ${end}
       ORDER BY s.search_id, h.h, 4`,
    ],
    [
      'hours',
      `INSERT INTO ${S}.search_gains (search_id, hour_at, looks, followed, changes, ${COUNTERS.map((name) => `gained_${name}_count, lost_${name}_count`).join(', ')})
       SELECT search_id, slot_at, 1, 80, 40, ${COUNTERS.map((_, i) => `${draw('id', 20 + i, 500)}, 0`).join(', ')}
       FROM ${S}.runs JOIN made m USING (search_id) WHERE status = 'succeeded' AND NOT m.ai AND date_trunc('hour', slot_at) = slot_at`,
    ],
    [
      'latest_results',
      `INSERT INTO ${S}.latest_results (search_id, run_id, at)
       SELECT DISTINCT ON (search_id) search_id, id, ended_at FROM ${S}.runs WHERE status = 'succeeded' ORDER BY search_id, slot_at DESC`,
    ],
    // All but the newest hundred of each search; they went when the next hundred had come, here after a day at most.
    [
      'dropped_posts',
      `INSERT INTO ${S}.dropped_posts (search_id, post_id, last_seen_at, created_at, engagement)
       SELECT s.search_id, s.post_id, least(s.seen_at + ${draw('s.post_id', 18, 24)} * interval '1 hour', l.at - interval '1 hour'),
         s.created_at, c.like_count + c.repost_count + c.reply_count + c.quote_count
       FROM sighted s JOIN ${S}.post_counters c ON c.post_id = s.post_id
       JOIN ${S}.latest_results l USING (search_id) JOIN ${S}.run_results rr ON rr.run_id = l.run_id
       WHERE s.post_id <> ALL (rr.post_ids) AND s.seen_at < l.at`,
    ],
    [
      'links',
      `INSERT INTO ${S}.links (canonical, url, site, title, first_seen_at, observed_at)
       SELECT 'https://site-' || n % 300 || '.example/page/' || n, 'https://site-' || n % 300 || '.example/page/' || n, 'site-' || n % 300 || '.example', 'Page ' || n, ${begin}, ${begin}
       FROM generate_series(1, ${links}) n`,
    ],
    // Twenty links an answer, out of a window of links that moves on: a link is shared by the searches of its time.
    [
      'answers',
      `CREATE TEMP TABLE cited AS
       SELECT r.id AS run_id, r.search_id, m.n, r.ended_at, h.h, ARRAY(SELECT DISTINCT (l.low + 1 + (h.h * 80 + ${draw('m.n * 100000 + (h.h / 6) * 100 + i', 30, 900)}) % ${links})::bigint
         FROM generate_series(1, 20) i) AS ids
       FROM ${S}.runs r JOIN made m USING (search_id)
       CROSS JOIN LATERAL (SELECT (extract(epoch FROM r.slot_at - ${begin}) / 3600)::int AS h) h
       CROSS JOIN (SELECT min(id) - 1 AS low FROM ${S}.links) l
       WHERE m.ai AND r.status = 'succeeded';
       CREATE INDEX ON cited (search_id, h);
       ANALYZE cited;
       INSERT INTO ${S}.run_results (run_id, post_ids, link_ids, link_sources)
       SELECT run_id, '{}', ids, ARRAY(SELECT (ARRAY['web', 'web', 'news_forum', 'discussion_board'])[1 + (u + n) % 4] FROM unnest(ids) u) FROM cited;
       INSERT INTO ${S}.link_sightings (search_id, link_id, first_run_id, first_seen_at, source)
       SELECT DISTINCT ON (c.search_id, u.id) c.search_id, u.id, c.run_id, c.ended_at, (ARRAY['web', 'web', 'news_forum', 'discussion_board'])[1 + (u.id + c.n) % 4]
       FROM cited c, unnest(c.ids) u(id) ORDER BY c.search_id, u.id, c.ended_at`,
    ],
    // Whether another search of the topic had a link before is not asked: each counts for the topic too.
    [
      'sites',
      `INSERT INTO ${S}.search_tops (search_id, day_at, kind, name, posts, topic_posts)
       SELECT g.search_id, date_trunc('day', g.first_seen_at, 'UTC'), 'site', l.site, count(*), count(*)
       FROM ${S}.link_sightings g JOIN ${S}.links l ON l.id = g.link_id GROUP BY 1, 2, 4`,
    ],
    [
      'completions',
      `INSERT INTO ${S}.completions (run_id, search_id, observed_at, changed, summary, completion_links, search_completion_links, warnings, claims)
       SELECT run_id, search_id, ended_at, h % 6 = 0, repeat('A sentence of the answer. ', 12), ids[1:6], ids, '[]', ${SAID} FROM cited ORDER BY ended_at`,
    ],
    // A window of the search's sentences that moves on by one in three hours.
    [
      'claims',
      `INSERT INTO ${S}.claims (search_id, role, identity, text, first_run_id, first_seen_at)
       SELECT m.search_id, 'summary', decode(md5(m.n || ' ' || i), 'hex'), 'Sentence ' || i || ' of the answer.', r.run_id, r.ended_at
       FROM made m CROSS JOIN generate_series(0, ${CLAIMS} - 1) i
       CROSS JOIN LATERAL (SELECT run_id, ended_at FROM cited c WHERE c.search_id = m.search_id AND c.h / 3 + ${SAID} > i ORDER BY c.h LIMIT 1) r
       WHERE m.ai;
       ANALYZE ${S}.claims, ${S}.completions;
       INSERT INTO ${S}.completion_claims (completion_id, position, claim_id, link_ids, not_returned, unresolved)
       SELECT o.id, i, k.id, c.ids[1 + i:2 + i], CASE WHEN (i + c.h / 3) % 40 = 0 THEN c.ids[1 + i:1 + i] ELSE '{}' END, '{}'
       FROM cited c JOIN made m USING (search_id) JOIN ${S}.completions o ON o.run_id = c.run_id CROSS JOIN generate_series(0, ${SAID} - 1) i
       JOIN ${S}.claims k ON k.search_id = c.search_id AND k.role = 'summary' AND k.identity = decode(md5(m.n || ' ' || c.h / 3 + i), 'hex')`,
    ],
    [
      'discoveries',
      `INSERT INTO ${S}.discoveries (search_id, run_id, kind, thing, baseline, at)
       SELECT d.search_id, d.run_id, d.kind, d.thing, r.baseline, d.at FROM (
         SELECT search_id, run_id, 'post' AS kind, post_id AS thing, seen_at AS at FROM sighted
         UNION ALL SELECT search_id, first_run_id, 'link', link_id, first_seen_at FROM ${S}.link_sightings
         UNION ALL SELECT search_id, run_id, 'completion', id, observed_at FROM ${S}.completions WHERE changed
       ) d JOIN ${S}.runs r ON r.id = d.run_id ORDER BY d.at, d.run_id`,
    ],
    [
      'spikes',
      `INSERT INTO ${S}.spikes (search_id, run_id, measure, window_start, window_end, n, lower_bound, coverage, mean, sd, usual, days, windows, score, threshold,
         sensitivity, provisional, tz, sentence, at)
       SELECT search_id, id, 'posts', slot_at - interval '1 hour', slot_at, 90, false, 1, 20, 5, 19, 14, 600, 14, 4.5, 'normal', false, 'UTC', '90 posts.', ended_at
       FROM ${S}.runs JOIN made m USING (search_id) WHERE status = 'succeeded' AND NOT m.ai AND ${draw('id', 40, 150)} = 0`,
    ],
    ['vacuum', 'VACUUM ANALYZE'],
  ];
}
