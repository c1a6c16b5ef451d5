/** One post: text, counters over time, and the searches that found it. */

import { awaitMembers } from '../../lib/await-members.ts';
import { type AddressedLink, readLinksByAddress } from '../../store/queries/completions.ts';
import { POST_VERSION_MEMBERS } from '../../model/item-versions.ts';
import { findById } from '../../monitor/http/find-by-id.ts';
import type { App, RouteContext } from '../../monitor/http/route-types.ts';
import type { Context } from '../../monitor/context.ts';
import type { Id } from '../../store/db/database.ts';
import { readPostGrowth } from '../../store/queries/growth.ts';
import { readAgesOfPost } from '../../store/queries/counters-at-age.ts';
import {
  type PostRow,
  readCounterChanges,
  readPost,
  readPostRanks,
  readPostsByExternalId,
  readPostSightings,
  readPostVersions,
} from '../../store/queries/post-detail.ts';
import { readStoriesOfItem } from '../../store/queries/stories.ts';
import { Facts } from '../components/fact-list.tsx';
import { renderPage } from '../components/page-layout.tsx';
import { nameAuthor, PostCard } from '../components/post-card.tsx';
import { Section } from '../components/section.tsx';
import { Timestamp } from '../components/timestamp.tsx';
import { readPageTranslations, Translated, TranslationsOf } from '../components/translation.tsx';
import { Hashtag, ExternalLink, LanguageName, UntrustedText } from '../components/untrusted-text.tsx';
import { requireKey } from '../request-input.ts';
import { CounterHistory, CurrentCounters, EngagementAtAge } from './post-counters.tsx';
import { DroppedBadge, PostPlaces, PostSightings } from './post-sightings.tsx';
import { EvidenceLink } from './evidence-page.tsx';
import { ItemRelevance, ItemStories, readItemRelevance } from './item-stories.tsx';
import { Versions } from './versions.tsx';
import { z } from 'zod';

/** Counter changes in charts. */
const MAX_CHANGES = 400;
const MAX_POST_TEXT = 20_000;

export function addPostPage(app: App, { ctx }: RouteContext): void {
  app.get(
    '/posts/:id',
    { config: { scope: 'read' }, schema: { params: z.object({ id: z.string() }) } },
    async (request, reply) => {
      const id = requireKey('post', request.params.id);
      const post = await findById('post', id, readPost(ctx.db, id));
      const data = await readPostData(ctx, id, post);
      return renderPage(request, reply, {
        title: buildPostTitle(post),
        here: '/explore',
        charts: data.history.length > 1,
        above: 'Post',
        aside: (
          <>
            <DroppedBadge at={data.growth?.not_seen_since ?? null} />
            <ItemRelevance kind="post" id={id} topics={data.relevance} />
          </>
        ),
        body: (
          <TranslationsOf.Provider value={data.translations}>
            <PostText post={post} />
            <CurrentCounters post={post} growth={data.growth} />
            <Versions versions={data.versions} members={POST_VERSION_MEMBERS} />
            <RelatedPosts post={post} others={data.others} />
            <ItemStories stories={data.stories} />
            <CounterHistory rows={data.history} limit={MAX_CHANGES} />
            <EngagementAtAge rows={data.ages} />
            <PostSightings rows={data.seen} />
            <PostPlaces rows={data.ranks} />
            <PostEntities post={post} links={data.links} />
            <EvidenceLink kind="post" id={id} />
          </TranslationsOf.Provider>
        ),
      });
    },
  );
}

function readPostData({ db, translator }: Pick<Context, 'db' | 'translator'>, id: Id, post: PostRow) {
  return awaitMembers({
    translations: readPageTranslations({ db, translator }, null, [post.text]),
    others: readPostsByExternalId(db, post.service, listRelatedIds(post)),
    stories: readStoriesOfItem(db, { kind: 'post', id }),
    relevance: readItemRelevance(db, { kind: 'post', id }),
    growth: readPostGrowth(db, id),
    versions: readPostVersions(db, id),
    history: readCounterChanges(db, id, MAX_CHANGES),
    ages: readAgesOfPost(db, id),
    seen: readPostSightings(db, id),
    ranks: readPostRanks(db, id),
    links: readLinksByAddress(db, post.urls),
  });
}

function buildPostTitle({ author_username, author_name }: PostRow): string {
  const name = nameAuthor(author_username, author_name);
  return name === null ? 'Post by an unknown author' : `Post by ${name.slice(0, 60)}`;
}

