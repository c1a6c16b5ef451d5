/** New stories of the range, folded: the largest first. */
import { formatCopies, formatCount, formatWhole } from '../../lib/display-format.ts';
import type { NewStories } from '../../store/queries/overview-activity.ts';
import type { TopicRow } from '../../store/queries/topic-list.ts';
import { DismissButton, DismissForm, HiddenSwitch } from '../components/dismiss-button.tsx';
import { ItemLink } from '../components/item-link.tsx';
import { Timestamp } from '../components/timestamp.tsx';
import { UntrustedText } from '../components/untrusted-text.tsx';

export function NewStoriesSection({
  news: { stories, total, topics, others },
  names,
  words,
  isHidden,
  other,
}: {
  news: NewStories;
  names: readonly TopicRow[];
  /** The range, such as `since yesterday, 18:00`. */
  words: string;
  /** Whether these are the stories that a person hides. */
  isHidden: boolean;
  /** The address with the stories that are left out. */
  other: string;
}) {
  const nameById = new Map(names.map(({ id, name }) => [id, name]));
  const hidden = <HiddenSwitch isHidden={isHidden} others={others} href={other} />;
  return (
    <section id="stories" data-live="stories" data-held="" aria-label="New stories">
      {total === 0 ? (
        <p class="hint">
          No new stories {words}. {hidden}
        </p>
      ) : (
        <details class="stories" open={isHidden}>
          <summary>
            <strong>
              {isHidden
                ? formatCount(total, 'hidden new story', 'hidden new stories')
                : formatCount(total, 'new story', 'new stories')}
            </strong>{' '}
            in {formatCount(topics, 'topic')} {words}
            {total > stories.length ? `; the largest ${formatWhole(stories.length)}` : ''}
          </summary>
          <ul class="feed">
            {stories.map((story) => (
              <li>
                <StoryLine story={story} topic={nameById.get(story.topic_id) ?? story.topic} />
              </li>
            ))}
          </ul>
          <p class="hint">{hidden}</p>
        </details>
      )}
      {isHidden ? null : <DismissForm topic={stories[0]?.topic ?? ''} />}
    </section>
  );
}

/** @param props.topic its name */
function StoryLine({ story, topic }: { story: NewStories['stories'][number]; topic: string }) {
  const { id, text, url, things, authors, first_kind, first_item_id, hidden_at } = story;
  const shown = text ?? url ?? 'A story without a text';
  return (
    <div class="line">
      <span class="line-what">
        <ItemLink path={`/stories/${id}`} url={url} text={shown} most={180} />
      </span>
      <span class="line-more">
        <span>{formatCopies({ copies: things, authors, copies_at_least: false })}</span>
        <a href={`/topics/${story.topic}`}>
          <UntrustedText text={topic} most={60} />
        </a>
        <Timestamp at={story.first_found_at} />
        {hidden_at === null ? (
          <DismissButton
            kind={first_kind === 'link' ? 'link' : 'post'}
            id={first_item_id}
            text={shown}
            topic={story.topic}
          />
        ) : null}
      </span>
    </div>
  );
}
