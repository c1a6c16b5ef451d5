/** One author: who they say they are, what they write, and what is typical of it. */
import { z } from 'zod';
import type { Database, Id } from '../../../store/database.ts';
import {
  readAuthor,
  readAuthorSnapshots,
  readPostsBy,
  readTopicsOf,
  readTypicalOf,
} from '../../../store/reads/author-history.ts';
import type { App, WebHome } from '../../routes.ts';
import { keyOf, missing } from '../detail/key.ts';
import { showPage } from '../kit/show.tsx';
import { Forgetting, Profile } from './profile.tsx';
import { Followers, TopicsOf, Typical, Written } from './sections.tsx';

const MOST_POSTS = 10;
const MOST_CHANGES = 400;

export function authorPage(app: App, { ctx }: WebHome): void {
  app.get(
    '/authors/:id',
    { config: { scope: 'read' }, schema: { params: z.object({ id: z.string() }) } },
    async (request, reply) => {
      const { id: given } = request.params;
      const id = keyOf('author', given);
      const author = await readAuthor(ctx.db, id);
      if (author === undefined) throw missing('author', given);
      const { newest, best, topics, typical, snapshots } = await readLife(ctx.db, id);
      const name = author.username === null ? author.name : `@${author.username}`;
      return showPage(request, reply, {
        title: name?.slice(0, 60) ?? 'An author without a name',
        here: '/explore',
        charts: snapshots.length > 1,
        above: 'Author',
        body: (
          <>
            <Profile author={author} />
            <Followers rows={snapshots} />
            <TopicsOf rows={topics} />
            <Typical rows={typical} />
            <Written newest={newest} best={best} />
            <Forgetting author={author} />
          </>
        ),
      });
    },
  );
}

async function readLife(db: Database, id: Id) {
  const [newest, best, topics, typical, snapshots] = await Promise.all([
    readPostsBy(db, id, { order: 'newest', limit: MOST_POSTS }),
    readPostsBy(db, id, { order: 'engagement', limit: MOST_POSTS }),
    readTopicsOf(db, id),
    readTypicalOf(db, id),
    readAuthorSnapshots(db, id, MOST_CHANGES),
  ]);
  return { newest, best, topics, typical, snapshots };
}
