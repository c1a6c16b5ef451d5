/** All completions of a search with how much each changed, and the comparison of any two. */

import { nameSearchOf } from '../components/scope-names.tsx';
import { type AnswerChange, formatAnswerLine } from '../../model/statements/answer-change.ts';
import { formatPercent } from '../../lib/display-format.ts';
import { idKey } from '../../model/value-shapes.ts';
import type { App, RouteContext } from '../../monitor/http/route-types.ts';
import { findSearchRow } from '../../monitor/topics/find-by-slug.ts';
import type { Id, Reads } from '../../store/db/database.ts';
import {
  type CompletionDiff,
  type NoDiff,
  readCompletionDiff,
  refuseDiff,
} from '../../store/queries/completion-diff.ts';
import { type ClaimLife, readClaimLives } from '../../store/queries/claim-lives.ts';
import { type CompletionRow, readCompletionPage } from '../../store/queries/completions.ts';
import { readAnswerChanges } from '../../store/queries/answer-changes.ts';
import { Table } from '../components/data-table.tsx';
import { useFrame } from '../components/page-frame.tsx';
import { renderPage } from '../components/page-layout.tsx';
import { EmptyState, ScopeLinks, Section, Tabs } from '../components/section.tsx';
import { Timestamp } from '../components/timestamp.tsx';
import { readPageTranslations, Translated, TranslationsOf } from '../components/translation.tsx';
import { UntrustedText } from '../components/untrusted-text.tsx';
import { emptyField, slugParams } from '../request-input.ts';
import {
  ChangeSummary,
  CompletionChanges,
  listShownClaims,
  ResourcedStatements,
} from './completion-diff.tsx';
import { z } from 'zod';

/** Completions on a page. */
const SHOWN_ON_PAGE = 50;
/** Statements of the newest answer. */
const SHOWN_STATEMENTS = 40;
/** UTF-16 units of a statement, and of the title of its source, in a row. */
const MAX_STATEMENT = 400;
const MAX_SOURCE = 60;
/** UTF-16 units of the changes of an answer in a row. */
const MAX_CHANGE = 240;

/** A completion with what changed in it; empty if nothing did. */
type TimelineRow = CompletionRow & { changes: readonly AnswerChange[] };

async function readTimeline(
  db: Reads,
  range: { search: string; changed?: true | undefined; before?: Id | undefined; limit: number },
): Promise<TimelineRow[]> {
  const rows = await readCompletionPage(db, range);
  const changes = await readAnswerChanges(
    db.pool,
    rows.map(({ id }) => id),
  );
  return rows.map((row) => ({ ...row, changes: changes.get(row.id) ?? [] }));
}

const key = emptyField.or(idKey).optional();
const only = emptyField.or(z.literal('changed')).optional();
const comparison = z.object({ from: key, to: key, before: key, only });

export function addCompletionHistoryPage(app: App, { ctx }: RouteContext): void {
  const schema = { params: slugParams, querystring: comparison };
  app.get('/searches/:slug/completions', { schema, config: { scope: 'read' } }, async (request, reply) => {
    const search = await findSearchRow(ctx.db, request.params.slug);
    const { slug } = search;
    const { before, only: filter, ...range } = request.query;
    const changed = filter === undefined ? undefined : true;
    const rows = await readTimeline(ctx.db, { search: slug, changed, before, limit: SHOWN_ON_PAGE });
    const diff = await readCompletionDiff(ctx.db, search, range);
    const lives = await readClaimLives(ctx.db, { searchId: search.id, limit: SHOWN_STATEMENTS });
    // Without a choice, a single completion is no mistake.
    const isChosen = range.from !== undefined || range.to !== undefined;
    if (typeof diff === 'string' && isChosen) throw refuseDiff(diff, slug, range);
    const claims = typeof diff === 'string' ? [] : listShownClaims(diff);
    const translations = await readPageTranslations(
      ctx,
      search.topic,
      [...claims, ...lives].map(({ text }) => text),
    );
    return renderPage(request, reply, {
      title: `Answers of ${nameSearchOf(request.frame, slug)}`,
      here: '',
      above: <ScopeLinks scope={{ topic: search.topic, search: slug }} />,
      body: (
        <>
          <TranslationsOf.Provider value={translations}>
            <Comparison diff={diff} />
            <LivesSection lives={lives} />
          </TranslationsOf.Provider>
          <TimelineSection
            search={slug}
            rows={rows}
            older={rows.length === SHOWN_ON_PAGE}
            filter={changed === true ? 'changed' : 'all'}
            diff={typeof diff === 'string' ? null : diff}
          />
        </>
      ),
    });
  });
}

const NOTHING_TO_COMPARE: Readonly<Record<NoDiff, string>> = {
  no_to: 'No answer with statements yet.',
  no_from: 'Only one answer with statements so far; nothing to compare it with.',
};

function Comparison({ diff }: { diff: CompletionDiff | NoDiff }) {
  if (typeof diff === 'string')
    return (
      <Section title="Difference" id="difference">
        <EmptyState words={NOTHING_TO_COMPARE[diff]} />
      </Section>
    );
  const run = (id: Id) => <a href={`/runs/${id}#completion`}>run {String(id)}</a>;
  return (
    <Section
      title="Difference"
      id="difference"
      note={
        <>
          {run(diff.to.run_id)} (<Timestamp at={diff.to.observed_at} exact />) compared with{' '}
          {run(diff.from.run_id)}
        </>
      }
    >
      <ChangeSummary diff={diff} />
      <CompletionChanges diff={diff} />
      <ResourcedStatements diff={diff} />
    </Section>
  );
}

