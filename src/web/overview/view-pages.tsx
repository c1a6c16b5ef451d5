/** Saved views: an address with its filters, kept under a name for everybody; listed on the overview and on a page. */
import { z } from 'zod';
import { idKey } from '../../model/value-shapes.ts';
import { MAX_VIEW_NAME, readOwnAddress, removeView, saveView } from '../../monitor/access/manage-views.ts';
import type { App, RouteContext } from '../../monitor/http/route-types.ts';
import { readSavedViews, type SavedView } from '../../store/access/saved-views.ts';
import { Table } from '../components/data-table.tsx';
import { redirectWithFlash } from '../components/flash-message.tsx';
import { ActionButton, Button, Field, Form } from '../components/form.tsx';
import { IfAllowed } from '../components/page-frame.tsx';
import { renderPage } from '../components/page-layout.tsx';
import { Timestamp } from '../components/timestamp.tsx';
import { formBody, type FormOutcome, readField, toFormOutcome } from '../request-input.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';

const MAX_VIEWS = 500;
const querystring = z.object({ address: z.string().optional() });
const params = z.object({ id: idKey });

export function addViewPages(app: App, { ctx }: RouteContext): void {
  const scope = 'write';
  app.get('/views', { config: { scope: 'read' } }, async (request, reply) => {
    const views = await readSavedViews(ctx.db, { limit: MAX_VIEWS });
    return renderPage(request, reply, {
      title: 'Saved views',
      here: '/views',
      lead: 'Addresses with their filters, under a name, for everybody who uses this installation. “Save view” is at the end of each page.',
      body: <ViewTable views={views} />,
    });
  });

  app.get('/views/new', { schema: { querystring }, config: { scope } }, async (request, reply) =>
    renderForm(request, reply, request.query.address ?? '/'),
  );

  app.post('/views', { schema: { body: formBody }, config: { scope } }, async (request, reply) => {
    const address = readField(request.body, 'address') ?? '';
    try {
      await saveView(request.acting, { name: readField(request.body, 'name') ?? '', address });
      return await redirectWithFlash(reply, readOwnAddress(address) ?? '/', 'view_saved');
    } catch (error) {
      return renderForm(request, reply, address, toFormOutcome(error, request.body, 'name'));
    }
  });

  app.post('/views/:id/remove', { schema: { params }, config: { scope } }, async (request, reply) => {
    const removed = await removeView(request.acting, request.params.id);
    return redirectWithFlash(reply, '/views', removed === undefined ? 'unchanged' : 'view_removed');
  });
}

function renderForm(
  request: FastifyRequest,
  reply: FastifyReply,
  address: string,
  { values = {}, problems = [], status = 200 }: FormOutcome = {},
) {
  return renderPage(request, reply, {
    status,
    title: 'Save view',
    here: '/views',
    body: (
      <Form
        action="/views"
        label="Save view"
        values={values}
        problems={problems}
        labels={{ name: 'Name', address: 'Address' }}
      >
        <Field name="name" label="Name" placeholder="German posts of the week" autocomplete="off" required />
        <Field
          name="address"
          label="Address"
          value={address}
          help={`A page of this dashboard with its filters. The name has at most ${MAX_VIEW_NAME} characters.`}
        />
        <div class="buttons">
          <Button words="Save" kind="main" />
          <a href={readOwnAddress(address) ?? '/'}>Cancel</a>
        </div>
      </Form>
    ),
  });
}

function ViewTable({ views }: { views: readonly SavedView[] }) {
  return (
    <Table
      caption="Saved views"
      empty="No saved views yet."
      rows={views}
      columns={[
        { head: 'Name', cell: ({ name, address }) => <a href={address}>{name}</a> },
        { head: 'Address', cell: ({ address }) => <code>{address}</code>, wide: true },
        { head: 'Saved', cell: ({ created_at }) => <Timestamp at={created_at} /> },
        {
          head: <span class="unseen">Change</span>,
          cell: ({ id, name }) => (
            <IfAllowed scope="write">
              <ActionButton action={`/views/${id}/remove`} words={`Remove ${name}`} kind="quiet" />
            </IfAllowed>
          ),
        },
      ]}
    />
  );
}

/** On the overview: each as a link. */
export function ViewLinks({ views }: { views: readonly SavedView[] }) {
  if (views.length === 0) return null;
  return (
    <nav class="tabs views" aria-label="Saved views">
      {views.map(({ name, address }) => (
        <a href={address}>{name}</a>
      ))}
      <a href="/views">Edit</a>
    </nav>
  );
}
