/** Tokens: list, create, rotate, revoke. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { cleanLine } from '../../lib/text.ts';
import { DAY, HOUR, SECOND } from '../../lib/time.ts';
import { InvalidInput, type Problem } from '../../model/errors.ts';
import { SCOPES } from '../../monitor/access/visitor-scopes.ts';
import {
  createToken,
  isTokenActive,
  listTokens,
  revokeToken,
  rotateToken,
  type Token,
} from '../../monitor/access/manage-tokens.ts';
import { idKey } from '../../model/value-shapes.ts';
import { newToken } from '../../monitor/access/token-shapes.ts';
import { decodeInput } from '../../monitor/http/request-problems.ts';
import type { App, RouteContext } from '../../monitor/http/route-types.ts';
import { formBody, readFieldList, readField } from '../request-input.ts';
import { Badge } from '../components/icons.tsx';
import { redirectWithFlash } from '../components/flash-message.tsx';
import { ActionButton, Button, Field, Form, type FormValues } from '../components/form.tsx';
import { UntrustedText } from '../components/untrusted-text.tsx';
import { EmptyState, Section } from '../components/section.tsx';
import { preventCaching, renderPage } from '../components/page-layout.tsx';
import { Table } from '../components/data-table.tsx';
import { Timestamp } from '../components/timestamp.tsx';

const MAX_TOKENS = 200;

const SCOPE_WORDS = {
  read: 'read: read everything found',
  write: 'write: change topics, searches and rules',
  run: 'run: start runs, which may cost money',
  sql: 'sql: query the SQL views',
  admin: 'admin: everything, including tokens and secrets',
} as const;

const EXPIRIES = { '7': '7 days', '30': '30 days', '90': '90 days', '365': '1 year' };

/** How long the old secret stays valid after a rotation, by seconds. */
const GRACE_PERIODS: Readonly<Record<string, string>> = {
  '0': 'revoke immediately',
  [HOUR / SECOND]: 'valid for 1 hour',
  [DAY / SECOND]: 'valid for 1 day',
  [(7 * DAY) / SECOND]: 'valid for 7 days',
};

const params = z.object({ id: idKey });

export function addTokenPages(app: App, { ctx }: RouteContext): void {
  app.get('/system/tokens', { config: { scope: 'admin' } }, async (request, reply) => show(request, reply));

  app.post(
    '/system/tokens',
    { schema: { body: formBody }, config: { scope: 'admin' }, onSend: preventCaching },
    async (request, reply) => {
      const values = { scopes: [], ...request.body };
      try {
        const made = await createToken(
          request.acting,
          parseTokenForm(values, ctx.clock.now()),
          request.visitor,
        );
        return renderKey(request, reply, made, 'Token created');
      } catch (error) {
        if (!(error instanceof InvalidInput)) throw error;
        return show(request, reply, values, error.problems);
      }
    },
  );

  app.post(
    '/system/tokens/:id/rotate',
    { schema: { params, body: formBody }, config: { scope: 'admin' }, onSend: preventCaching },
    async (request, reply) => {
      const graceText = readField(request.body, 'grace') ?? '';
      const grace = Object.keys(GRACE_PERIODS).find((each) => each === graceText);
      if (grace === undefined)
        throw new InvalidInput([
          {
            path: 'grace',
            given: graceText,
            expected: `one of ${Object.keys(GRACE_PERIODS).join(', ')} (seconds)`,
          },
        ]);
      const made = await rotateToken(request.acting, request.params.id, Number(grace));
      return renderKey(request, reply, made, 'Secret rotated');
    },
  );

  app.post(
    '/system/tokens/:id/revoke',
    { schema: { params }, config: { scope: 'admin' } },
    async (request, reply) => {
      await revokeToken(request.acting, request.params.id);
      return redirectWithFlash(reply, '/system/tokens', 'revoked');
    },
  );

  async function show(
    request: FastifyRequest,
    reply: FastifyReply,
    values?: FormValues,
    problems: readonly Problem[] = [],
  ): Promise<FastifyReply> {
    const tokens = await listTokens(ctx, { limit: MAX_TOKENS });
    const now = ctx.clock.now();
    return renderPage(request, reply, {
      title: 'Tokens',
      here: '/system/tokens',
      status: problems.length === 0 ? 200 : 400,
      lead: 'Use tokens to sign in and to call the API.',
      body: (
        <div class="columns uneven">
          <div>
            {tokens.length === 0 ? (
              <EmptyState words="No tokens exist: anyone on this machine has full access; nobody else has access." />
            ) : (
              <section>
                <TokenTable tokens={tokens} now={now} />
              </section>
            )}
            <RotationForms tokens={tokens.filter((token) => isTokenActive(token, now))} />
          </div>
          <Section title="New token">
            <NewTokenForm
              values={values}
              problems={problems}
              first={!tokens.some((token) => isTokenActive(token, now))}
            />
          </Section>
        </div>
      ),
    });
  }
}

