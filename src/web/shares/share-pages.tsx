/** Links to shared pages: list, create, revoke. */
import { z } from 'zod';
import { idKey } from '../../model/value-shapes.ts';
import {
  createShare,
  DEFAULT_SHARE_SPAN,
  listShares,
  MAX_SHARE_NAME,
  revokeShare,
  type Share,
  SHARE_SPANS,
  type ShareSpan,
  writeSharePath,
} from '../../monitor/access/manage-shares.ts';
import { decodeInput } from '../../monitor/http/request-problems.ts';
import { isShareable } from '../../monitor/access/share-pages.ts';
import { readPublicBase } from '../../monitor/http/public-address.ts';
import type { App, RouteContext } from '../../monitor/http/route-types.ts';
import { Table } from '../components/data-table.tsx';
import { redirectWithFlash } from '../components/flash-message.tsx';
import { ActionButton, Button, Field, type FieldOption, Form } from '../components/form.tsx';
import { Badge } from '../components/icons.tsx';
import { IfAllowed, useFrame } from '../components/page-frame.tsx';
import { preventCaching, renderPage } from '../components/page-layout.tsx';
import { Timestamp } from '../components/timestamp.tsx';
import { UntrustedText } from '../components/untrusted-text.tsx';
import { formBody, type FormOutcome, readField, toFormOutcome } from '../request-input.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';

const MAX_SHARES = 200;
const querystring = z.object({ address: z.string().optional() });
const params = z.object({ id: idKey });
/** A form without the field, like a request of the API, has the default. */
const lasting = z.object({ expires_in: z.enum(SHARE_SPANS).default(DEFAULT_SHARE_SPAN) });

const SPAN_WORDS: Readonly<Record<ShareSpan, string>> = { '1d': 'a day', '7d': 'a week', '30d': '30 days' };
const SPAN_OPTIONS = SHARE_SPANS.map((name): FieldOption => [name, SPAN_WORDS[name]]);

export function addSharePages(app: App, home: RouteContext): void {
  const { ctx } = home;
  app.get('/shares', { config: { scope: 'read' } }, async (request, reply) => {
    const shares = await listShares(ctx, { limit: MAX_SHARES });
    return renderPage(request, reply, {
      title: 'Shared pages',
      here: '/shares',
      lead: 'Links that show one page, read-only, to anyone who has them. “Share” is at the end of the overview, and of pages of topics, searches, answers, stories and comparisons.',
      body: <ShareTable shares={shares} />,
    });
  });

  app.get('/shares/new', { schema: { querystring }, config: { scope: 'admin' } }, async (request, reply) =>
    renderForm(request, reply, request.query.address ?? '/'),
  );

  app.post(
    '/shares',
    { schema: { body: formBody }, config: { scope: 'admin' }, onSend: preventCaching },
    async (request, reply) => {
      const address = readField(request.body, 'address') ?? '';
      try {
        const { share, key } = await createShare(request.acting, {
          address,
          name: readField(request.body, 'name')?.toWellFormed(),
          ...decodeInput(lasting, { expires_in: readField(request.body, 'expires_in') }),
        });
        return renderLink(request, reply, share, `${readPublicBase(request, home)}${writeSharePath(key)}`);
      } catch (error) {
        return renderForm(request, reply, address, toFormOutcome(error, request.body, 'address'));
      }
    },
  );

  app.post(
    '/shares/:id/revoke',
    { schema: { params }, config: { scope: 'admin' } },
    async (request, reply) => {
      await revokeShare(request.acting, request.params.id);
      return redirectWithFlash(reply, '/shares', 'share_revoked');
    },
  );
}

function renderForm(
  request: FastifyRequest,
  reply: FastifyReply,
  address: string,
  { values = {}, problems = [], status = 200 }: FormOutcome = {},
): FastifyReply {
  return renderPage(request, reply, {
    status,
    title: 'Share a page',
    here: '/shares',
    lead: 'Anyone who has the link sees this page as it is when they open it, and nothing else. They need no token, and can change nothing.',
    body: (
      <Form
        action="/shares"
        label="Share a page"
        values={values}
        problems={problems}
        labels={{ address: 'Page', expires_in: 'Works for', name: 'Name' }}
      >
        <Field name="address" label="Page" value={address} required />
        <Field
          name="expires_in"
          label="Works for"
          kind="select"
          value={DEFAULT_SHARE_SPAN}
          options={SPAN_OPTIONS}
        />
        <Field
          name="name"
          label="Name"
          autocomplete="off"
          help={`Such as who it is for, at most ${MAX_SHARE_NAME} characters. Empty: what the page shows.`}
        />
        <div class="buttons">
          <Button words="Create link" kind="main" />
          <a href={isShareable(address) ? address : '/'}>Cancel</a>
        </div>
      </Form>
    ),
  });
}

function renderLink(request: FastifyRequest, reply: FastifyReply, share: Share, url: string): FastifyReply {
  return renderPage(request, reply, {
    title: 'Link created',
    here: '/shares',
    above: <a href="/shares">Shared pages</a>,
    lead: <UntrustedText text={share.name} most={MAX_SHARE_NAME} />,
    body: (
      <>
        <p>
          Shown once. Anyone who has it sees this page until <Timestamp at={share.expires_at} exact />:
        </p>
        <p class="secret">
          <code>{url}</code>
        </p>
        <div class="buttons">
          <a href={share.address ?? '/shares'}>Back to the page</a>
        </div>
      </>
    ),
  });
}

function ShareTable({ shares }: { shares: readonly Share[] }) {
  return (
    <Table
      caption="Shared pages, newest first"
      empty="No shared pages yet."
      rows={shares}
      columns={[
        {
          head: 'Page',
          cell: ({ name, address }) =>
            address === null ? (
              <UntrustedText text={name} />
            ) : (
              <a href={address}>
                <UntrustedText text={name} />
              </a>
            ),
        },
        { head: 'Key', cell: ({ prefix }) => <code>{prefix}</code>, wide: true },
        { head: 'State', cell: (share) => <ShareState share={share} /> },
        { head: 'Created', cell: ({ created_at }) => <Timestamp at={created_at} />, wide: true },
        { head: 'By', cell: ({ created_by }) => <UntrustedText text={created_by} most={60} />, wide: true },
        { head: 'Until', cell: ({ expires_at }) => <Timestamp at={expires_at} exact /> },
        { head: 'Last opened', cell: ({ last_opened_at: at }) => <Timestamp at={at} never="never" /> },
        {
          head: <span class="unseen">Change</span>,
          cell: ({ id, name, revoked_at }) =>
            revoked_at === null ? (
              <IfAllowed scope="admin">
                <ActionButton action={`/shares/${id}/revoke`} words={`Revoke ${name}`} kind="quiet" />
              </IfAllowed>
            ) : null,
        },
      ]}
    />
  );
}

function ShareState({ share: { revoked_at, expires_at, address } }: { share: Share }) {
  const { now } = useFrame();
  if (revoked_at !== null) return <Badge state="removed" words="revoked" />;
  if (expires_at <= now) return <Badge state="removed" words="expired" />;
  return address === null ? (
    <Badge state="removed" words="page removed" />
  ) : (
    <Badge state="active" words="active" />
  );
}
