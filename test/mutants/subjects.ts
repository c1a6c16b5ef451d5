import { ALERTS } from './alerts.ts';
import { FIGURES } from './figures.ts';
import type { Subject } from './mutant.ts';
import { SAVE } from './save.ts';
import { SCHEDULE } from './schedule.ts';

export const SUBJECTS: readonly Subject[] = [SCHEDULE, SAVE, FIGURES, ALERTS];
