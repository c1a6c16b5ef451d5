/** A stand-in for the language model that writes briefs, as the monitor uses it. */
import type { BriefReply, BriefRequest, BriefWriter } from '../src/model/briefs.ts';

export type StandInBriefWriter = BriefWriter & {
  asked: BriefRequest[];
  /** How it replies from now on. Default: {@link quoteTwo}. */
  reply: (request: BriefRequest, signal: AbortSignal) => BriefReply | Promise<BriefReply>;
};

/** The first two items, each as a sentence that cites it. */
export const quoteTwo = ({ items }: BriefRequest): BriefReply => ({
  outcome: 'written',
  sentences: items.slice(0, 2).map(({ text }, i) => ({ text: `It is said: ${text}`, cites: [i] })),
});

export function createStandInBriefWriter(): StandInBriefWriter {
  const writer: StandInBriefWriter = {
    model: 'small-1',
    asked: [],
    reply: quoteTwo,
    write: async (request, signal) => {
      writer.asked.push(request);
      return writer.reply(request, signal);
    },
  };
  return writer;
}
