/** One post: what it says, what became of it, and who saw it. */
import { z } from 'zod';
import type { Database, Id } from '../../../store/database.ts';
import { readAgesOf, readGrowthOf } from '../../../store/reads/growth.ts';
import {
  readEngagement,
  readLinksAt,
  readPost,
  readPostRanks,
  readPostsCalled,
  readPostSeen,
} from '../../../store/reads/post-history.ts';
import type { PostRow } from '../../../store/reads/posts.ts';
import type { App, WebHome } from '../../routes.ts';
import { keyOf, missing } from '../detail/key.ts';
import { Facts } from '../detail/facts.tsx';
import { OutLink, Outside } from '../kit/outside.tsx';
import { Section } from '../kit/section.tsx';
import { showPage } from '../kit/show.tsx';
import { When } from '../kit/when.tsx';
import { Ages } from './ages.tsx';
import { Around, Names, relatedIds } from './around.tsx';
import { CountersNow, History } from './counters.tsx';
import { Ranks, SeenBy, Unseen } from './seen.tsx';

/** Changes of counters that are drawn. */
const MOST_CHANGES = 400;
/** Longer texts than any microblog's. */
const MOST_TEXT = 20_000;

export function postPage(app: App, { ctx }: WebHome): void {
  app.get(
    '/posts/:id',
    { config: { scope: 'read' }, schema: { params: z.object({ id: z.string() }) } },
    async (request, reply) => {
      const { id: given } = request.params;
      const id = keyOf('post', given);
      const post = await readPost(ctx.db, id);
      if (post === undefined) throw missing('post', given);
      const told = await readAround(ctx.db, id, post);
      return showPage(request, reply, {
        title: titleOf(post),
        here: '/explore',
        charts: told.history.length > 1,
        above: 'Post',
        aside: <Unseen at={told.growth?.not_seen_since ?? null} />,
        body: (
          <>
            <Text post={post} />
            <CountersNow post={post} growth={told.growth} />
            <Around post={post} others={told.others} />
            <History rows={told.history} limit={MOST_CHANGES} />
            <Ages rows={told.ages} />
            <SeenBy rows={told.seen} />
            <Ranks rows={told.ranks} />
            <Names post={post} links={told.links} />
          </>
        ),
      });
    },
  );
}

async function readAround(db: Database, id: Id, post: PostRow) {
  const [others, growth, history, ages, seen, ranks, links] = await Promise.all([
    readPostsCalled(db, post.service, relatedIds(post)),
    readGrowthOf(db, id),
    readEngagement(db, id, MOST_CHANGES),
    readAgesOf(db, id),
    readPostSeen(db, id),
    readPostRanks(db, id),
    readLinksAt(db, post.urls),
  ]);
  return { others, growth, history, ages, seen, ranks, links };
}

function titleOf({ author_username, author_name }: PostRow): string {
  const name = author_username === null ? author_name : `@${author_username}`;
  return name === null ? 'A post of an unknown author' : `A post of ${name.slice(0, 60)}`;
}

function Text({ post }: { post: PostRow }) {
  const { author_id, author_username, author_name, created_at, lang, service, url } = post;
  const name = author_name ?? author_username;
  return (
    <Section title="What it says" id="text">
      <p class="whole">
        <Outside text={post.text} most={MOST_TEXT} />
      </p>
      <Facts
        label="About this post"
        facts={[
          [
            'Author',
            author_id === null ? (
              name === null ? null : (
                <Outside text={name} most={80} />
              )
            ) : (
              <a href={`/authors/${author_id}`}>
                <Outside text={name ?? 'unnamed'} most={80} />
              </a>
            ),
          ],
          ['Written', <When at={created_at} exact never="at an unknown time" />],
          ['First seen', <When at={post.first_seen_at} exact />],
          ['Last change seen', <When at={post.observed_at} exact />],
          ['Language', lang],
          ['Service', service],
          ['Id there', <Outside text={post.external_id} most={60} />],
          [
            'Summary by the service',
            post.summary_description === null ? null : (
              <Outside text={post.summary_description} most={2_000} />
            ),
          ],
          ['Original', url === null ? null : <OutLink href={url} text={url} />],
        ]}
      />
    </Section>
  );
}