function PostText({ post }: { post: PostRow }) {
  const { author_id, author_username, author_name, created_at, lang, service, url } = post;
  const name = author_name ?? author_username;
  return (
    <Section title="Text" id="text">
      <p class="whole">
        <UntrustedText text={post.text} most={MAX_POST_TEXT} lang={lang} />
        <Translated text={post.text} most={MAX_POST_TEXT} />
      </p>
      <Facts
        label="About this post"
        facts={[
          [
            'Author',
            author_id === null ? (
              name === null ? null : (
                <UntrustedText text={name} most={80} />
              )
            ) : (
              <a href={`/authors/${author_id}`}>
                <UntrustedText text={name ?? 'unnamed'} most={80} />
              </a>
            ),
          ],
          ['Published', <Timestamp at={created_at} exact never="time not reported" />],
          ['First seen', <Timestamp at={post.first_seen_at} exact />],
          ['Counters last changed', <Timestamp at={post.observed_at} exact />],
          ['Language', lang === null ? null : <LanguageName code={lang} />],
          ['Service', service],
          ['Original ID', <UntrustedText text={post.external_id} most={60} />],
          [
            'Summary by the service',
            post.summary_description === null ? null : (
              <UntrustedText text={post.summary_description} most={2_000} />
            ),
          ],
          ['Original', url === null ? null : <ExternalLink href={url} text={url} />],
        ]}
      />
    </Section>
  );
}

/** Members that refer to another post by its original ID. */
const RELATIONS = [
  ['reposted_status_id', 'Repost of'],
  ['quoted_status_id', 'Quotes'],
  ['in_reply_to_status_id', 'In reply to'],
] as const;

function listRelatedIds(post: PostRow): string[] {
  return [...new Set(RELATIONS.flatMap(([member]) => post[member] ?? []))];
}

function RelatedPosts({ post, others }: { post: PostRow; others: readonly PostRow[] }) {
  const related = RELATIONS.flatMap(([member, words]) => {
    const id = post[member];
    return id === null
      ? []
      : [{ id, words, other: others.find((candidate) => candidate.external_id === id) }];
  });
  const quoteOnly = post.quote !== null && post.quoted_status_id === null ? post.quote : null;
  if (related.length === 0 && quoteOnly === null) return null;
  return (
    <Section title="Related posts" id="around">
      {related.map(({ id, words, other }) => (
        <>
          <h3>{words}</h3>
          {other === undefined ? (
            <p>
              Post <UntrustedText text={id} most={40} /> of the same service, not collected
              {words === 'In reply to' && post.in_reply_to_screen_name !== null ? (
                <>
                  {' '}
                  (by <UntrustedText text={`@${post.in_reply_to_screen_name}`} most={40} />)
                </>
              ) : null}
            </p>
          ) : (
            <PostCard post={other} />
          )}
        </>
      ))}
      {quoteOnly === null ? null : (
        <>
          <h3>Quotes</h3>
          <blockquote>
            <UntrustedText text={quoteOnly} most={4_000} />
          </blockquote>
        </>
      )}
    </Section>
  );
}

function PostEntities({ post, links }: { post: PostRow; links: ReadonlyMap<string, AddressedLink> }) {
  const { urls, hashtags, mentions } = post;
  if (urls.length + hashtags.length + mentions.length === 0) return null;
  return (
    <Section title="Mentions" id="names">
      {urls.length === 0 ? null : (
        <>
          <h3>Links</h3>
          <ul class="plain">
            {urls.map((url) => {
              const id = links.get(url)?.id;
              return (
                <li>
                  <ExternalLink href={url} text={url} />{' '}
                  {id === undefined ? null : <a href={`/links/${id}`}>also found by searches</a>}
                </li>
              );
            })}
          </ul>
        </>
      )}
      {hashtags.length === 0 ? null : (
        <p class="words">
          Hashtags{' '}
          {hashtags.map((tag) => (
            <>
              <Hashtag tag={tag} />{' '}
            </>
          ))}
        </p>
      )}
      {mentions.length === 0 ? null : (
        <p class="words">
          Mentions{' '}
          {mentions.map((name) => (
            <>
              <UntrustedText text={`@${name}`} most={60} />{' '}
            </>
          ))}
        </p>
      )}
    </Section>
  );
}
