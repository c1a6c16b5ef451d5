/** Tokens: who may come in, and what they may do there. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { oneCleanLine } from '../../../contract/text.ts';
import { DAY, HOUR, SECOND } from '../../../engine/clock.ts';
import { InvalidInput, type Problem } from '../../../errors.ts';
import { SCOPES } from '../../../monitor/access/scopes.ts';
import {
  createToken,
  isOpen,
  listTokens,
  revokeToken,
  rotateToken,
  type Token,
} from '../../../monitor/access/tokens.ts';
import type { App, WebHome } from '../../routes.ts';
import { formBody, many, one } from '../actions/given.ts';
import { Badge } from '../kit/badge.tsx';
import { goOn } from '../kit/done.tsx';
import { Act, Button, Field, Form, type Given } from '../kit/form.tsx';
import { Outside } from '../kit/outside.tsx';
import { Empty, Section } from '../kit/section.tsx';
import { showPage } from '../kit/show.tsx';
import { Table } from '../kit/table.tsx';
import { When } from '../kit/when.tsx';

const SHOWN = 200;

const SCOPE_WORDS = {
  read: 'read: sees everything that was found',
  write: 'write: changes topics, searches and rules',
  run: 'run: lets calls be made, which may cost money',
  sql: 'sql: asks the views statements of its own',
  admin: 'admin: tokens and secrets, and all the rest',
} as const;

const ENDS = { '7': 'after 7 days', '30': 'after 30 days', '90': 'after 90 days', '365': 'after a year' };

/** How long the former key of a token works, too, in seconds. */
const GRACES: Readonly<Record<string, string>> = {
  '0': 'the former key ends at once',
  [HOUR / SECOND]: 'the former key works for an hour',
  [DAY / SECOND]: 'the former key works for a day',
  [(7 * DAY) / SECOND]: 'the former key works for 7 days',
};

const params = z.object({ id: z.string().regex(/^[1-9]\d{0,17}$/, 'an id') });

/** Pages that hold a token are kept nowhere. */
const onSend = async (_request: FastifyRequest, reply: FastifyReply): Promise<void> => {
  reply.header('cache-control', 'no-store');
};

export function tokenPages(app: App, { ctx }: WebHome): void {
  app.get('/system/tokens', { config: { scope: 'admin' } }, async (request, reply) => show(request, reply));

  app.post(
    '/system/tokens',
    { schema: { body: formBody }, config: { scope: 'admin' }, onSend },
    async (request, reply) => {
      const given = { scopes: [], ...request.body };
      try {
        const made = await createToken(request.acting, tokenIn(given, ctx.clock.now()), request.visitor);
        return showMade(request, reply, made, 'The token is there');
      } catch (error) {
        if (!(error instanceof InvalidInput)) throw error;
        return show(request, reply, given, error.problems);
      }
    },
  );

  app.post(
    '/system/tokens/:id/rotate',
    { schema: { params, body: formBody }, config: { scope: 'admin' }, onSend },
    async (request, reply) => {
      const asked = one(request.body, 'grace') ?? '';
      const grace = Object.keys(GRACES).find((each) => each === asked);
      if (grace === undefined)
        throw new InvalidInput([
          { path: 'grace', given: asked, expected: `one of ${Object.keys(GRACES).join(', ')} (seconds)` },
        ]);
      const made = await rotateToken(request.acting, request.params.id, Number(grace));
      return showMade(request, reply, made, 'The token has a new key');
    },
  );

  app.post(
    '/system/tokens/:id/revoke',
    { schema: { params }, config: { scope: 'admin' } },
    async (request, reply) => {
      await revokeToken(request.acting, request.params.id);
      return goOn(reply, '/system/tokens', 'revoked');
    },
  );

  async function show(
    request: FastifyRequest,
    reply: FastifyReply,
    given?: Given,
    problems: readonly Problem[] = [],
  ): Promise<FastifyReply> {
    const tokens = await listTokens(ctx, { limit: SHOWN });
    const now = ctx.clock.now();
    return showPage(request, reply, {
      title: 'Tokens',
      here: '/system',
      above: <a href="/system">System</a>,
      aside: <a href="/system/audit">Audit log</a>,
      status: problems.length === 0 ? 200 : 400,
      lead: 'With a token one signs in here, and programs use the API.',
      body: (
        <>
          {tokens.length === 0 ? (
            <Empty words="There is none: whoever uses this machine may do everything here, and nobody else comes in." />
          ) : (
            <section>
              <Tokens tokens={tokens} now={now} />
            </section>
          )}
          <Rotation tokens={tokens.filter((token) => isOpen(token, now))} />
          <Section title="New token">
            <NewToken given={given} problems={problems} first={!tokens.some((token) => isOpen(token, now))} />
          </Section>
        </>
      ),
    });
  }
}

