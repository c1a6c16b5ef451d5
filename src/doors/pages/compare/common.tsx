import { COMMON_KINDS, type Common, type CommonKind } from '../../../store/reads/common-tops.ts';
import type { TopicRow } from '../../../store/reads/topics.ts';
import { Count } from '../kit/number.tsx';
import { Outside } from '../kit/outside.tsx';
import { Empty, Section } from '../kit/section.tsx';
import { Table } from '../kit/table.tsx';
import { Tabs } from '../kit/tabs.tsx';
import type { Range } from './choice.tsx';

const WORDS: Readonly<Record<CommonKind, string>> = {
  author: 'Authors',
  hashtag: 'Hashtags',
  domain: 'Domains',
};

/** Names of one kind that stand in several of the topics, with how often in each; the other kinds are a step away. */
export function CommonThings({
  kind,
  rows,
  chosen,
  range,
  days,
}: {
  kind: CommonKind;
  rows: readonly Common[];
  chosen: readonly TopicRow[];
  range: Range;
  days: number;
}) {
  const topics = chosen.map(({ slug }) => slug).join(',');
  return (
    <Section
      title="What they have in common"
      id="common"
      note={`New posts of the last ${days} days, each once per topic; for domains, links that were found as well.`}
    >
      <Tabs
        label="What is common"
        tabs={COMMON_KINDS.map((one) => ({
          href: `/compare?${new URLSearchParams({ topics, range, common: one }).toString()}#common`,
          words: WORDS[one],
          here: one === kind,
        }))}
      />
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
