/** Tokens: who may come in, and what they may do there. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { cleanLine } from '../../domain/text.ts';
import { DAY, HOUR, SECOND } from '../../domain/time.ts';
import { InvalidInput, type Problem } from '../../domain/errors.ts';
import { SCOPES } from '../../monitor/access/visitor-scopes.ts';
import {
  createToken,
  isTokenActive,
  listTokens,
  revokeToken,
  rotateToken,
  type Token,
} from '../../monitor/access/manage-tokens.ts';
import type { App, RouteContext } from '../../monitor/http/route-types.ts';
import { formBody, readFieldList, readField } from '../request-input.ts';
import { Badge } from '../components/icons.tsx';
import { redirectWithFlash } from '../components/flash-message.tsx';
import { ActionButton, Button, Field, Form, type FormValues } from '../components/form.tsx';
import { UntrustedText } from '../components/untrusted-text.tsx';
import { EmptyState, Section } from '../components/section.tsx';
import { renderPage } from '../components/page-layout.tsx';
import { Table } from '../components/data-table.tsx';
import { Timestamp } from '../components/timestamp.tsx';

const MAX_TOKENS = 200;

const SCOPE_WORDS = {
  read: 'read: sees everything that was found',
  write: 'write: changes topics, searches and rules',
  run: 'run: lets calls be made, which may cost money',
  sql: 'sql: asks the views statements of its own',
  admin: 'admin: tokens and secrets, and all the rest',
} as const;

const EXPIRIES = { '7': 'after 7 days', '30': 'after 30 days', '90': 'after 90 days', '365': 'after a year' };

/** How long the former key of a token works, too, in seconds. */
const GRACE_PERIODS: Readonly<Record<string, string>> = {
  '0': 'the former key ends at once',
  [HOUR / SECOND]: 'the former key works for an hour',
  [DAY / SECOND]: 'the former key works for a day',
  [(7 * DAY) / SECOND]: 'the former key works for 7 days',
};

const params = z.object({ id: z.string().regex(/^[1-9]\d{0,17}$/, 'an id') });

/** Pages that hold a token are kept nowhere. */
const preventCaching = async (_request: FastifyRequest, reply: FastifyReply): Promise<void> => {
  reply.header('cache-control', 'no-store');
};

