/** The answer to a person's question as a page that is sent while it is found: sources are ticked off as they respond. */
import type { FastifyReply } from 'fastify';
import { type Source, SOURCE_BY_TOOL, TOOLS } from '../../model/enumerations.ts';
import { formatCount } from '../../lib/display-format.ts';
import { monotonicMs } from '../../platform/clock.ts';
import type { Logger } from '../../platform/logger.ts';
import type { FlatAiResponse } from '../../protocol/flat-response.ts';
import { type ShownAnswer, type ShownItem, AnswerView } from '../../web/answer/answer-view.tsx';
import { listConfigured, SourceTick } from '../../web/answer/source-ticks.tsx';
import type { AiWork } from '../operations.ts';
import type { SearchPlan } from '../planning/search-plan.ts';
import { parsePublishedAt } from '../sources/parse/published-at.ts';
import { type PageParts, renderPart, renderServicePage } from './service-page.tsx';

/** @returns whether it was answered; if not, the page says so */
export async function streamAnswer(
  reply: FastifyReply,
  parts: PageParts,
  {
    search,
    plan,
    log,
    signal,
    headers,
  }: Pick<AiWork, 'search'> & {
    plan: SearchPlan;
    log: Logger;
    /** Aborts when the browser goes away. */
    signal: AbortSignal;
    headers: Readonly<Record<string, string>>;
  },
): Promise<boolean> {
  const began = monotonicMs();
  const [before, after] = renderServicePage(parts);
  const hooked = Object.fromEntries(
    Object.entries(reply.getHeaders()).map(([name, value]) => [name, String(value)]),
  );
  reply.hijack();
  const { raw } = reply;
  raw.writeHead(200, {
    ...hooked,
    ...headers,
    'content-type': 'text/html; charset=utf-8',
    'x-accel-buffering': 'no',
  });
  raw.write(before);
  const shown = new Set<string>();
  const stop = plan.watch((sources) => {
    for (const source of listConfigured(sources)) {
      const name = `${source.tool} ${source.source}`;
      if (source.state === 'asked' || shown.has(name) || raw.writableNeedDrain) continue;
      shown.add(name);
      raw.write(renderPart(<SourceTick source={source} />));
    }
  });
  try {
    const answering = search(signal);
    // All sources are asked at once.
    const sourceCount = formatCount(listConfigured(plan.list()).length, 'source');
    raw.write(
      `<section id="answer"><div class="section-head"><h2>Answer</h2></div><p class="note asking">Asking ${sourceCount}</p><ul class="asked">`,
    );
    const answer = await answering;
    if ('text_chunks' in answer) throw new Error('a flat answer was asked for');
    stop();
    const view = <AnswerView answer={toShownAnswer(answer, monotonicMs() - began)} renderTime={renderTime} />;
    raw.end(`</ul>${renderPart(view)}</section>${after}`);
    return true;
  } catch (err) {
    stop();
    if (!signal.aborted) log.error({ err }, 'question failed');
    raw.end(`</ul><p class="wrong">The answer could not be written. Ask again.</p></section>${after}`);
    return signal.aborted;
  }
}

function renderTime(at: Date) {
  const iso = at.toISOString();
  return <time dateTime={iso}>{iso.slice(0, 10)}</time>;
}

function toShownAnswer(answer: FlatAiResponse, ms: number): ShownAnswer {
  const { completion, text, warnings = [], plan } = answer;
  const items = TOOLS.flatMap((tool) => listItems(answer, SOURCE_BY_TOOL[tool], tool));
  return {
    texts:
      answer.completion_writer === 'none' ? [] : [completion, text].flatMap((part) => part ?? []).slice(0, 1),
    items,
    itemCount: items.length,
    plan: plan?.sources ?? null,
    pages: plan?.pages,
    warnings,
    ms,
  };
}

function listItems(answer: FlatAiResponse, source: Source, tool: string): ShownItem[] {
  if (source === 'microblog')
    return (answer.microblog ?? []).map(({ text, url, user, created_at }) => ({
      title: `@${user.username}: ${text}`,
      url,
      tool,
      publishedAt: parsePublishedAt(created_at) ?? null,
    }));
  return (answer[source] ?? []).map(({ title, link, published_date }) => ({
    title: title === '' ? null : title,
    url: link,
    tool,
    publishedAt: parsePublishedAt(published_date) ?? null,
  }));
}
