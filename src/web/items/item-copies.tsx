import { formatCopies, formatWhole } from '../../lib/display-format.ts';
import type { CopiesInTopic } from '../../store/queries/item-copies.ts';
import { DiscoveryLine } from '../components/discovery-item.tsx';
import { Section } from '../components/section.tsx';

/** The copies of a post or link, topic by topic. */
export function ItemCopies({ topics }: { topics: readonly CopiesInTopic[] }) {
  if (topics.length === 0) return null;
  return (
    <Section
      title="Copies"
      id="copies"
      note="Posts with the same text, without addresses and mentions, and items with the same address."
    >
      {topics.map(({ topic, rows, ...counted }) => (
        <>
          <h3>
            <a href={`/topics/${topic}`}>{`${topic}: ${formatCopies(counted)}`}</a>
          </h3>
          {rows.map((discovery) => (
            <DiscoveryLine discovery={discovery} />
          ))}
          {counted.copies > rows.length ? (
            <p class="hint">{`The first ${formatWhole(rows.length)} are shown.`}</p>
          ) : null}
        </>
      ))}
    </Section>
  );
}
