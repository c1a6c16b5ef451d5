/** Names in answers: a short block on the page of a topic, and the charts of its page of names. */
import { formatPercent } from '../../lib/display-format.ts';
import { groupBy } from '../../lib/group-by.ts';
import { truncateText } from '../../lib/text.ts';
import { DAY } from '../../lib/time.ts';
import type { ServiceKind } from '../../model/closed-lists.ts';
import type { Reads } from '../../store/db/database.ts';
import {
  type NameChange,
  type NameInAnswers,
  readNameChanges,
  readNamesInAnswers,
} from '../../store/queries/names-in-answers.ts';
import { Chart } from '../components/chart.tsx';
import type { ChartMark } from '../components/chart-scale.tsx';
import { Table } from '../components/data-table.tsx';
import { EmptyState, Section } from '../components/section.tsx';
import { UntrustedText } from '../components/untrusted-text.tsx';

export const MAX_SHOWN_NAME = 100;
/** Days of the block, and of the charts. */
const SHOWN_DAYS = 30;
/** A search has one or few answers a day: the share of one day is all or nothing. */
const DAYS_OF_POINT = 7;
const MAX_NAMES_IN_BLOCK = 5;
const MAX_LINES = 6;
const MAX_SHORT_MARK = 16;

/** The last 30 days (UTC) with today. */
export function readShownNames(db: Reads, topic: string, now: Date): Promise<NameInAnswers[]> {
  return readNamesInAnswers(db, { topic, ...findShownDays(now) });
}

export type NamesOverTime = {
  names: readonly NameInAnswers[];
  /** Also of the days before that the first points include. */
  earlier: readonly NameInAnswers[];
  changes: readonly NameChange[];
  from: Date;
};

/** The last 30 days (UTC) with today, and what their points are computed from. */
export async function readNamesOverTime(db: Reads, topic: string, now: Date): Promise<NamesOverTime> {
  const { from, until } = findShownDays(now);
  const earliest = new Date(from.getTime() - (DAYS_OF_POINT - 1) * DAY);
  const [names, earlier, changes] = await Promise.all([
    readNamesInAnswers(db, { topic, from, until }),
    readNamesInAnswers(db, { topic, from: earliest, until }),
    readNameChanges(db, { topic, from, until }),
  ]);
  return { names, earlier, changes, from };
}

function findShownDays(now: Date): { from: Date; until: Date } {
  const until = Math.ceil(now.getTime() / DAY) * DAY;
  return { from: new Date(until - SHOWN_DAYS * DAY), until: new Date(until) };
}

/** Of a topic whose answers were read for names; otherwise nothing. */
export function NamesBlock({ topic, names }: { topic: string; names: readonly NameInAnswers[] }) {
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
export function NameCharts({ shown: { names, earlier, changes, from } }: { shown: NamesOverTime }) {
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
          note={`Of the last ${SHOWN_DAYS} days (UTC). Each point is of the ${DAYS_OF_POINT} days that end with its day; without an answer in them, there is a gap. Other services may answer differently.`}
        >
          <NamesTable caption={`Names in answers of ${describeService(service, kind)}`} rows={rows} />
          <Chart
            caption={`Share of the answers of ${describeService(service, kind)} with each name, in ${DAYS_OF_POINT} days`}
            at={at}
            seconds={DAY / 1_000}
            series={rows.slice(0, MAX_LINES).map(({ name_id, name }) => {
              const points = countPoints(at, earlier, { service, name_id });
              return {
                name,
                values: points.map((point) =>
                  point === null ? null : Math.round((point.present / point.answers) * 1_000) / 10,
                ),
                shareOf: points.map((point) => (point === null ? null : writeShareOf(point))),
              };
            })}
            unit={`percent of the answers of ${DAYS_OF_POINT} days`}
            sign=" %"
            kind="lines"
            marks={changes.filter((change) => change.service === service).map(createChangeMark)}
          />
          {rows.length > MAX_LINES ? (
            <p class="hint">{`The chart has the first ${MAX_LINES} names.`}</p>
          ) : null}
        </Section>
      ))}
    </>
  );
}

type Point = Pick<NameInAnswers, 'answers' | 'present'>;

/** The answers of the days up to each day; null without an answer. */
function countPoints(
  at: readonly Date[],
  names: readonly NameInAnswers[],
  { service, name_id }: Pick<NameInAnswers, 'service' | 'name_id'>,
): (Point | null)[] {
  const days = names.find((name) => name.service === service && name.name_id === name_id)?.buckets ?? [];
  return at.map((day) => {
    const point = { answers: 0, present: 0 };
    for (const { bucket_at, answers, present } of days) {
      const age = (day.getTime() - bucket_at.getTime()) / DAY;
      if (age < 0 || age >= DAYS_OF_POINT) continue;
      point.answers += answers;
      point.present += present;
    }
    return point.answers === 0 ? null : point;
  });
}

const writeShareOf = ({ present, answers }: Point): string => `${present} of ${answers}`;

function createChangeMark({ at, name, change, sentence, run_id }: NameChange): ChartMark {
  const short = `${truncateText(name, MAX_SHORT_MARK)} ${change}`;
  return { kind: 'version', at, short, words: sentence, href: `/runs/${run_id}` };
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
        { head: 'Answers', number: true, cell: writeShareOf },
        { head: 'Named', number: true, wide: true, cell: ({ named }) => named },
        { head: 'Cited', number: true, wide: true, cell: ({ cited }) => cited },
      ]}
    />
  );
}
