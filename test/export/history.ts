/** A small history written as rows: two searches of two topics, and every kind of value that is hard to export. */
import { inTransaction } from '../../src/store/db/database.ts';
import { createSearch } from '../../src/monitor/topics/save-search.ts';
import { ensurePartitions } from '../../src/store/maintenance/partitions.ts';
import type { World } from '../world.ts';

/** Beyond what a number holds exactly. */
export const BIG = 9_007_199_254_740_993n;

export const TEXTS = [
  'plain',
  '',
  ' leads and ends with a blank ',
  'comma, "quotes" and ""more""',
  'two\nlines\r\nand a third\rand a tab\tin it',
  String.raw`back\slash \N \t \\`,
  '\\N',
  '👨‍👩‍👧‍👦 日本語 שלום é e\u0301 \u202egnp.exe',
  'line\u2028separator\u0085and\u001b[2Jescape',
  '=HYPERLINK("http://x.example","y")',
  "+cmd|'/c calc'!A1",
  '-2+3',
  '@SUM(1)',
  '\t=1+1',
  '  =1+1',
  '＝1＋1',
  "'=1+1",
  "''-1",
  "'tis no formula",
  'x'.repeat(200_000),
] as const;

export type History = { ferry: bigint; tram: bigint };

export async function makeHistory(world: World): Promise<History> {
  const { ctx, db } = world;
  const make = async (slug: string) => {
    const { search } = await createSearch(ctx, {
      slug,
      topic: slug,
      operation: 'microblog',
      prompt: `about ${slug}`,
      every: '15m',
    });
    return search.id;
  };
  const ferry = await make('ferry');
  const tram = await make('tram');
  await ensurePartitions(db, new Date('2026-11-21T00:00:00Z'));
  await inTransaction(db, async (tx) => {
    const { rows } = await tx.query<{ id: bigint }>(
      `SELECT id FROM strandline.services WHERE name = 'hosted'`,
    );
    const service = rows[0]?.id;
    const at = (n: number) => new Date(Date.UTC(2026, 10, 21, 0, n, 0, 7));
    for (const [n, text] of TEXTS.entries()) {
      const id = BIG + BigInt(n);
      await tx.query(
        `WITH post AS (
           INSERT INTO strandline.posts (id, service_id, external_id, text, created_at, is_repost,
             hashtags, mentions, urls, media, entities, first_seen_at, observed_at)
           OVERRIDING SYSTEM VALUE
           VALUES ($1, $2, $3, $4, $5, $8, $9, '{}', '{}', $10, '{}', $11, $11) RETURNING id, observed_at
         )
         INSERT INTO strandline.post_counters (post_id, observed_at, like_count, view_count) SELECT id, observed_at, $6::bigint, $7::bigint FROM post`,
        [
          id,
          service,
          `17${n}`,
          text,
          n === 3 ? null : at(n),
          n === 0 ? null : n === 1 ? 0 : BIG,
          n,
          n % 3 === 0 ? null : n % 3 === 1,
          [text.slice(0, 20), 'tag'],
          JSON.stringify([{ media_url: text.slice(0, 20), n: 1.5 }]),
          at(n),
        ],
      );
      await tx.query(
        `INSERT INTO strandline.post_snapshots (post_id, observed_at, like_count) VALUES ($1, $2, NULL), ($1, $3, $4)`,
        [id, at(n), at(n + 60), n],
      );
      // The odd ones belong to the tram search, and the last one to both.
      for (const search of n === TEXTS.length - 1 ? [ferry, tram] : [n % 2 === 0 ? ferry : tram]) {
        await tx.query(
          `INSERT INTO strandline.post_sightings (search_id, post_id, first_run_id, first_seen_at, post_created_at)
           SELECT $1, $2, min(id), $3, $3 FROM strandline.runs WHERE search_id = $1`,
          [search, id, at(n)],
        );
        await tx.query(
          `INSERT INTO strandline.discoveries (search_id, run_id, kind, thing, baseline, at)
           SELECT $1, min(id), 'post', $2, false, $3 FROM strandline.runs WHERE search_id = $1`,
          [search, id, at(n)],
        );
      }
    }
    await tx.query(
      `INSERT INTO strandline.links (canonical, url, site, title, snippet, first_seen_at, observed_at)
       VALUES ('https://a.example', 'https://a.example/', 'a.example', '=1', NULL, $1, $1), ('https://b.example', 'https://b.example/', 'b.example', '', '-', $2, $2)`,
      [at(1), at(30)],
    );
    await tx.query(
      `INSERT INTO strandline.link_sightings (search_id, link_id, first_run_id, first_seen_at, source)
       SELECT $1, l.id, r.id, l.first_seen_at, 'web' FROM strandline.links l,
              (SELECT min(id) AS id FROM strandline.runs WHERE search_id = $1) r`,
      [tram],
    );
    await tx.query(
      `INSERT INTO strandline.completions (run_id, search_id, observed_at, changed, summary, news_forum_summary, text_chunks,
         completion_links, search_completion_links, miner_link_scores, warnings)
       SELECT min(id), $1, $2, true, $3, '', $4, $5, '{}', '{"a": 1}', '["-w", "é"]' FROM strandline.runs WHERE search_id = $1`,
      [tram, at(5), TEXTS[4], ['a', '', '=1', 'quo"te'], [BIG, 1n]],
    );
    await tx.query(
      `INSERT INTO strandline.volume (search_id, bucket_at, posts, exposure_ms, exposed_posts, cut)
       VALUES ($1, '2026-11-21T00:00Z', 3, 900000, 3, false), ($1, '2026-11-21T00:15Z', 2, 600000, 1, true),
              ($2, '2026-11-21T01:00Z', 7, 900000, 7, false)`,
      [ferry, tram],
    );
    // Half an hour observed, twice; then a gap; then a quarter.
    for (const [from, until] of [
      [0, 20],
      [10, 30],
      [45, 60],
    ] as const) {
      const run = await tx.query<{ id: bigint }>(
        `INSERT INTO strandline.runs (search_id, version, request_version, trigger, status, fence, baseline, created_at, started_at, ended_at)
         VALUES ($1, 1, 1, 'manual', 'succeeded', 1, false, $2, $2, $2) RETURNING id`,
        [ferry, at(until)],
      );
      await tx.query(
        `INSERT INTO strandline.coverage (run_id, search_id, request_version, observed_until, observed_from, reached_from,
           every_seconds, posts, most_posts) VALUES ($1, $2, 1, $3, $4, $4, 900, 1, 1)`,
        [run.rows[0]?.id, ferry, atMinute(until), atMinute(from)],
      );
    }
  });
  return { ferry, tram };
}

function atMinute(n: number): Date {
  return new Date(Date.UTC(2026, 10, 21, 0, n));
}
