import { type RunCode, RUN_CODES, RunError } from '../../domain/errors.ts';
import type { DryRun } from '../../monitor/runs/dry-run.ts';
import type { DryRunLink, DryRunPost } from '../../monitor/runs/dry-run-results.ts';
import { Avatar, nameAuthor, PostCounters } from '../components/post-card.tsx';
import { Badge } from '../components/icons.tsx';
import { formatCount, Usd } from '../components/numbers.tsx';
import { ExternalLink, UntrustedText } from '../components/untrusted-text.tsx';
import { Section } from '../components/section.tsx';
import { Timestamp } from '../components/timestamp.tsx';

/** The result of a trial, or why it failed. */
export type TrialOutcome =
  | { kind: 'found'; name: string; trial: DryRun }
  | { kind: 'failed'; name: string; code: RunCode; detail: string | undefined };

/** @throws anything but a failed call */
export async function catchTrial(name: string, trial: () => Promise<DryRun>): Promise<TrialOutcome> {
  try {
    return { kind: 'found', name, trial: await trial() };
  } catch (error) {
    if (!(error instanceof RunError)) throw error;
    return { kind: 'failed', name, code: error.code, detail: error.detail };
  }
}

export function TrialView({ tried }: { tried: TrialOutcome }) {
  if (tried.kind === 'failed')
    return (
      <Section title={`Trial: ${tried.name}`} id="trial">
        <p class="wrong">
          Failed: {RUN_CODES[tried.code]} (<code>{tried.code}</code>).
        </p>
        {tried.detail === undefined ? null : (
          <p class="why">
            <UntrustedText text={tried.detail} />
          </p>
        )}
      </Section>
    );
  return <TrialResult name={tried.name} trial={tried.trial} />;
}

function TrialResult({ name, trial }: { name: string; trial: DryRun }) {
  const { posts, links, posts_found, links_found } = trial;
  const texts = Object.values(trial.completion ?? {}).flatMap((text) => (text === null ? [] : [text]));
  return (
    <Section
      title={`Trial: ${name}`}
      id="trial"
      note={
        <>
          {formatCount(posts_found, 'post')} ({trial.posts_known} already known),{' '}
          {formatCount(links_found, 'link')} ({trial.links_known} already known)
          {trial.rejected === 0 ? '' : `, ${formatCount(trial.rejected, 'item')} rejected`}; took{' '}
          {(trial.latency_ms / 1_000).toFixed(1)} s, cost:{' '}
          <Usd of={trial.cost_usd} service={trial.service_kind} />. Nothing was saved.
        </>
      }
    >
      {trial.warnings.map(({ tool, message, code }) => (
        <p class="why">
          Warning from the service:{' '}
          <UntrustedText text={[tool, message ?? code].filter(Boolean).join(': ')} />
        </p>
      ))}
      {posts_found + links_found === 0 ? (
        <p class="empty">No results. Try other words or a longer look-back.</p>
      ) : null}
      {texts.map((text) => (
        <p class="tried-text">
          <UntrustedText text={text} most={2_000} />
        </p>
      ))}
      {posts.map((post) => (
        <TrialPost post={post} />
      ))}
      {posts_found > posts.length ? (
        <p class="note">and {formatCount(posts_found - posts.length, 'more post')}</p>
      ) : null}
      {links.map((link) => (
        <TrialLink link={link} />
      ))}
      {links_found > links.length ? (
        <p class="note">and {formatCount(links_found - links.length, 'more link')}</p>
      ) : null}
    </Section>
  );
}

function TrialPost({ post }: { post: DryRunPost }) {
  const name = nameAuthor(post.author_username, post.author_name);
  return (
    <article class="post">
      <Avatar name={name} />
      <div>
        <p class="post-head">
          <span class="who">
            {name === null ? 'unknown author' : <UntrustedText text={name} most={40} />}
          </span>
          <span class="post-when">
            <Timestamp at={post.created_at} never="time not reported" />
          </span>
          {post.known ? null : <Badge state="new" />}
        </p>
        <p class="post-text">
          <UntrustedText text={post.text} />
        </p>
        <p class="post-foot">
          <PostCounters of={post} />
          {post.url === null ? null : <ExternalLink href={post.url} text="original" />}
        </p>
      </div>
    </article>
  );
}

function TrialLink({ link }: { link: DryRunLink }) {
  return (
    <div class="line">
      <span class="line-what">
        <ExternalLink href={link.url} text={link.title ?? link.url} />
      </span>
      <span class="line-more">
        <UntrustedText text={link.site} most={80} />
        <span>{link.source.replaceAll('_', ' ')}</span>
        <Timestamp at={link.published_at} never="time not reported" />
        {link.known ? null : <Badge state="new" />}
      </span>
    </div>
  );
}
