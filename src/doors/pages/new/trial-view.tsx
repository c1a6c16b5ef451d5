import { type RunCode, RUN_CODES, RunError } from '../../../errors.ts';
import type { Trial, TriedLink, TriedPost } from '../../../monitor/run/trial.ts';
import { Avatar } from '../kit/avatar.tsx';
import { Badge } from '../kit/badge.tsx';
import { counted, Short, Usd } from '../kit/number.tsx';
import { OutLink, Outside } from '../kit/outside.tsx';
import { Section } from '../kit/section.tsx';
import { When } from '../kit/when.tsx';

/** What a trial came to: what it found, or why it found nothing. */
export type Tried =
  | { kind: 'found'; name: string; trial: Trial }
  | { kind: 'failed'; name: string; code: RunCode; detail: string | undefined };

/** @throws whatever is no end of a call */
export async function triedOut(name: string, trial: () => Promise<Trial>): Promise<Tried> {
  try {
    return { kind: 'found', name, trial: await trial() };
  } catch (error) {
    if (!(error instanceof RunError)) throw error;
    return { kind: 'failed', name, code: error.code, detail: error.detail };
  }
}

export function TrialView({ tried }: { tried: Tried }) {
  if (tried.kind === 'failed')
    return (
      <Section title={`Tried out: ${tried.name}`} id="trial">
        <p class="wrong">
          Nothing came: {RUN_CODES[tried.code]} (<code>{tried.code}</code>).
        </p>
        {tried.detail === undefined ? null : (
          <p class="why">
            <Outside text={tried.detail} />
          </p>
        )}
      </Section>
    );
  return <Found name={tried.name} trial={tried.trial} />;
}

function Found({ name, trial }: { name: string; trial: Trial }) {
  const { posts, links, posts_found, links_found } = trial;
  const texts = Object.values(trial.completion ?? {}).flatMap((text) => (text === null ? [] : [text]));
  return (
    <Section
      title={`Tried out: ${name}`}
      id="trial"
      note={
        <>
          {counted(posts_found, 'post')} ({trial.posts_known} known already), {counted(links_found, 'link')} (
          {trial.links_known} known already)
          {trial.rejected === 0 ? '' : `, ${counted(trial.rejected, 'item')} that could not be read`}; it took{' '}
          {(trial.latency_ms / 1_000).toFixed(1)} s, cost{' '}
          <Usd of={trial.cost_usd} service={trial.service_kind} />. None of it is kept.
        </>
      }
    >
      {trial.service_kind === 'sandbox' ? (
        <p>
          <Badge state="simulated" /> This is what the sandbox invents.
        </p>
      ) : null}
      {trial.warnings.map(({ tool, message, code }) => (
        <p class="why">
          The service says: <Outside text={[tool, message ?? code].filter(Boolean).join(': ')} />
        </p>
      ))}
      {posts_found + links_found === 0 ? (
        <p class="empty">Nothing was found. Other words, or a longer time to look back, may find more.</p>
      ) : null}
      {texts.map((text) => (
        <p class="tried-text">
          <Outside text={text} most={2_000} />
        </p>
      ))}
      {posts.map((post) => (
        <PostLine post={post} />
      ))}
      {posts_found > posts.length ? <p class="note">and {posts_found - posts.length} posts more</p> : null}
      {links.map((link) => (
        <Line link={link} />
      ))}
      {links_found > links.length ? <p class="note">and {links_found - links.length} links more</p> : null}
    </Section>
  );
}

function PostLine({ post }: { post: TriedPost }) {
  const name = post.author_username ?? post.author_name;
  return (
    <article class="post">
      <Avatar name={name} />
      <div>
        <p class="post-head">
          <span class="who">
            {name === null ? 'unknown author' : <Outside text={`@${name}`} most={40} />}
          </span>
          <span class="post-when">
            <When at={post.created_at} never="at an unknown time" />
          </span>
          {post.known ? null : <Badge state="new" />}
        </p>
        <p class="post-text">
          <Outside text={post.text} />
        </p>
        <p class="post-foot">
          {post.like_count === null ? null : (
            <span>
              <Short of={post.like_count} /> likes
            </span>
          )}
          {post.repost_count === null ? null : (
            <span>
              <Short of={post.repost_count} /> reposts
            </span>
          )}
          {post.url === null ? null : <OutLink href={post.url} text="original" />}
        </p>
      </div>
    </article>
  );
}

function Line({ link }: { link: TriedLink }) {
  return (
    <div class="line">
      <span class="line-what">
        <OutLink href={link.url} text={link.title ?? link.url} />
      </span>
      <span class="line-more">
        <Outside text={link.site} most={80} />
        <span>{link.source.replaceAll('_', ' ')}</span>
        <When at={link.published_at} never="at an unknown time" />
        {link.known ? null : <Badge state="new" />}
      </span>
    </div>
  );
}
