/** Translation of titles and quotations into the language of a reader, and what a language model is asked for it. Pure. */
import { hash } from 'node:crypto';
import type { TRANSLATED_KINDS } from './closed-lists.ts';
import type { ModelTrouble } from './model-use.ts';

/** Texts of a request to the model, and their UTF-16 code units together. */
export const MAX_TRANSLATED_AT_ONCE = 20;
export const MAX_TRANSLATED_UNITS = 6_000;
/** UTF-16 code units of a text that are translated; of a longer one, its beginning. */
export const MAX_TRANSLATED_TEXT = 1_000;
/** Of a language tag: `zh-Hant-TW`. */
export const MAX_LANGUAGE_LENGTH = 12;

/** What is translated: the text of a post, the title or the snippet of a link, a statement of an answer. */
export type TranslatedKind = (typeof TRANSLATED_KINDS)[number];

const NAMES = new Intl.DisplayNames('en', { type: 'language', fallback: 'none' });

/** @returns the language tag in its usual form (`pt-BR`); null for none; undefined if there is no such language */
export function readLanguage(text: string): string | null | undefined {
  const tag = text.trim();
  if (tag === '' || tag.toLowerCase() === 'none') return null;
  try {
    const [language = ''] = Intl.getCanonicalLocales(tag);
    const isKnown = language.length <= MAX_LANGUAGE_LENGTH && NAMES.of(language) !== undefined;
    return isKnown && !UNREADABLE.has(baseLanguage(language)) ? language : undefined;
  } catch {
    return undefined;
  }
}

/** Codes of no language: undetermined, several, none, uncoded. */
const UNREADABLE = new Set(['und', 'mul', 'zxx', 'mis']);

/** `Brazilian Portuguese` of `pt-BR`. */
export function nameLanguage(language: string): string {
  return NAMES.of(language) ?? language;
}

/** `pt` of `pt-BR`. */
export function baseLanguage(language: string): string {
  return (language.split('-')[0] ?? '').toLowerCase();
}

/** What a translation belongs to: the same text has the same, and an edited text has another. As `md5(text)` in SQL. */
export function hashText(text: string): string {
  return hash('md5', text, 'hex');
}

/** A text in the language of a reader. @property language tag; @property model which wrote it */
export type Translation = { text: string; language: string; model: string; at: Date };

export type TranslationRequest = {
  /** Tag of the language of the reader. */
  language: string;
  /** At most {@link MAX_TRANSLATED_AT_ONCE}. */
  texts: readonly string[];
};

/**
 * Of one text.
 * - `none`: there is nothing to translate: it is in the language of the reader already, has no words, or addresses a machine
 * - `unusable`: what the model wrote is no translation of it, or it wrote none
 */
export type TranslatedText = { text: string } | 'none' | 'unusable';

/** `translated`: what became of each text, in order. */
export type TranslationReply = { outcome: 'translated'; texts: readonly TranslatedText[] } | ModelTrouble;

/** The language model, as the monitor uses it for translations. */
export type Translator = {
  /** Its name. */
  model: string;
  /** Sends one request at most. Throws only if the signal aborts. */
  translate(request: TranslationRequest, signal: AbortSignal): Promise<TranslationReply>;
};
