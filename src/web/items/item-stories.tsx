import { formatCopies, formatCount } from '../../lib/display-format.ts';
import { type RelevanceRow, readRelevance } from '../../store/alerts/dismissals.ts';
import type { Id, Pooled } from '../../store/db/database.ts';
import type { StoryRow } from '../../store/queries/stories.ts';
import { Relevance } from '../components/dismiss-button.tsx';
import { useFrame } from '../components/page-frame.tsx';
import { nameTopic } from '../components/scope-names.tsx';
import { Section } from '../components/section.tsx';
import { Timestamp } from '../components/timestamp.tsx';

/** Others are on the pages of their topics. */
const MAX_TOPICS = 6;

/** The topics that found an item, and who hides it there. */
export function readItemRelevance(db: Pooled, item: { kind: 'post' | 'link'; id: Id }) {
  return readRelevance(db, { ...item, limit: MAX_TOPICS });
}

/** Buttons that hide a post or link, with its story, in each topic that found it; or who did. */
export function ItemRelevance({
  kind,
  id,
  topics,
}: {
  kind: 'post' | 'link';
  id: Id;
  topics: readonly RelevanceRow[];
}) {
  return (
    <>
      {topics.map((each) => (
        <Relevance kind={kind} id={id} {...each} names={topics.length > 1} />
      ))}
    </>
  );
}

/** The stories that a post or link is part of, topic by topic. */
export function ItemStories({ stories }: { stories: readonly StoryRow[] }) {
  const frame = useFrame();
  if (stories.length === 0) return null;
  return (
    <Section title="Stories" id="stories" note="What topics found that says the same.">
      <ul>
        {stories.map(({ id, topic, first_found_at: first, ...counted }) => (
          <li>
            <a href={`/stories/${id}`}>{`${nameTopic(frame, topic)}: ${formatStory(counted)}`}</a>, since{' '}
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
