/** A stand-in for the language model, as the monitor uses it. */
import type { Judge, JudgeReply, JudgeRequest } from '../src/model/judging.ts';

export type StandInJudge = Judge & {
  asked: JudgeRequest[];
  /** How it replies from now on. Default: texts with "ruled" are relevant. */
  reply: (request: JudgeRequest) => JudgeReply | Promise<JudgeReply>;
};

export const ruledIsRelevant = ({ texts }: JudgeRequest): JudgeReply => ({
  outcome: 'judged',
  verdicts: texts.map((text) => {
    const relevant = text.includes('ruled');
    return { relevant, why: relevant ? 'a ruling' : 'an opinion' };
  }),
});

export function createStandInJudge(): StandInJudge {
  const judge: StandInJudge = {
    asked: [],
    reply: ruledIsRelevant,
    judge: async (request) => {
      judge.asked.push(request);
      return judge.reply(request);
    },
  };
  return judge;
}
