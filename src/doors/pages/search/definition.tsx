import type { SearchRow } from '../../../store/reads/searches.ts';
import { Outside } from '../kit/outside.tsx';
import { Section } from '../kit/section.tsx';
import { When } from '../kit/when.tsx';
import { scheduleWords } from '../topic/searches-section.tsx';

/** What it asks, of whom, and when. */
export function Definition({ search }: { search: SearchRow }) {
  const { prompt, operation, tools, model, date_filter, service, version, request_version, labels } = search;
  return (
    <Section title="What it asks" id="definition">
      <dl class="facts">
        <dt>Text</dt>
        <dd>
          <Outside text={prompt} most={2_000} />
        </dd>
        <dt>Asks for</dt>
        <dd>{operation === 'ai' ? `AI search over ${tools.join(', ')}` : 'posts'}</dd>
        <dt>Of</dt>
        <dd>
          {service}, model {model}
        </dd>
        {date_filter === null ? null : (
          <>
            <dt>Not older than</dt>
            <dd>{date_filter.toLowerCase().replaceAll('_', ' ')}</dd>
          </>
        )}
        <dt>Runs</dt>
        <dd>{scheduleWords(search)}</dd>
        <dt>Spikes are told</dt>
        <dd>{search.sensitivity === 'off' ? 'not at all' : `at ${search.sensitivity} sensitivity`}</dd>
        {labels.length === 0 ? null : (
          <>
            <dt>Labels</dt>
            <dd>{labels.join(', ')}</dd>
          </>
        )}
        <dt>Version</dt>
        <dd>
          {version}
          {request_version === version ? '' : `; asks the same since version ${request_version}`}
        </dd>
        <dt>Made</dt>
        <dd>
          <When at={search.created_at} exact />
        </dd>
      </dl>
    </Section>
  );
}
