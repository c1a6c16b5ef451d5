/** Everything that was collected, searched. */
import { z } from 'zod';
import { DAY } from '../../../engine/clock.ts';
import { mayDo } from '../../../monitor/access/scopes.ts';
import { assertFilter } from '../../../monitor/topic/find.ts';
import { findText, FOUND_MOST, type TextHit } from '../../../store/archive/find-text.ts';
import { readArchiveSize } from '../../../store/reads/machinery.ts';
import type { App, WebHome } from '../../routes.ts';
import { useFrame } from '../kit/frame.ts';
import { Count, counted } from '../kit/number.tsx';
import { WATCHES } from '../kit/may.tsx';
import { Empty, Section } from '../kit/section.tsx';
import { showPage } from '../kit/show.tsx';
import { Tabs } from '../kit/tabs.tsx';
import { Filter, KINDS, SPANS, SPAN_DAYS } from './filter.tsx';
import { Hit } from './hit.tsx';

const MOST_HITS = 50;
const blank = z.literal('').transform(() => undefined);
const querystring = z.strictObject({
  q: z.string().max(400).optional(),
  topic: blank.or(z.string().max(64)).optional(),
  kind: blank.or(z.enum(KINDS)).optional(),
  lang: blank.or(z.string().max(16)).optional(),
  within: blank.or(z.enum(SPANS)).optional(),
});
type Asked = z.infer<typeof querystring>;

const EXPLORE_TABS = [
  { href: '/explore', words: 'Search', scope: 'read' },
  { href: '/explore/sql', words: 'SQL', scope: 'sql' },
] as const;

/** Those that the visitor may see; none where that is one alone. */
export function ExploreTabs({ here }: { here: (typeof EXPLORE_TABS)[number]['href'] }) {
  const { visitor } = useFrame();
  const tabs = EXPLORE_TABS.filter(({ scope }) => mayDo(visitor, scope));
  if (tabs.length < 2) return null;
  return <Tabs label="Ways to explore" tabs={tabs.map((tab) => ({ ...tab, here: tab.href === here }))} />;
}

export function explorePage(app: App, { ctx }: WebHome): void {
  app.get('/explore', { config: { scope: 'read' }, schema: { querystring } }, async (request, reply) => {
    const asked = request.query;
    const text = (asked.q ?? '').trim();
    await assertFilter(ctx.db, { topic: asked.topic });
    const find = () => {
      const leave = app.shares.finds.take(request);
      return findText(ctx.db, questionOf(text, asked, ctx.clock.now())).finally(leave);
    };
    const hits = text === '' ? [] : await find();
    const size = await readArchiveSize(ctx.db);
    return showPage(request, reply, {
      title: 'Explore',
      here: '/explore',
      lead: (
        <>
          <Count of={size} unit={size === 1 ? 'post or link' : 'posts and links'} /> can be searched by their
          words.
        </>
      ),
      aside: <ExploreTabs here="/explore" />,
      body: (
        <>
          <Filter asked={asked} />
          {text === '' ? <Nothing size={size} /> : <Found text={text} hits={hits} />}
        </>
      ),
    });
  });
}

function questionOf(text: string, { topic, kind, lang, within }: Asked, now: Date) {
  const from = within === undefined ? undefined : new Date(now.getTime() - SPAN_DAYS[within] * DAY);
  return { text, topic, kind, lang, from, limit: Math.min(MOST_HITS, FOUND_MOST) };
}

function Nothing({ size }: { size: number }) {
  return size === 0 ? (
    <Empty
      words="Nothing was collected yet, or a worker has not come to it: what runs find can be searched some seconds later."
      todo={{ words: 'Watch something', href: '/new', scope: WATCHES }}
    />
  ) : (
    <Empty words="Any of the words may stand in a text, and what is rare says more. Words are found in all their forms." />
  );
}

function Found({ text, hits }: { text: string; hits: readonly TextHit[] }) {
  if (hits.length === 0)
    return (
      <Section title="Nothing found" id="hits">
        <Empty
          words="No text that was collected has one of these words and passes the filters."
          todo={{ words: 'Watch for them', href: `/new?text=${encodeURIComponent(text)}`, scope: WATCHES }}
        />
      </Section>
    );
  const full = hits.length === MOST_HITS ? '; more words or a filter bring what stands behind them' : '';
  return (
    <Section title={counted(hits.length, 'hit')} id="hits" note={`The best first${full}.`}>
      <ol class="feed plain">
        {hits.map((hit) => (
          <li>
            <Hit hit={hit} />
          </li>
        ))}
      </ol>
    </Section>
  );
}