/** The statements of the newest answer: when each was made first, and in how many answers since. */
function LivesSection({ lives }: { lives: readonly ClaimLife[] }) {
  if (lives.length === 0) return null;
  return (
    <Section
      title="What the newest answer says"
      id="statements"
      note="Statements that differ only in figures count as one. A statement in other words is another."
    >
      <Table
        caption="Statements of the newest answer, in its order"
        rows={lives}
        columns={[
          {
            head: 'Statement',
            cell: ({ text }) => (
              <>
                <UntrustedText text={text} most={MAX_STATEMENT} />
                <Translated text={text} most={MAX_STATEMENT} />
              </>
            ),
          },
          {
            head: 'Since',
            cell: ({ first_at, first_run_id }) => (
              <a href={`/runs/${first_run_id}#completion`}>
                <Timestamp at={first_at} />
              </a>
            ),
          },
          { head: 'Answers since', number: true, cell: ({ stated, answers }) => `${stated} of ${answers}` },
          {
            head: 'First source',
            wide: true,
            cell: ({ source_id, source }) =>
              source_id === null || source === null ? (
                'none cited'
              ) : (
                <a href={`/links/${source_id}`}>
                  <UntrustedText text={source} most={MAX_SOURCE} />
                </a>
              ),
          },
        ]}
      />
    </Section>
  );
}

/** Completions with their change, newest first, two of which can be chosen to compare. */
function TimelineSection({
  search,
  rows,
  older,
  filter,
  diff = null,
}: {
  search: string;
  rows: readonly TimelineRow[];
  /** Whether older completions may exist. */
  older: boolean;
  /** Which answers the rows are, where a person can choose. */
  filter?: 'all' | 'changed';
  /** The comparison that is shown, which is preselected. */
  diff?: CompletionDiff | null;
}) {
  if (rows.length === 0 && filter !== 'changed') return null;
  const path = `/searches/${search}/completions`;
  const [newest, previous] = rows;
  const from = diff?.from.run_id ?? previous?.run_id;
  const to = diff?.to.run_id ?? newest?.run_id;
  const isShared = useFrame().visitor.kind === 'shared';
  const isComparable = rows.length > 1 && !isShared;
  const choose = (name: string, chosen: Id | undefined, words: string) => (row: CompletionRow) => (
    <input
      type="radio"
      name={name}
      value={String(row.run_id)}
      checked={row.run_id === chosen}
      aria-label={`${words} run ${row.run_id}`}
    />
  );
  const table = (
    <>
      {filter === 'changed' && !isShared ? <input type="hidden" name="only" value="changed" /> : null}
      <Table
        caption="Answers, newest first"
        empty="No answer said anything that those of the 7 days before had not said."
        rows={rows}
        columns={[
          ...(isComparable
            ? [
                { head: 'From', cell: choose('from', from, 'compare from') },
                { head: 'To', cell: choose('to', to, 'compare to') },
              ]
            : []),
          { head: 'Received', cell: ({ observed_at }) => <Timestamp at={observed_at} /> },
          { head: 'Change', cell: (row) => <ChangeCell row={row} path={path} /> },
          { head: 'New', number: true, cell: ({ statements_new: n }) => n ?? '–' },
          { head: 'Removed', number: true, cell: ({ statements_gone: n }) => n ?? '–' },
          {
            head: 'Revised',
            number: true,
            wide: true,
            cell: ({ statements_revised: n }) => n ?? '–',
          },
          { head: 'Unchanged', number: true, wide: true, cell: ({ statements_kept: n }) => n ?? '–' },
          {
            head: 'Sources',
            number: true,
            wide: true,
            cell: ({ citations_added: added, citations_removed: removed }) =>
              added === null ? '–' : `+${added} −${removed ?? 0}`,
          },
          {
            head: 'Similar',
            number: true,
            cell: ({ similarity }) => (similarity === null ? '–' : formatPercent(similarity)),
          },
          {
            head: 'Run',
            number: true,
            wide: true,
            cell: ({ run_id }) => <a href={`/runs/${run_id}#completion`}>{String(run_id)}</a>,
          },
        ]}
      />
      <p class="line-more under-table">
        {isComparable ? <button type="submit">Compare</button> : null}
        {older ? (
          <a href={`${path}?before=${rows.at(-1)?.id}${filter === 'changed' ? '&only=changed' : ''}`}>
            Older answers
          </a>
        ) : null}
      </p>
    </>
  );
  return (
    <Section
      title="Answers over time"
      id="answers"
      note="What no answer of the 7 days before said. Different counters or wording alone are not a change."
    >
      {filter === undefined ? null : (
        <Tabs
          label="Which answers"
          tabs={[
            { href: `${path}#answers`, words: 'All', here: filter === 'all' },
            {
              href: `${path}?only=changed#answers`,
              words: 'Only those that changed',
              here: filter === 'changed',
            },
          ]}
        />
      )}
      {isShared ? (
        table
      ) : (
        <form method="get" action={path}>
          {table}
        </form>
      )}
    </Section>
  );
}

function ChangeCell({ row, path }: { row: TimelineRow; path: string }) {
  if (row.similarity === null) return <>not compared</>;
  const line = formatAnswerLine(row.changes);
  return (
    <a href={`${path}?to=${row.run_id}`}>
      {line === null ? 'no change' : <UntrustedText text={line} most={MAX_CHANGE} />}
    </a>
  );
}
