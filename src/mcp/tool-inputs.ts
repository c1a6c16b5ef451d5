/** Members that inputs of several tools have. Their descriptions are read by the assistant. */
import { z } from 'zod';
import { searchSlug, textParam, topicSlug } from '../model/value-shapes.ts';

export const topic = topicSlug
  .optional()
  .meta({ description: 'Slug of a topic; see overview.', examples: undefined });
export const search = searchSlug.optional().meta({ description: 'Slug of a search.', examples: undefined });

const timeText = textParam(100);
export const since = timeText
  .optional()
  .describe('Start: yesterday, today, an age such as 12h or 7d, 2026-11-21, or an ISO time.');
export const until = timeText.optional().describe('End, alike; of a day, its end. Default: now.');
export const tz = textParam(64)
  .default('UTC')
  .describe(
    'Time zone of the person, such as Europe/Berlin: for today, yesterday, and the times of the reply.',
  );

export function limit(max: number, usual: number) {
  return z.int().min(1).max(max).default(usual).describe('Maximum number of items.');
}
