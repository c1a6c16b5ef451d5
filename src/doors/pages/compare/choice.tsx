import type { TopicRow } from '../../../store/reads/topics.ts';
import { Button, Field } from '../kit/form.tsx';

export const RANGES = ['7d', '30d', '90d'] as const;
export type Range = (typeof RANGES)[number];

export function Choice({
  topics,
  chosen,
  range,
  most,
}: {
  topics: readonly TopicRow[];
  chosen: readonly TopicRow[];
  range: Range;
  most: number;
}) {
  if (topics.length === 0) return null;
  return (
    <form class="form choice" method="get" action="/compare" aria-label="What to compare">
      <Field
        name="topics"
        label="Topics"
        many
        value={chosen.map(({ slug }) => slug)}
        options={topics.map(({ slug, name }) => ({ value: slug, words: name }))}
        help={`Up to ${most}.`}
      />
      <div class="form inline">
        <Field
          name="range"
          label="Whole days (UTC) up to today"
          kind="select"
          value={range}
          options={RANGES.map((value) => ({ value, words: `the last ${Number.parseInt(value, 10)} days` }))}
        />
        <Button words="Compare" kind="main" />
      </div>
    </form>
  );
}
