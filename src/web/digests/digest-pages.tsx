/** Digests: of the last day, and past ones, which never change. */
import { z } from 'zod';
import { DAY } from '../../lib/time.ts';
import { idKey } from '../../model/value-shapes.ts';
import { listRuleActions } from '../../monitor/digests/digest-actions.ts';
import { writeMarkdown } from '../../monitor/digests/digest-markdown.ts';
import type { Digest } from '../../monitor/digests/digest-shapes.ts';
import { readDigest } from '../../monitor/digests/read-digest.ts';
import { findPastDigest } from '../../monitor/digests/stored-digests.ts';
import { readPublicBase } from '../../monitor/http/public-address.ts';
import type { App, RouteContext } from '../../monitor/http/route-types.ts';
import { findScope } from '../../monitor/topics/find-by-slug.ts';
import { listDigests, type StoredDigest } from '../../store/alerts/digests.ts';
import { Table } from '../components/data-table.tsx';
import { Button, TopicFilter } from '../components/form.tsx';
import { Badge } from '../components/icons.tsx';
import { IfAllowed } from '../components/page-frame.tsx';
import { renderPage } from '../components/page-layout.tsx';
import { Section, Tabs } from '../components/section.tsx';
import { Timestamp } from '../components/timestamp.tsx';
import { emptyField } from '../request-input.ts';
import { addDismissedPages } from './dismissed-pages.tsx';
import { DigestView } from './digest-view.tsx';

const MAX_PAST = 100;

/** The spans of the digest that is read when the page is opened, in days before now. */
const SPANS = { '24h': 1, '3d': 3, '7d': 7, '30d': 30 } as const;
type Span = keyof typeof SPANS;
const SPAN_NAMES = ['24h', '3d', '7d', '30d'] as const satisfies readonly Span[];
const SPAN_WORDS: Readonly<Record<Span, string>> = {
  '24h': '24 hours',
  '3d': '3 days',
  '7d': '7 days',
  '30d': '30 days',
};

const querystring = z.object({
  span: z.enum(SPAN_NAMES).default('24h'),
  topic: emptyField.or(z.string().max(63)).optional(),
});
const params = z.object({ id: idKey });
const MARKDOWN = 'text/markdown; charset=utf-8';

export function addDigestPages(app: App, home: RouteContext): void {
  const { ctx } = home;
  addDismissedPages(app, home);

  const readNow = async (span: Span, topic: string | undefined, tz: string): Promise<Digest> => {
    const until = ctx.clock.now();
    const from = new Date(until.getTime() - SPANS[span] * DAY);
    return readDigest(ctx, { ...(await findScope(ctx.db, { topic })), from, until, tz });
  };

  app.get('/digests', { schema: { querystring }, config: { scope: 'read' } }, async (request, reply) => {
    const { span, topic } = request.query;
    const [digest, past] = await Promise.all([
      readNow(span, topic, request.frame.zone),
      listDigests(ctx.db, { limit: MAX_PAST }),
    ]);
    return renderPage(request, reply, {
      title: 'Digest',
      here: '/digests',
      lead: `The last ${SPAN_WORDS[span]}, in two minutes.`,
      aside: (
        <Tabs
          label="Span"
          tabs={SPAN_NAMES.map((name) => ({
            href: writePath('/digests', name, topic),
            words: SPAN_WORDS[name],
            here: name === span,
          }))}
        />
      ),
      body: (
        <>
          <form class="form inline" method="get" action="/digests">
            <input type="hidden" name="span" value={span} />
            <TopicFilter chosen={topic} />
            <Button words="Show" />
          </form>
          <DigestView digest={digest} />
          <p class="hint">
            <a href={writePath('/digests/markdown', span, topic)}>Markdown</a>{' '}
            <a href={writeApiPath(digest)}>JSON</a>
          </p>
          <PastDigests past={past} />
        </>
      ),
    });
  });

  app.get(
    '/digests/markdown',
    { schema: { querystring }, config: { scope: 'read' } },
    async (request, reply) => {
      const { span, topic } = request.query;
      const { zone } = request.frame;
      const digest = await readNow(span, topic, zone);
      return reply.type(MARKDOWN).send(writeMarkdown(digest, { zone, base: readPublicBase(request, home) }));
    },
  );

  app.get('/digests/:id', { schema: { params }, config: { scope: 'read' } }, async (request, reply) => {
    const { id } = request.params;
    const { rule, rule_name, due_at, state, reason, digest } = await findPastDigest(ctx.db, id);
    return renderPage(request, reply, {
      title: rule_name,
      here: '/digests',
      above: <a href="/digests">Digests</a>,
      lead: (
        <>
          Due <Timestamp at={due_at} exact />, by the rule <a href={`/alerts/rules/${rule}`}>{rule_name}</a>
          {state === 'sent' ? '.' : `; sent to nobody: ${reason}.`}
        </>
      ),
      body: (
        <>
          <DigestView digest={digest} />
          <div class="buttons">
            <IfAllowed scope="write">
              {listRuleActions(rule).map(({ words, path }) => (
                <a class="button" href={path}>
                  {words}
                </a>
              ))}
            </IfAllowed>
            <a class="button" href={`/digests/${id}/markdown`}>
              Markdown
            </a>
            <a class="button" href={`/api/v1/digests/${id}`}>
              JSON
            </a>
          </div>
        </>
      ),
    });
  });

  app.get(
    '/digests/:id/markdown',
    { schema: { params }, config: { scope: 'read' } },
    async (request, reply) => {
      const { digest, rule } = await findPastDigest(ctx.db, request.params.id);
      return reply.type(MARKDOWN).send(writeMarkdown(digest, { base: readPublicBase(request, home), rule }));
    },
  );
}

function writePath(path: string, span: Span, topic: string | undefined): string {
  const query = new URLSearchParams({
    ...(span === '24h' ? {} : { span }),
    ...(topic === undefined ? {} : { topic }),
  }).toString();
  return query === '' ? path : `${path}?${query}`;
}

function writeApiPath({ from, until, tz, topic }: Digest): string {
  const query = new URLSearchParams({ since: from, until, tz, ...(topic === null ? {} : { topic }) });
  return `/api/v1/digest?${query.toString()}`;
}

function PastDigests({ past }: { past: readonly StoredDigest[] }) {
  return (
    <Section title="Past digests">
      <Table
        caption="Past digests, newest first"
        empty="None yet. A rule with a schedule sends them."
        todo={{ words: 'Create a rule', href: '/alerts/rules/new' }}
        rows={past}
        columns={[
          {
            head: 'Digest',
            cell: ({ id, until }) => (
              <a href={`/digests/${id}`}>
                <Timestamp at={until} exact />
              </a>
            ),
          },
          { head: 'Rule', cell: ({ rule, rule_name }) => <a href={`/alerts/rules/${rule}`}>{rule_name}</a> },
          {
            head: 'State',
            cell: ({ state, reason }) =>
              state === 'sent' ? <Badge state="active" words="sent" /> : <span class="hint">{reason}</span>,
          },
          { head: 'Since', cell: ({ from }) => <Timestamp at={from} exact />, wide: true },
        ]}
      />
    </Section>
  );
}
