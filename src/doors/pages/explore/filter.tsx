import { Button, Field } from '../kit/form.tsx';
import { useFrame } from '../kit/frame.ts';

export const KINDS = ['post', 'link'] as const;
export const SPANS = ['day', 'week', 'month', 'year'] as const;
/** How far back, in days. */
export const SPAN_DAYS = { day: 1, week: 7, month: 30, year: 365 } as const;

type Asked = {
  q?: string | undefined;
  topic?: string | undefined;
  kind?: string | undefined;
  lang?: string | undefined;
  within?: string | undefined;
};

export function Filter({ asked }: { asked: Asked }) {
  const { topics } = useFrame();
  return (
    <form class="form inline" method="get" action="/explore" role="search" aria-label="What to look for">
      <Field name="q" label="Words" kind="search" value={asked.q} placeholder="night ferry" path="words" />
      <Field
        name="topic"
        label="Topic"
        kind="select"
        value={asked.topic}
        options={[
          { value: '', words: 'all' },
          ...topics.map(({ slug, name }) => ({ value: slug, words: name })),
        ]}
      />
      <Field
        name="kind"
        label="Kind"
        kind="select"
        value={asked.kind}
        options={[
          { value: '', words: 'posts and links' },
          { value: 'post', words: 'posts' },
          { value: 'link', words: 'links' },
        ]}
      />
      <Field name="lang" label="Language of posts" value={asked.lang} placeholder="any, such as en" />
      <Field
        name="within"
        label="From the last"
        kind="select"
        value={asked.within}
        options={[{ value: '', words: 'any time' }, ...SPANS.map((value) => ({ value, words: value }))]}
      />
      <Button words="Search" kind="main" />
    </form>
  );
}
