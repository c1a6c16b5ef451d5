/** Translations below what they translate, marked as written by a language model. */
import type { Context } from '../../monitor/context.ts';
import { NO_TRANSLATIONS, readTranslations, type Translations } from '../../store/queries/translations.ts';
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { useFrame } from './page-frame.tsx';
import { formatFullTime } from '../../lib/display-format.ts';
import { UntrustedText } from './untrusted-text.tsx';

/** Of the texts of a part of a page. Default: none. */
export const TranslationsOf = createContext<Translations>(NO_TRANSLATIONS);

const MAX_MODEL_NAME = 60;

/** Translations into the language of a topic; without a language model, nothing is read. @param topic slug; null: of any topic */
export async function readPageTranslations(
  { db, translator }: Pick<Context, 'db' | 'translator'>,
  topic: string | null,
  texts: readonly (string | null)[],
): Promise<Translations> {
  return translator === null ? NO_TRANSLATIONS : readTranslations(db, topic, texts);
}

/** Nothing for a text without a translation. @param props.most UTF-16 code units of the original that are shown */
export function Translated({ text, most }: { text: string | null; most: number }) {
  const translation = useContext(TranslationsOf).get(text ?? '');
  const { zone } = useFrame();
  if (translation === undefined) return null;
  const { text: words, language, model, at } = translation;
  return (
    <span class="translated">
      <UntrustedText text={words} most={2 * most} lang={language} />{' '}
      <span class="why" title={formatFullTime(at, zone)}>
        translated by <UntrustedText text={model} most={MAX_MODEL_NAME} />
      </span>
    </span>
  );
}
