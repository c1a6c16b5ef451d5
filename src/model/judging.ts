/** The goal of a topic, and what a language model is asked and answers about it. Pure. */
import { hash } from 'node:crypto';
import { cleanLine } from '../lib/text.ts';
import type { ModelTrouble } from './model-use.ts';
import { MAX_GOAL_LENGTH } from './value-shapes.ts';

/** Stories of a request to the model. */
export const MAX_JUDGED_AT_ONCE = 20;

/** @returns the goal on one line; null if it is empty; undefined if it is too long */
export function readGoal(text: string): string | null | undefined {
  const goal = cleanLine(text.toWellFormed());
  if (goal === '') return null;
  return Array.from(goal).length > MAX_GOAL_LENGTH ? undefined : goal;
}

/** Judgements belong to it: a goal that is set again has its judgements again. */
export function hashGoal(goal: string): string {
  return hash('sha256', goal, 'hex').slice(0, 16);
}

/** @property why in at most a dozen words; null: the model gave no reason */
export type Verdict = { relevant: boolean; why: string | null };

/** A verdict as replies and messages have it. @param verdict null: not judged */
export function describeVerdict(verdict: Verdict | null): { relevant: boolean | null; why: string | null } {
  return { relevant: verdict?.relevant ?? null, why: verdict?.why ?? null };
}

export type JudgeRequest = {
  goal: string;
  /** Texts that a person marked as not relevant. */
  irrelevant: readonly string[];
  /** At most {@link MAX_JUDGED_AT_ONCE}. */
  texts: readonly string[];
};

/** `judged`: a verdict for each text in order; null: no verdict about this text. */
export type JudgeReply = { outcome: 'judged'; verdicts: (Verdict | null)[] } | ModelTrouble;

/** The language model, as the monitor uses it. */
export type Judge = {
  /** Sends one request. Throws only if the signal aborts. */
  judge(request: JudgeRequest, signal: AbortSignal): Promise<JudgeReply>;
};
