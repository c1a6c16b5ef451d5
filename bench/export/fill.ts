import type { Database } from '../../src/store/db/database.ts';
import { furnish, START } from '../stage.ts';

/** Posts of about a kilobyte and a half, made by SQL from their number, with an author for each four. */
export async function fillPosts(db: Database, rows: number): Promise<void> {
  const { serviceId } = await furnish(db, 'exported', 1);
  const client = await db.pool.connect();
  try {
    await client.query('SET statement_timeout = 0');
    const authors = Math.ceil(rows / 4);
    await client.query({
      text: `INSERT INTO strandline.authors (service_id, external_id, username, name, first_seen_at, observed_at)
             SELECT $1, '9' || n, 'user_' || n, 'Name ' || md5(n::text), $3, $3 FROM generate_series(1, $2::int) n`,
      values: [serviceId, authors, START],
      ...UNLIMITED,
    });
    await client.query({ text: POSTS, values: [serviceId, rows, START, authors], ...UNLIMITED });
    await client.query({ text: 'VACUUM ANALYZE strandline.posts, strandline.post_counters', ...UNLIMITED });
  } finally {
    client.release(true);
  }
}

const UNLIMITED = { query_timeout: 2 ** 31 - 1 };

const POSTS = `
WITH made AS (
  INSERT INTO strandline.posts (service_id, external_id, author_id, text, url, created_at, lang, conversation_id, is_quote_post,
    is_repost, hashtags, mentions, urls, media, entities, first_seen_at, observed_at)
  SELECT $1, '17' || lpad(n::text, 17, '0'), a.id,
  CASE n % 10 WHEN 0 THEN '=' WHEN 1 THEN '🚢 ' ELSE '' END || 'the harbour council "voted" tonight, ' || md5(n::text)
    || E'\\non a new ferry line while boats wait for spare parts from abroad #ferry ' || md5((n + 1)::text),
  'https://x.example/user/status/' || n, $3::timestamptz - n * interval '1 second', 'en', n::text, false, false, '{ferry,harbour}', '{user_1}', ARRAY['https://news.example/' || md5(n::text)],
  jsonb_build_array(jsonb_build_object('media_url', 'https://img.example/' || md5(n::text) || '.jpg', 'type', 'photo')),
  jsonb_build_object(
    'hashtags', jsonb_build_array(jsonb_build_object('text', 'ferry', 'indices', '[120, 126]'::jsonb)),
    'urls', jsonb_build_array(jsonb_build_object('expanded_url', 'https://news.example/' || md5(n::text), 'indices', '[138, 161]'::jsonb)),
    'media', jsonb_build_array(jsonb_build_object('media_url_https', 'https://img.example/' || md5(n::text) || '.jpg',
      'sizes', '{"large": {"w": 1280, "h": 720, "resize": "fit"}, "small": {"w": 680, "h": 383, "resize": "fit"}}'::jsonb,
      'display_url', 'pic.example/' || md5(n::text), 'expanded_url', 'https://x.example/user/status/' || n || '/photo/1'))),
  $3::timestamptz, $3::timestamptz
  FROM generate_series(1, $2::int) n
  JOIN (SELECT id, row_number() OVER (ORDER BY id) AS nth FROM strandline.authors WHERE service_id = $1) a
    ON a.nth = 1 + n % $4::int
  RETURNING id, observed_at, conversation_id::int AS n
)
INSERT INTO strandline.post_counters (post_id, observed_at, reply_count, repost_count, like_count, view_count, quote_count)
SELECT id, observed_at, n % 7, n % 11, n % 5000, n * 40, n % 3 FROM made`;