function parseTokenForm(values: FormValues, now: Date): Parameters<typeof createToken>[1] {
  const days = Object.keys(EXPIRIES).find((each) => each === readField(values, 'ends'));
  return decodeInput(newToken, {
    name: cleanLine((readField(values, 'name') ?? '').toWellFormed()),
    scopes: SCOPES.filter((scope) => readFieldList(values, 'scopes').includes(scope)),
    expires_at: days === undefined ? null : new Date(now.getTime() + Number(days) * DAY).toISOString(),
  });
}

function NewTokenForm({
  values,
  problems,
  first,
}: {
  values: FormValues | undefined;
  problems: readonly Problem[];
  first: boolean;
}) {
  return (
    <Form action="/system/tokens" values={values} problems={problems} label="New token">
      {first ? (
        <p class="help">
          Once a token exists, everyone needs one, even on this machine. Create an admin token for yourself
          first and store it safely.
        </p>
      ) : null}
      <Field name="name" label="Name" placeholder="reports" autocomplete="off" />
      <Field
        name="scopes"
        label="Scopes"
        many
        value={first ? ['admin'] : ['read']}
        options={SCOPES.map((scope) => [scope, SCOPE_WORDS[scope]])}
      />
      <Field
        name="ends"
        label="Expiry"
        kind="select"
        value=""
        options={[['', 'never'], ...Object.entries(EXPIRIES)]}
      />
      <div class="buttons">
        <Button words="Create token" kind="main" />
      </div>
    </Form>
  );
}

function RotationForms({ tokens }: { tokens: readonly Token[] }) {
  if (tokens.length === 0) return null;
  return (
    <Section
      title="Rotate a secret"
      note="The token keeps its name, scopes and expiry. Sessions started with the old secret end with it."
    >
      {tokens.map(({ id, name, prefix }) => (
        <details>
          <summary>
            <UntrustedText text={name} most={60} /> <code>{prefix}</code>
          </summary>
          <Form action={`/system/tokens/${id}/rotate`} label={`Rotate the secret of ${name}`}>
            <Field
              name="grace"
              path={`grace-${id}`}
              label="Old secret"
              kind="select"
              value="0"
              options={Object.entries(GRACE_PERIODS)}
            />
            <div class="buttons">
              <Button words="Rotate secret" />
            </div>
          </Form>
        </details>
      ))}
    </Section>
  );
}

function TokenTable({ tokens, now }: { tokens: readonly Token[]; now: Date }) {
  return (
    <Table
      caption="Tokens, newest first"
      rows={tokens}
      columns={[
        { head: 'Name', cell: ({ name }) => <UntrustedText text={name} most={60} /> },
        { head: 'Prefix', cell: ({ prefix }) => <code>{prefix}</code>, wide: true },
        { head: 'Scopes', cell: ({ scopes }) => scopes.join(', ') },
        { head: 'State', cell: (token) => <TokenState token={token} now={now} /> },
        { head: 'Last used', cell: ({ last_used_at: at }) => <Timestamp at={at} /> },
        {
          head: 'Expires',
          cell: ({ expires_at: at }) => <Timestamp at={at} never="never" exact />,
          wide: true,
        },
        {
          head: <span class="unseen">Change</span>,
          cell: (token) =>
            isTokenActive(token, now) ? (
              <div class="buttons">
                <a href={`/system/audit?token=${token.prefix}`}>Log</a>
                <ActionButton action={`/system/tokens/${token.id}/revoke`} words="Revoke" kind="quiet" />
              </div>
            ) : null,
        },
      ]}
    />
  );
}

function TokenState({ token, now }: { token: Token; now: Date }) {
  if (isTokenActive(token, now)) return <Badge state="active" words="active" />;
  return <Badge state="removed" words={token.revoked_at === null ? 'expired' : 'revoked'} />;
}

function renderKey(
  request: FastifyRequest,
  reply: FastifyReply,
  made: Token & { key: string },
  title: string,
): FastifyReply {
  return renderPage(request, reply, {
    title,
    here: '/system/tokens',
    above: <a href="/system/tokens">Tokens</a>,
    body: (
      <>
        {made.rotating_until === null ? null : (
          <p>
            The old secret is valid until <Timestamp at={made.rotating_until} exact />.
          </p>
        )}
        <p>Scopes: {made.scopes.join(', ')}. Shown once; store it as a secret:</p>
        <p class="secret">
          <code>{made.key}</code>
        </p>
        <p>
          Send it as <code>Authorization: Bearer st_…</code>, or sign in with it.
        </p>
        <div class="buttons">
          <a href="/system/tokens">Back to tokens</a>
        </div>
      </>
    ),
  });
}