function tokenIn(given: Given, now: Date): Parameters<typeof createToken>[1] {
  const days = Object.keys(ENDS).find((each) => each === one(given, 'ends'));
  return {
    name: oneCleanLine((one(given, 'name') ?? '').toWellFormed()),
    scopes: SCOPES.filter((scope) => many(given, 'scopes').includes(scope)),
    expires_at: days === undefined ? null : new Date(now.getTime() + Number(days) * DAY),
  };
}

function NewToken({
  given,
  problems,
  first,
}: {
  given: Given | undefined;
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
          ...Object.entries(ENDS).map(([value, words]) => ({ value, words })),
        ]}
      />
      <div class="buttons">
        <Button words="Make the token" kind="main" />
      </div>
    </Form>
  );
}

/** One form for all of them: which token, and how long its former key works. */
function Rotation({ tokens }: { tokens: readonly Token[] }) {
  if (tokens.length === 0) return null;
  return (
    <Section
      title="New key for a token"
      note="Its name, scopes and end stay. Sessions that were begun with the former key end with it."
    >
      {tokens.map(({ id, name, prefix }) => (
        <details>
          <summary>
            <Outside text={name} most={60} /> <code>st_{prefix}</code>
          </summary>
          <Form action={`/system/tokens/${id}/rotate`} label={`New key for ${name}`}>
            <Field
              name="grace"
              path={`grace-${id}`}
              label="The key that it has"
              kind="select"
              value="0"
              options={Object.entries(GRACES).map(([value, words]) => ({ value, words }))}
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

function Tokens({ tokens, now }: { tokens: readonly Token[]; now: Date }) {
  return (
    <Table
      caption="Tokens, the newest first"
      rows={tokens}
      columns={[
        { head: 'For', cell: ({ name }) => <Outside text={name} most={60} /> },
        { head: 'Begins with', cell: ({ prefix }) => <code>st_{prefix}</code>, wide: true },
        { head: 'May', cell: ({ scopes }) => scopes.join(', ') },
        { head: 'State', cell: (token) => <State token={token} now={now} /> },
        { head: 'Last used', cell: ({ last_used_at: at }) => <When at={at} /> },
        {
          head: 'Ends',
          cell: ({ expires_at: at }) => <When at={at} never="not by itself" exact />,
          wide: true,
        },
        {
          head: <span class="unseen">Change</span>,
          cell: (token) =>
            isOpen(token, now) ? (
              <div class="buttons">
                <a href={`/system/audit?token=${token.prefix}`}>Log</a>
                <Act action={`/system/tokens/${token.id}/revoke`} words="Revoke" kind="quiet" />
              </div>
            ) : null,
        },
      ]}
    />
  );
}

function State({ token, now }: { token: Token; now: Date }) {
  if (isOpen(token, now)) return <Badge state="active" words="open" />;
  return <Badge state="removed" words={token.revoked_at === null ? 'ended' : 'revoked'} />;
}

function showMade(
  request: FastifyRequest,
  reply: FastifyReply,
  made: Token & { key: string },
  title: string,
): FastifyReply {
  return showPage(request, reply, {
    title,
    here: '/system',
    above: <a href="/system/tokens">Tokens</a>,
    body: (
      <>
        {made.rotating_until === null ? null : (
          <p>
            The former key works until <When at={made.rotating_until} exact />.
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
