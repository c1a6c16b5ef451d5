/** A stand-in for the language model that translates, as the monitor uses it. */
import type { TranslationReply, TranslationRequest, Translator } from '../src/model/translating.ts';

export type StandInTranslator = Translator & {
  asked: TranslationRequest[];
  /** How it replies from now on. Default: {@link markLanguage}. */
  reply: (request: TranslationRequest, signal: AbortSignal) => TranslationReply | Promise<TranslationReply>;
};

/** Each text after the tag of the language: `(en) text`. */
export const markLanguage = ({ language, texts }: TranslationRequest): TranslationReply => ({
  outcome: 'translated',
  texts: texts.map((text) => ({ text: `(${language}) ${text}` })),
});

export function createStandInTranslator(): StandInTranslator {
  const translator: StandInTranslator = {
    model: 'small-1',
    asked: [],
    reply: markLanguage,
    translate: async (request, signal) => {
      translator.asked.push(request);
      return translator.reply(request, signal);
    },
  };
  return translator;
}
