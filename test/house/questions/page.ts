/** The example questions of `src/web/explore/questions.md`. */
import { createLogger } from '../../../src/platform/logger.ts';
import { type Question, readQuestions as read } from '../../../src/web/explore/example-questions.tsx';

export type { Question };

export const readQuestions = (): Promise<Question[]> => read(createLogger('silent'));
