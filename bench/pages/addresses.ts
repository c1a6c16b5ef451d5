/** Which pages there are, and addresses of each, with things of the history drawn at random. */
import type { Database, Id } from '../../src/store/db/database.ts';
import { AI_SEARCHES, MICROBLOG_SEARCHES, slugOf, TOPICS, topicOf } from '../questions/fill.ts';

export type Measured = { page: string; addresses: string[] };

const DRAWN = 60;
const WORDS = ['words of a post', 'post 4711', 'page 12', 'answer', 'title of a page'];

export async function pagesOn(db: Database): Promise<Measured[]> {
  const ids = async (sql: string) => {
    const { rows } = await db.pool.query<{ id: Id }>(`${sql} ORDER BY random() LIMIT ${DRAWN}`);
    return rows.map(({ id }) => id);
  };
  const each = (begin: string, things: readonly unknown[], end = '') =>
    things.map((thing) => `${begin}${String(thing)}${end}`);
  const topics = Array.from({ length: DRAWN }, () => topicOf(drawn(TOPICS)));
  const searches = Array.from({ length: DRAWN }, (_, i) =>
    i % 2 === 0 ? slugOf('microblog', drawn(MICROBLOG_SEARCHES)) : slugOf('ai', drawn(AI_SEARCHES)),
  );
  const compared = topics.map(
    (topic, i) => `${topic},${topics[(i + 7) % DRAWN]},${topics[(i + 23) % DRAWN]}`,
  );
  return [
    { page: '/', addresses: ['/'] },
    { page: '/topics/:slug', addresses: each('/topics/', topics) },
    { page: '/searches/:slug', addresses: each('/searches/', searches) },
    { page: '/topics/:slug/posts', addresses: each('/topics/', topics, '/posts') },
    {
      page: '/topics/:slug/posts?q',
      addresses: each('/topics/', topics, '/posts?range=30d&q=words+lang:en'),
    },
    { page: '/topics/:slug/links', addresses: each('/topics/', topics, '/links') },
    { page: '/topics/:slug/discoveries', addresses: each('/topics/', topics, '/discoveries') },
    { page: '/compare', addresses: each('/compare?topics=', compared) },
    { page: '/compare 90d', addresses: each('/compare?range=90d&topics=', compared) },
    {
      page: '/posts/:id',
      addresses: each('/posts/', await ids('SELECT id FROM strandline.posts')),
    },
    {
      page: '/links/:id',
      addresses: each(
        '/links/',
        await ids('SELECT id FROM (SELECT DISTINCT link_id AS id FROM strandline.link_sightings) l'),
      ),
    },
    {
      page: '/authors/:id',
      addresses: each('/authors/', await ids('SELECT id FROM strandline.authors')),
    },
    { page: '/runs', addresses: ['/runs'] },
    { page: '/runs?status', addresses: each('/runs?status=', ['failed', 'skipped', 'cancelled', 'queued']) },
    { page: '/runs?topic', addresses: each('/runs?topic=', topics, '&status=failed&since=week') },
    { page: '/runs/costs', addresses: each('/runs/costs?range=', ['24h', '7d', '30d']) },
    {
      page: '/runs/:id',
      addresses: each('/runs/', await ids(`SELECT id FROM strandline.runs WHERE status = 'succeeded'`)),
    },
    { page: '/explore', addresses: ['/explore'] },
    { page: '/explore?q', addresses: each('/explore?q=', WORDS.map(encodeURIComponent)) },
    { page: '/explore?q&topic', addresses: each('/explore?q=words&topic=', topics) },
    { page: '/explore/sql', addresses: ['/explore/sql', '/explore/sql?view=posts#view'] },
    { page: '/alerts', addresses: ['/alerts'] },
    { page: '/system', addresses: ['/system'] },
    { page: '/new', addresses: ['/new'] },
    { page: '/docs', addresses: ['/docs'] },
  ];
}

function drawn(of: number): number {
  return 1 + Math.floor(Math.random() * of);
}
