/** The questions of `docs/questions.md`, as they stand there. */
export { type Question, readQuestions } from '../../../src/doors/pages/explore/questions.ts';
