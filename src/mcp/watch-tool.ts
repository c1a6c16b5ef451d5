/** Watches something new: a forecast first, and only with a confirmation a topic. */
import { MAX_PROMPT_LENGTH } from '../protocol/specification.ts';
import { MAX_GOAL_LENGTH, textParam, topicSlug } from '../model/value-shapes.ts';
import { MAX_TOPIC_NAME } from '../monitor/topics/save-topic.ts';
import { previewWatch, watch, type WatchPreview } from '../monitor/sources/watch-address.ts';
import { describeForecast } from '../monitor/topics/search-forecast.ts';
import { hasLiveWorkers } from '../store/runs/worker-registry.ts';
import { formatWhole } from '../lib/display-format.ts';
import { declareTool } from './tool.ts';
import { quote, QUOTED_NOTICE } from './tool-text.ts';
import { z } from 'zod';

const interval = textParam(100).optional();

export const watchTool = declareTool({
  name: 'watch',
  title: 'Watch a new topic',
  description:
    'Watches words, or the address of a page or feed. Without confirm it changes nothing and returns the forecast: searches, calls a day, cost. Show that to the person, and call again with confirm: true only if they agree.',
  scope: ['write', 'run'],
  changes: true,
  input: z.strictObject({
    text: textParam(MAX_PROMPT_LENGTH).min(1).describe('Words, a question, or an address (https://…).'),
    name: textParam(MAX_TOPIC_NAME).optional().describe('Name of the topic. Default: the text.'),
    slug: topicSlug.optional().meta({ description: 'Default: derived from the name.', examples: undefined }),
    service: z
      .enum(['own', 'hosted', 'sandbox'])
      .optional()
      .describe('Default: hosted if it is configured, else own.'),
    goal: textParam(4 * MAX_GOAL_LENGTH)
      .optional()
      .describe(
        'What its news is about, in words; a language model leaves out the rest. Default: everything is news.',
      ),
    posts_every: interval.describe('Interval of the search of posts, such as 15m, 1h or auto.'),
    ai_every: interval.describe('Interval of the AI search, such as 6h.'),
    confirm: z
      .boolean()
      .default(false)
      .describe('true: create it. Only after the person has seen the forecast.'),
  }),
  run: async (call, { confirm, posts_every: postsEvery, ai_every: aiEvery, ...given }) => {
    const { ctx, base } = call;
    const request = { ...given, postsEvery, aiEvery };
    // Of an address it asks the service, which also counts.
    await call.countRun();
    if (!confirm) return describePreview(await previewWatch(ctx, request), given.goal);
    const { topic, created, notes } = await watch(ctx, request);
    const isOn = await hasLiveWorkers(ctx.db, ctx.clock);
    return [
      `Watching ${topic}: ${base}/topics/${topic}`,
      `Searches: ${created.map(({ search }) => search.slug).join(', ')}.`,
      isOn
        ? 'Their first runs start now; they find what is there already, which is not reported as new.'
        : 'No worker is running, so nothing runs until one does: strandline up',
      ...notes.map((note) => quote(note, 300)),
    ].join('\n');
  },
});

function describePreview({ name, slug, forecast, notes }: WatchPreview, goal = ''): string {
  const { service, searches, limit, callsToday, free } = forecast;
  const ofService =
    free || limit === null
      ? ''
      : ` ${formatWhole(callsToday)} of at most ${formatWhole(limit)} calls were made today (UTC).`;
  return [
    'Forecast; nothing was created.',
    QUOTED_NOTICE,
    `Topic ${slug ?? ''} ${quote(name)} on the service ${service}.`.replace(/ {2,}/, ' '),
    ...searches.map(
      ({ name: search, preview }) =>
        `- ${slug === null ? quote(search) : search}: ${preview?.words ?? 'schedule not valid'}`,
    ),
    `${describeForecast(forecast)}.${ofService}`,
    ...(goal === ''
      ? []
      : [`Only what is about this is reported, as a language model judges: ${quote(goal, MAX_GOAL_LENGTH)}`]),
    'New at the start: nothing. What the first run of each search finds is there already, and only what later runs find is reported.',
    ...notes.map((note) => quote(note, 300)),
    'To create it, call watch again with the same input and confirm: true, once the person agrees.',
  ].join('\n');
}
