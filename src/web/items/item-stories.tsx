import { formatCopies, formatCount } from '../../lib/display-format.ts';
import type { StoryRow } from '../../store/queries/stories.ts';
import { Section } from '../components/section.tsx';
import { Timestamp } from '../components/timestamp.tsx';

/** The stories that a post or link is part of, topic by topic. */
export function ItemStories({ stories }: { stories: readonly StoryRow[] }) {
  if (stories.length === 0) return null;
  return (
    <Section title="Stories" id="stories" note="What topics found that says the same.">
      <ul>
        {stories.map(({ id, topic, first_found_at: first, ...counted }) => (
          <li>
            <a href={`/stories/${id}`}>{`${topic}: ${formatStory(counted)}`}</a>, since{' '}
            <Timestamp at={first} exact />
          </li>
        ))}
      </ul>
    </Section>
  );
}

/** `×27, 3 authors`; of a post and the links to it only, their number. */
function formatStory({ things, authors, members }: Pick<StoryRow, 'things' | 'authors' | 'members'>): string {
  const copies = { copies: things, authors, copies_at_least: false };
  return formatCopies(copies) ?? formatCount(members, 'item');
}
