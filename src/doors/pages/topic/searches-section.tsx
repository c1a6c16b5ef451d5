import { inWords } from '../../../monitor/schedule/words.ts';
import { scheduleOf, UNREADABLE } from '../../../monitor/schedule/schedule-of.ts';
import type { SearchRow } from '../../../store/reads/searches.ts';
import { Badge } from '../kit/badge.tsx';
import { May, WATCHES } from '../kit/may.tsx';
import { Outside } from '../kit/outside.tsx';
import { Empty, Section } from '../kit/section.tsx';
import { Table } from '../kit/table.tsx';
import { Due } from '../kit/when.tsx';

export function SearchesSection({ topic, searches }: { topic: string; searches: readonly SearchRow[] }) {
  const add = `/new?${new URLSearchParams({ topic }).toString()}`;
  return (
    <Section title="Searches" id="searches" live aside={<Add href={add} />}>
      {searches.length === 0 ? (
        <Empty words="This topic has no search." todo={{ words: 'Add one', href: add, scope: WATCHES }} />
      ) : (
        <Table
          caption="Searches of this topic"
          rows={searches}
          columns={[
            {
              head: 'Search',
              cell: ({ slug, prompt }) => (
                <>
                  <a class="who" href={`/searches/${slug}`}>
                    {slug}
                  </a>
                  <div class="hint">
                    “<Outside text={prompt} most={90} />”
                  </div>
                </>
              ),
            },
            { head: 'State', cell: (search) => <SearchState search={search} /> },
            {
              head: 'Asks',
              wide: true,
              cell: ({ operation }) => (operation === 'ai' ? 'AI search' : 'Posts'),
            },
            { head: 'Runs', cell: (search) => scheduleWords(search) },
            { head: 'Next', cell: ({ next_due_at }) => <Due at={next_due_at} /> },
          ]}
        />
      )}
    </Section>
  );
}

function Add({ href }: { href: string }) {
  return (
    <May scope={WATCHES}>
      <a href={href}>Add a search</a>
    </May>
  );
}

export function SearchState({ search }: { search: SearchRow }) {
  if (search.archived_at !== null) return <Badge state="removed" />;
  return (
    <>
      <Badge state={search.state} why={search.state_reason} />
      {search.state_reason === null || search.state === 'active' ? null : (
        <div class="why">{search.state_reason}</div>
      )}
    </>
  );
}

/** `every 15 minutes`, or that it cannot be read: of an older release, or in a zone that is no more. */
export function scheduleWords(search: SearchRow): string {
  try {
    return inWords(scheduleOf(search));
  } catch {
    return UNREADABLE;
  }
}
