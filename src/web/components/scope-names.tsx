/** Topics and searches by the names that people gave them; slugs are in addresses. */
import { type PageFrame, useFrame } from './page-frame.tsx';
import { UntrustedText } from './untrusted-text.tsx';

type Names = Pick<PageFrame, 'topics' | 'searchNames'>;

/** The name of a topic; its slug if it is not known here. */
export function nameTopic({ topics }: Names, topic: string): string {
  return topics.find(({ slug }) => slug === topic)?.name ?? topic;
}

/** `Night trains: Posts`; within its topic `Posts`. The slug if it is not known here. */
export function nameSearchOf(
  { searchNames }: Names,
  search: string,
  within: 'topic' | 'all' = 'all',
): string {
  const name = searchNames.get(search);
  return (within === 'topic' ? name?.search : name?.full) ?? search;
}

export function TopicLink({ slug }: { slug: string }) {
  return (
    <a href={`/topics/${slug}`}>
      <UntrustedText text={nameTopic(useFrame(), slug)} most={60} />
    </a>
  );
}

/** @param props.within what the page is of already */
export function SearchLink({ slug, within = 'all' }: { slug: string; within?: 'topic' | 'all' }) {
  return (
    <a href={`/searches/${slug}`}>
      <UntrustedText text={nameSearchOf(useFrame(), slug, within)} most={80} />
    </a>
  );
}
