import type { Common, CommonKind } from '../../../store/reads/common-tops.ts';
import type { TopicRow } from '../../../store/reads/topics.ts';
import { Count } from '../kit/number.tsx';
import { Outside } from '../kit/outside.tsx';
import { Empty, Section } from '../kit/section.tsx';
import { Table } from '../kit/table.tsx';

const WORDS: Readonly<Record<CommonKind, string>> = {
  author: 'Authors',
  hashtag: 'Hashtags',
  domain: 'Domains',
};

/** Names that stand in several of the topics, with how often in each. */
export function CommonThings({
  common,
  chosen,
  days,
}: {
  common: readonly { kind: CommonKind; rows: readonly Common[] }[];
  chosen: readonly TopicRow[];
  days: number;
}) {
  return (
    <Section
      title="What they have in common"
      id="common"
      note={`New posts of the last ${days} days, each once per topic; for domains, links that were found as well.`}
    >
      <div class="columns">
        {common.map(({ kind, rows }) => (
          <div>
            <h3>{WORDS[kind]}</h3>
            {rows.length === 0 ? (
              <Empty words={`No ${kind} stands in two of them.`} />
            ) : (
              <Table
                caption={`${WORDS[kind]} that several of these topics have`}
                rows={rows}
                columns={[
                  { head: WORDS[kind].replace(/s$/, ''), cell: (row) => <Name kind={kind} row={row} /> },
                  ...chosen.map(({ slug, name }) => ({
                    head: name,
                    cell: ({ posts }: Common) => <Count of={posts[slug] ?? 0} />,
                    number: true,
                  })),
                ]}
              />
            )}
          </div>
        ))}
      </div>
    </Section>
  );
}

function Name({ kind, row: { name, username } }: { kind: CommonKind; row: Common }) {
  if (kind === 'author')
    return (
      <a href={`/authors/${name}`}>
        <Outside text={username === null ? 'unnamed' : `@${username}`} most={40} />
      </a>
    );
  if (kind === 'hashtag')
    return (
      <a href={`/explore?q=${encodeURIComponent(name)}`}>
        <Outside text={`#${name}`} most={40} />
      </a>
    );
  return <Outside text={name} most={60} />;
}
