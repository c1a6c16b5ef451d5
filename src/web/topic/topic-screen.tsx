/** The one screen of a topic or search: its chart, what changed beside it, and one list below. */
import { awaitMembers } from '../../lib/await-members.ts';
import type { Context } from '../../monitor/context.ts';
import { countDismissals } from '../../store/alerts/dismissals.ts';
import { NO_BRIEFS, readTopicBriefs } from '../../store/queries/briefs.ts';
import {
  NO_TRANSLATIONS,
  readAnswerTranslations,
  readTranslations,
  type Translations,
} from '../../store/queries/translations.ts';
import type { SearchStatus } from '../../monitor/status/search-status.ts';
import { DismissForm } from '../components/dismiss-button.tsx';
import { TranslationsOf } from '../components/translation.tsx';
import { UnresponsiveToolsNotice } from '../runs/tool-table.tsx';
import { listShownClaims } from './completion-diff.tsx';
import type { Visit } from './last-visit.ts';
import { readTopicData, type TopicScope } from './topic-data.ts';
import { type ListRow, readListRows } from './topic-list-data.ts';
import { type ListContent, ListSection } from './topic-list.tsx';
import type { PageView, TabName } from './view-address.ts';
import { readVoices } from './voices-data.ts';
import { TopicStats, VolumeSection } from './volume-section.tsx';
import { readAnswerText, WhatChanged } from './what-changed.tsx';
import { readWindow, type WindowData } from './window-data.ts';
import type { ComponentChildren } from 'preact';

/** The tabs that make sense for these searches. Stories are of topics; a search has what it found. */
export function listTabs({ searches }: Pick<TopicScope, 'searches'>): readonly TabName[] {
  const hasAnswers = searches.some(({ operation }) => operation === 'ai');
  return ['stories', 'posts', 'links', ...(hasAnswers ? (['answers'] as const) : []), 'voices'];
}

type Screen = Awaited<ReturnType<typeof readScreen>>;

/** Reads what the screen shows: of the list, only the tab that is open. */
export async function readScreen(ctx: Context, scope: TopicScope, view: PageView, now: Date) {
  const { tab } = view;
  const { data, changed, rows, hidden, briefs } = await awaitMembers({
    data: readTopicData(ctx, scope, view, now),
    changed: readWindow(ctx.db, scope, view),
    rows: tab === 'voices' ? null : readListRows(ctx.db, scope, { ...view, tab, now }),
    hidden: countDismissals(ctx.db, scope.topic),
    briefs: ctx.briefWriter === null ? NO_BRIEFS : readTopicBriefs(ctx.db, scope.topicId, now),
  });
  const content: ListContent =
    rows === null ? { voices: await readVoices(ctx.db, scope, view.window, data.past) } : { rows };
  const translations = await readScreenTranslations(ctx, scope.topic, changed, rows ?? []);
  return { data, changed, content, hidden, briefs, translations };
}

/** Of the list and of what changed; that of an answer is composed of its statements. */
async function readScreenTranslations(
  ctx: Pick<Context, 'db' | 'translator'>,
  topic: string,
  { answers, stories, first }: WindowData,
  rows: readonly ListRow[],
): Promise<Translations> {
  if (ctx.translator === null) return NO_TRANSLATIONS;
  const claims = answers.flatMap(({ diff }) => (diff === null ? [] : listShownClaims(diff)));
  const texts = [...rows, ...stories, ...(first === null ? [] : [first]), ...claims].map(({ text }) => text);
  const { found, composed } = await awaitMembers({
    found: readTranslations(ctx.db, topic, texts),
    composed: readAnswerTranslations(
      ctx.db,
      topic,
      answers.map(({ completion }) => completion.id),
    ),
  });
  const whole = answers.flatMap(({ completion }) => {
    const translation = composed.get(completion.id);
    return translation === undefined ? [] : [[readAnswerText(completion), translation] as const];
  });
  return new Map([...found, ...whole]);
}

export function TopicScreen({
  scope,
  view,
  tabs,
  read: { data, changed, content, hidden, briefs, translations },
  visit,
  statuses,
  below,
}: {
  scope: TopicScope;
  view: PageView;
  tabs: readonly TabName[];
  read: Screen;
  visit: Visit | null;
  statuses: readonly SearchStatus[];
  /** Below the chart on wide screens, and after what changed on others. */
  below?: ComponentChildren;
}) {
  return (
    <TranslationsOf.Provider value={translations}>
      <UnresponsiveToolsNotice tools={data.unresponsive} />
      {view.notes.map((note) => (
        <p class="advice">{note}</p>
      ))}
      <div class="columns screen">
        <div>
          <TopicStats scope={scope} view={view} data={data} visit={visit} />
          <VolumeSection scope={scope} view={view} data={data} />
        </div>
        <WhatChanged
          scope={scope}
          view={view}
          data={data}
          changed={changed}
          briefs={briefs}
          statuses={statuses}
        />
        {below}
      </div>
      <ListSection scope={scope} view={view} tabs={tabs} content={content} hidden={hidden} visit={visit} />
      <DismissForm topic={scope.topic} />
    </TranslationsOf.Provider>
  );
}
