/** The questions of `docs/questions.md`, as they stand there. */
import { createLogger } from '../../../src/engine/logger.ts';
import { type Question, readQuestions as read } from '../../../src/doors/pages/explore/questions.ts';

export type { Question };

export const readQuestions = (): Promise<Question[]> => read(createLogger('silent'));
