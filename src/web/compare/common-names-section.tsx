/** What several topics have in common: authors, hashtags or domains. */

import { writeFieldQuery } from '../../model/query-fields.ts';
import { COMMON_KINDS, type CommonKind, type CommonTop } from '../../store/queries/tops.ts';
import { Table } from '../components/data-table.tsx';
import { type ListKind, writeAddress, writeListPath } from '../components/list-address.ts';
import { Count, formatCount } from '../components/numbers.tsx';
import { Section, Tabs } from '../components/section.tsx';
import { Hashtag, UntrustedText } from '../components/untrusted-text.tsx';
import { COMMON_DAYS, type Comparison } from './compare-data.ts';

const COMMON_LABELS: Readonly<Record<CommonKind, string>> = {
  author: 'Authors',
  hashtag: 'Hashtags',
  domain: 'Domains',
};

/** Names of one kind that occur in several topics, with counts per topic. */
export function CommonNames({ commonKind: kind, common, topics, range, commonFrom }: Comparison) {
  const slugs = topics.map(({ slug }) => slug).join(',');
  return (
    <Section
      title="In common"
      id="common"
      note={`New posts of the last ${COMMON_DAYS} days, counted once per topic. Domains include links.`}
    >
      <Tabs
        label="Kind"
        tabs={COMMON_KINDS.map((name) => ({
          href: `${writeAddress('/compare', { topics: slugs, range, common: name })}#common`,
          words: COMMON_LABELS[name],
          here: name === kind,
        }))}
      />
      <Table
        empty={`No ${kind} in common.`}
        caption={`${COMMON_LABELS[kind]} in several of these topics`}
        rows={common}
        columns={[
          {
            head: COMMON_LABELS[kind].replace(/s$/, ''),
            cell: (row) => <CommonName kind={kind} row={row} />,
          },
          ...topics.map(({ slug, name }) => ({
            head: name,
            cell: (row: CommonTop) => <CommonCount kind={kind} row={row} topic={slug} from={commonFrom} />,
            number: true,
          })),
        ]}
      />
    </Section>
  );
}

/** The field of a query for exactly what is counted. */
const FIELDS = { author: 'author-id', domain: 'host', hashtag: 'hashtag' } as const satisfies Record<
  CommonKind,
  Parameters<typeof writeFieldQuery>[0]
>;

/** How many posts of a topic have a name, and how many links of a domain were found, with links to their lists. */
function CommonCount({
  kind,
  row: { name, counts },
  topic,
  from,
}: {
  kind: CommonKind;
  row: CommonTop;
  topic: string;
  from: Date;
}) {
  const { posts, links } = counts[topic] ?? { posts: 0, links: 0 };
  const q = writeFieldQuery(FIELDS[kind], name);
  const list = (of: ListKind, count: number) => {
    const shown = kind === 'domain' ? formatCount(count, of.slice(0, -1)) : <Count of={count} />;
    if (count === 0 || q === undefined) return shown;
    return <a href={writeListPath(of, { topic }, { q, from })}>{shown}</a>;
  };
  if (links === 0) return list('posts', posts);
  return (
    <>
      {posts === 0 ? null : <>{list('posts', posts)}, </>}
      {list('links', links)}
    </>
  );
}

function CommonName({ kind, row: { name, username } }: { kind: CommonKind; row: CommonTop }) {
  if (kind === 'author')
    return (
      <a href={`/authors/${name}`}>
        <UntrustedText text={username === null ? 'unnamed' : `@${username}`} most={40} />
      </a>
    );
  if (kind === 'hashtag') return <Hashtag tag={name} most={40} />;
  return <UntrustedText text={name} most={60} />;
}
