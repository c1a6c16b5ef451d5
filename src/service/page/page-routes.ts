/** A question asked with a browser: the page at `/`. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { TOOLS } from '../../model/enumerations.ts';
import { parseUrl } from '../../model/links/link.ts';
import { type Clock, monotonicMs } from '../../platform/clock.ts';
import { keyOfHeader } from '../../platform/keys.ts';
import { PAGE_HEADERS } from '../../platform/http/security-headers.ts';
import { loadDialect } from '../../protocol/dialect.ts';
import type { AiSearchContext } from '../ai-search.ts';
import type { KeyCheck } from '../key-gate.ts';
import { AI_SEARCH, createDisconnectSignal, type AiWork } from '../operations.ts';
import { createSearchPlan, type SearchPlan } from '../planning/search-plan.ts';
import { createKeyCookie } from './key-cookie.ts';
import type { AskedForm, PageParts } from './service-page.tsx';

type PageContext = Pick<AiSearchContext, 'sources' | 'log' | 'model' | 'planner' | 'pages'> & {
  clock: Clock;
  version: string;
  /** What clients that do not ask for HTML get at `/`. */
  about: () => object;
  check: KeyCheck;
  /** Called after a question was answered. */
  onAnswered: (answered: { status: number; ms: number }) => void;
};

/** Loaded by the first person who opens the page: clients and the monitor never do. */
const loadPage = () => import('./service-page.tsx');
const loadAnswer = () => import('./answer-stream.tsx');
const loadAssets = () => import('../../web/components/asset-files.ts');

export function registerPageRoutes(app: FastifyInstance, ctx: PageContext): void {
  const cookie = createKeyCookie(ctx.clock);
  const isSimulated = ctx.sources.some(({ state }) => state === 'sandbox');
  const readKey = ({ headers }: FastifyRequest) =>
    keyOfHeader(headers.authorization) ?? cookie.read(headers.cookie);

  const describePage = (form: AskedForm, hasKey: boolean, problems: readonly string[] = []): PageParts => ({
    form,
    hasKey,
    problems,
    isSimulated,
    version: ctx.version,
  });
  async function showPage(reply: FastifyReply, status: number, parts: PageParts): Promise<FastifyReply> {
    const { renderServicePage } = await loadPage();
    const page = renderServicePage(parts).join('');
    return reply.code(status).headers(PAGE_HEADERS).type('text/html; charset=utf-8').send(page);
  }

  app.get('/', async (request, reply) => {
    reply.header('vary', 'accept, cookie').header('cache-control', 'no-store');
    if (!/\btext\/html\b/i.test(request.headers.accept ?? '')) return ctx.about();
    const { INITIAL_FORM } = await loadPage();
    return showPage(reply, 200, describePage(INITIAL_FORM, readKey(request) !== undefined));
  });

  app.get<{ Params: { file: string } }>('/assets/:file', async ({ params }, reply) => {
    const { findAsset, IMMUTABLE_CACHE } = await loadAssets();
    const asset = findAsset(params.file);
    if (asset === undefined) return reply.code(404).send({ detail: 'Not Found' });
    return reply
      .headers({ ...PAGE_HEADERS, 'cache-control': IMMUTABLE_CACHE })
      .type(asset.type)
      .send(asset.body);
  });

  app.post('/', async (request, reply) => {
    reply.header('cache-control', 'no-store');
    const fields = readFields(request.body);
    const form = readForm(fields);
    if (!isSameOrigin(request))
      return showPage(reply, 403, describePage(form, false, ['This form was sent by another site.']));
    if (fields.has('forget')) return reply.header('set-cookie', cookie.clear()).redirect('/', 303);
    const typed = fields.get('key')?.trim();
    const key = typed === undefined || typed === '' ? readKey(request) : typed;
    const verdict = await ctx.check(request, key);
    if (key === undefined || verdict === 'refused') {
      const problem = key === undefined ? 'A key is needed.' : 'This key is not valid.';
      return showPage(reply, 401, describePage(form, false, [problem]));
    }
    if (verdict !== 'accepted') {
      reply.header('retry-after', String(verdict.waitSeconds));
      const problem = `Too many questions with this key: wait ${verdict.waitSeconds} s.`;
      return showPage(reply, 429, describePage(form, true, [problem]));
    }
    if (typed !== undefined && typed !== '') reply.header('set-cookie', cookie.write(key));
    const plan = createSearchPlan(true);
    const planned = planQuestion(ctx, form, plan);
    if ('problems' in planned) return showPage(reply, 422, describePage(form, true, planned.problems));
    const began = monotonicMs();
    const { streamAnswer } = await loadAnswer();
    const isAnswered = await streamAnswer(reply, describePage(form, true), {
      ...planned,
      plan,
      log: ctx.log,
      signal: createDisconnectSignal(reply),
      headers: PAGE_HEADERS,
    });
    ctx.onAnswered({ status: isAnswered ? 200 : 500, ms: monotonicMs() - began });
    return reply;
  });
}

/** A form of a browser; bodies are bytes here, whatever their type. */
function readFields(body: unknown): URLSearchParams {
  return new URLSearchParams(Buffer.isBuffer(body) ? body.toString('utf8') : '');
}

function readForm(fields: URLSearchParams): AskedForm {
  return {
    prompt: fields.get('prompt') ?? '',
    model: fields.get('model') ?? 'ORBIT',
    date_filter: fields.get('date_filter') ?? 'PAST_YEAR',
    tools: fields.getAll('tools').filter((tool) => TOOLS.some((known) => known === tool)),
  };
}

/** The search that a form asks for, or what is wrong with it. */
function planQuestion(
  ctx: PageContext,
  form: AskedForm,
  plan: SearchPlan,
): Pick<AiWork, 'search'> | { problems: string[] } {
  const work = { ...ctx, webGroup: true, plan };
  const planned = AI_SEARCH.flat(work, loadDialect('neutral'), { ...form, streaming: false });
  if (!planned.ok)
    return {
      problems: planned.problems.map(({ loc, msg }) => {
        const member = String(loc[1]);
        const words = member === 'tools' ? 'choose at least one' : msg.replace(/^Value error, /, '');
        return `${LABELS[member] ?? loc.join('.')}: ${words}.`;
      }),
    };
  if (planned.work.operation !== 'ai') throw new Error('operation A plans an AI search');
  return { search: planned.work.search };
}

const LABELS: Readonly<Record<string, string>> = {
  prompt: 'Question',
  tools: 'Sources',
  model: 'Time limit',
  date_filter: 'Published in',
};

/** Whether a page of this server sent a form. The cookie does not prove it: browsers also send it with forms from other ports of the host. */
function isSameOrigin({ headers }: FastifyRequest): boolean {
  const site = headers['sec-fetch-site'];
  if (typeof site === 'string') return site === 'same-origin' || site === 'none';
  const { origin, host } = headers;
  if (origin === undefined) return true; // no browser that could send the cookie of somebody else
  return parseUrl(origin)?.host === host;
}