export function addTokenPages(app: App, { ctx }: RouteContext): void {
  app.get('/system/tokens', { config: { scope: 'admin' } }, async (request, reply) => show(request, reply));

  app.post(
    '/system/tokens',
    { schema: { body: formBody }, config: { scope: 'admin' }, onSend: preventCaching },
    async (request, reply) => {
      const given = { scopes: [], ...request.body };
      try {
        const made = await createToken(
          request.acting,
          parseTokenForm(given, ctx.clock.now()),
          request.visitor,
        );
        return renderKey(request, reply, made, 'The token is there');
      } catch (error) {
        if (!(error instanceof InvalidInput)) throw error;
        return show(request, reply, given, error.problems);
      }
    },
  );

  app.post(
    '/system/tokens/:id/rotate',
    { schema: { params, body: formBody }, config: { scope: 'admin' }, onSend: preventCaching },
    async (request, reply) => {
      const asked = readField(request.body, 'grace') ?? '';
      const grace = Object.keys(GRACE_PERIODS).find((each) => each === asked);
      if (grace === undefined)
        throw new InvalidInput([
          {
            path: 'grace',
            given: asked,
            expected: `one of ${Object.keys(GRACE_PERIODS).join(', ')} (seconds)`,
          },
        ]);
      const made = await rotateToken(request.acting, request.params.id, Number(grace));
      return renderKey(request, reply, made, 'The token has a new key');
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
    given?: FormValues,
    problems: readonly Problem[] = [],
  ): Promise<FastifyReply> {
    const tokens = await listTokens(ctx, { limit: MAX_TOKENS });
    const now = ctx.clock.now();
    return renderPage(request, reply, {
      title: 'Tokens',
      here: '/system',
      above: <a href="/system">System</a>,
      aside: <a href="/system/audit">Audit log</a>,
      status: problems.length === 0 ? 200 : 400,
      lead: 'With a token one signs in here, and programs use the API.',
      body: (
        <>
          {tokens.length === 0 ? (
            <EmptyState words="There is none: whoever uses this machine may do everything here, and nobody else comes in." />
          ) : (
            <section>
              <TokenTable tokens={tokens} now={now} />
            </section>
          )}
          <RotationForms tokens={tokens.filter((token) => isTokenActive(token, now))} />
          <Section title="New token">
            <NewTokenForm
              given={given}
              problems={problems}
              first={!tokens.some((token) => isTokenActive(token, now))}
            />
          </Section>
        </>
      ),
    });
  }
}

function parseTokenForm(given: FormValues, now: Date): Parameters<typeof createToken>[1] {
  const days = Object.keys(EXPIRIES).find((each) => each === readField(given, 'ends'));
  return {
    name: cleanLine((readField(given, 'name') ?? '').toWellFormed()),
    scopes: SCOPES.filter((scope) => readFieldList(given, 'scopes').includes(scope)),
    expires_at: days === undefined ? null : new Date(now.getTime() + Number(days) * DAY),
  };
}

function NewTokenForm({
  given,
  problems,
  first,
}: {
  given: FormValues | undefined;
  problems: readonly Problem[];
  first: boolean;
}) {
  return (
    <Form action="/system/tokens" given={given} problems={problems} label="New token">
      {first ? (
        <p class="help">
          From the first token on everybody needs one, on this machine too: make one for yourself with admin,
          and keep it.
        </p>
      ) : null}
      <Field name="name" label="What it is for" placeholder="reports" autocomplete="off" />
      <Field
        name="scopes"
        label="What it may do"
        many
        value={first ? ['admin'] : ['read']}
        options={SCOPES.map((scope) => ({ value: scope, words: SCOPE_WORDS[scope] }))}
      />
      <Field
        name="ends"
        label="When it ends"
        kind="select"
        value=""
        options={[
          { value: '', words: 'not by itself' },
          ...Object.entries(EXPIRIES).map(([value, words]) => ({ value, words })),
        ]}
      />
      <div class="buttons">
        <Button words="Make the token" kind="main" />
      </div>
    </Form>
  );
}

/** One form for all of them: which token, and how long its former key works. */
function RotationForms({ tokens }: { tokens: readonly Token[] }) {
  if (tokens.length === 0) return null;
  return (
    <Section
      title="New key for a token"
      note="Its name, scopes and end stay. Sessions that were begun with the former key end with it."
    >
      {tokens.map(({ id, name, prefix }) => (
        <details>
          <summary>
            <UntrustedText text={name} most={60} /> <code>st_{prefix}</code>
          </summary>
          <Form action={`/system/tokens/${id}/rotate`} label={`New key for ${name}`}>
            <Field
              name="grace"
              path={`grace-${id}`}
              label="The key that it has"
              kind="select"
              value="0"
              options={Object.entries(GRACE_PERIODS).map(([value, words]) => ({ value, words }))}
            />
            <div class="buttons">
              <Button words="Make a new key" />
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
      caption="Tokens, the newest first"
      rows={tokens}
      columns={[
        { head: 'For', cell: ({ name }) => <UntrustedText text={name} most={60} /> },
        { head: 'Begins with', cell: ({ prefix }) => <code>st_{prefix}</code>, wide: true },
        { head: 'May', cell: ({ scopes }) => scopes.join(', ') },
        { head: 'State', cell: (token) => <TokenState token={token} now={now} /> },
        { head: 'Last used', cell: ({ last_used_at: at }) => <Timestamp at={at} /> },
        {
          head: 'Ends',
          cell: ({ expires_at: at }) => <Timestamp at={at} never="not by itself" exact />,
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
  if (isTokenActive(token, now)) return <Badge state="active" words="open" />;
  return <Badge state="removed" words={token.revoked_at === null ? 'ended' : 'revoked'} />;
}

function renderKey(
  request: FastifyRequest,
  reply: FastifyReply,
  made: Token & { key: string },
  title: string,
): FastifyReply {
  return renderPage(request, reply, {
    title,
    here: '/system',
    above: <a href="/system/tokens">Tokens</a>,
    body: (
      <>
        {made.rotating_until === null ? null : (
          <p>
            The former key works until <Timestamp at={made.rotating_until} exact />.
          </p>
        )}
        <p>It may do: {made.scopes.join(', ')}. It is shown this once; keep it where secrets are kept:</p>
        <p class="secret">
          <code>{made.key}</code>
        </p>
        <p>
          Programs send it as <code>Authorization: Bearer st_…</code>; a person signs in with it.
        </p>
        <div class="buttons">
          <a href="/system/tokens">To the tokens</a>
        </div>
      </>
    ),
  });
}
