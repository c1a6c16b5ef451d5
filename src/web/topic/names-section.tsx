/** Names in answers: a short block on the page of a topic, and the charts of its page of names. */
import { formatPercent } from '../../lib/display-format.ts';
import { groupBy } from '../../lib/group-by.ts';
import { DAY } from '../../lib/time.ts';
import type { ServiceKind } from '../../model/closed-lists.ts';
import type { Reads } from '../../store/db/database.ts';
import { type NameInAnswers, readNamesInAnswers } from '../../store/queries/names-in-answers.ts';
import { Chart } from '../components/chart.tsx';
import { Table } from '../components/data-table.tsx';
import { EmptyState, Section } from '../components/section.tsx';
import { UntrustedText } from '../components/untrusted-text.tsx';

export const MAX_SHOWN_NAME = 100;
/** Days of the block, and of the charts. */
const SHOWN_DAYS = 30;
const MAX_NAMES_IN_BLOCK = 5;
const MAX_LINES = 6;

export type NamesInAnswers = { names: readonly NameInAnswers[]; from: Date };

/** The last 30 days (UTC) with today. */
export async function readShownNames(db: Reads, topic: string, now: Date): Promise<NamesInAnswers> {
  const until = Math.ceil(now.getTime() / DAY) * DAY;
  const from = new Date(until - SHOWN_DAYS * DAY);
  return { names: await readNamesInAnswers(db, { topic, from, until: new Date(until) }), from };
}

/** Of a topic whose answers were read for names; otherwise nothing. */
export function NamesBlock({ topic, shown: { names } }: { topic: string; shown: NamesInAnswers }) {
  if (names.length === 0) return null;
  return (
    <Section
      title="Names in answers"
      id="names"
      note={`Share of the answers of the last ${SHOWN_DAYS} days that name it or cite its domains.`}
      aside={<a href={`/topics/${topic}/names`}>Over time</a>}
    >
      {listServices(names).map(([service, kind, rows]) => (
        <NamesTable
          caption={`Names in answers of ${describeService(service, kind)}`}
          rows={rows.slice(0, MAX_NAMES_IN_BLOCK)}
        />
      ))}
    </Section>
  );
}

/** One section for each service: each says what its own answers have. */
export function NameCharts({ shown: { names, from } }: { shown: NamesInAnswers }) {
  if (names.length === 0)
    return (
      <Section title="In answers" id="answers">
        <EmptyState
          words={`No answer of the last ${SHOWN_DAYS} days was read for a name yet. Answers are written by AI searches.`}
        />
      </Section>
    );
  const at = Array.from({ length: SHOWN_DAYS }, (_, i) => new Date(from.getTime() + i * DAY));
  return (
    <>
      {listServices(names).map(([service, kind, rows], i) => (
        <Section
          title={`In answers of ${describeService(service, kind)}`}
          id={`answers-${i + 1}`}
          note={`Of the last ${SHOWN_DAYS} days (UTC). A day without an answer is a gap. Other services may answer differently.`}
        >
          <NamesTable caption={`Names in answers of ${describeService(service, kind)}`} rows={rows} />
          <Chart
            caption={`Share of the answers of ${describeService(service, kind)} with each name, per day`}
            at={at}
            seconds={DAY / 1_000}
            series={rows.slice(0, MAX_LINES).map(({ name, buckets }) => {
              const shares = new Map(buckets.map(({ bucket_at, share }) => [bucket_at.getTime(), share]));
              return {
                name,
                values: at.map((day) => {
                  const share = shares.get(day.getTime());
                  return share === undefined ? null : Math.round(share * 1_000) / 10;
                }),
              };
            })}
            unit="percent of the answers of the day"
            sign=" %"
            kind="lines"
          />
          {rows.length > MAX_LINES ? (
            <p class="hint">{`The chart has the first ${MAX_LINES} names.`}</p>
          ) : null}
        </Section>
      ))}
    </>
  );
}

const SERVICE_WORDS: Readonly<Record<ServiceKind, string>> = {
  hosted: 'the hosted service',
  own: 'your own service',
  sandbox: 'the sample (simulated)',
};

/** `the hosted service "news"`; without its name if that says the same. */
function describeService(service: string, kind: ServiceKind): string {
  return service === kind ? SERVICE_WORDS[kind] : `${SERVICE_WORDS[kind]} "${service}"`;
}

function listServices(
  names: readonly NameInAnswers[],
): [service: string, kind: ServiceKind, rows: readonly NameInAnswers[]][] {
  return [...groupBy(names, ({ service }) => service)].map(([service, rows]) => [
    service,
    rows[0].service_kind,
    rows,
  ]);
}

function NamesTable({ caption, rows }: { caption: string; rows: readonly NameInAnswers[] }) {
  return (
    <Table
      caption={caption}
      rows={rows}
      columns={[
        { head: 'Name', cell: ({ name }) => <UntrustedText text={name} most={MAX_SHOWN_NAME} /> },
        { head: 'Whose', wide: true, cell: ({ side }) => (side === 'own' ? 'own' : 'rival') },
        { head: 'Share', number: true, cell: ({ share }) => formatPercent(share) },
        { head: 'Answers', number: true, cell: ({ present, answers }) => `${present} of ${answers}` },
        { head: 'Named', number: true, wide: true, cell: ({ named }) => named },
        { head: 'Cited', number: true, wide: true, cell: ({ cited }) => cited },
      ]}
    />
  );
}
