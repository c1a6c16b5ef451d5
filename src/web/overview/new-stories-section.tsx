/** New stories of the range, folded: the largest first. */
import { formatCopies, formatCount, formatWhole } from '../../lib/display-format.ts';
import type { NewStories } from '../../store/queries/overview-activity.ts';
import type { TopicRow } from '../../store/queries/topic-list.ts';
import { Timestamp } from '../components/timestamp.tsx';
import { UntrustedText } from '../components/untrusted-text.tsx';

export function NewStoriesSection({
  news: { stories, total, topics },
  names,
  words,
}: {
  news: NewStories;
  names: readonly TopicRow[];
  /** The range, such as `since yesterday, 18:00`. */
  words: string;
}) {
  const nameById = new Map(names.map(({ id, name }) => [id, name]));
  return (
    <section id="stories" data-live="stories" data-held="" aria-label="New stories">
      {total === 0 ? (
        <p class="hint">No new stories {words}.</p>
      ) : (
        <details class="stories">
          <summary>
            <strong>{formatCount(total, 'new story', 'new stories')}</strong> in{' '}
            {formatCount(topics, 'topic')} {words}
            {total > stories.length ? `; the largest ${formatWhole(stories.length)}` : ''}
          </summary>
          <ul class="feed">
            {stories.map((story) => (
              <li>
                <div class="line">
                  <span class="line-what">
                    <a href={`/stories/${story.id}`}>
                      <UntrustedText text={story.text ?? story.url ?? 'A story without a text'} most={180} />
                    </a>
                  </span>
                  <span class="line-more">
                    <span>
                      {formatCopies({ copies: story.things, authors: story.authors, copies_at_least: false })}
                    </span>
                    <a href={`/topics/${story.topic}`}>
                      <UntrustedText text={nameById.get(story.topic_id) ?? story.topic} most={60} />
                    </a>
                    <Timestamp at={story.first_found_at} />
                  </span>
                </div>
              </li>
            ))}
          </ul>
        </details>
      )}
    </section>
  );
}
