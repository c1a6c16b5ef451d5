import { type RunCode, RUN_CODES, RunError } from '../../model/errors.ts';
import type { Trial } from '../../monitor/runs/trial.ts';
import type { TrialLink, TrialPost } from '../../monitor/runs/trial-results.ts';
import { nameAuthor, PostCounters } from '../components/post-card.tsx';
import { findTool } from '../../model/enumerations.ts';
import { AnswerView, type ShownItem } from '../answer/answer-view.tsx';
import { Badge } from '../components/icons.tsx';
import { formatCount, Usd } from '../components/numbers.tsx';
import { UntrustedText } from '../components/untrusted-text.tsx';
import { Section } from '../components/section.tsx';
import { Timestamp } from '../components/timestamp.tsx';

/** The result of a trial, or why it failed. */
export type TrialOutcome =
  | { kind: 'found'; name: string; trial: Trial }
  | { kind: 'failed'; name: string; code: RunCode; detail: string | undefined };

/** @throws anything but a failed call */
export async function catchTrial(name: string, trial: () => Promise<Trial>): Promise<TrialOutcome> {
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

function TrialResult({ name, trial }: { name: string; trial: Trial }) {
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
          {trial.rejected === 0 ? '' : `, ${formatCount(trial.rejected, 'item')} rejected`}; cost:{' '}
          <Usd of={trial.cost_usd} service={trial.service_kind} />. Nothing was saved.
        </>
      }
    >
      <AnswerView
        answer={{
          texts: trial.operation === 'ai' ? texts : null,
          items: [...posts.map(toPostItem), ...links.map(toLinkItem)],
          itemCount: posts_found + links_found,
          plan: trial.plan,
          pages: trial.pages ?? undefined,
          warnings: trial.warnings,
          ms: trial.latency_ms,
        }}
        renderTime={(at) => <Timestamp at={at} />}
      />
    </Section>
  );
}

function toPostItem(post: TrialPost): ShownItem {
  const name = nameAuthor(post.author_username, post.author_name);
  return {
    title: name === null ? post.text : `${name}: ${post.text}`,
    url: post.url,
    tool: 'Microblog Search',
    publishedAt: post.created_at,
    more: (
      <>
        <PostCounters of={post} />
        {post.known ? null : <Badge state="new" />}
      </>
    ),
  };
}

function toLinkItem({ title, url, source, published_at, known }: TrialLink): ShownItem {
  return {
    title,
    url,
    tool: findTool(source),
    publishedAt: published_at,
    more: known ? null : <Badge state="new" />,
  };
}
