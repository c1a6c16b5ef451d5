/** The words that a request sends to a provider, as it sends them. */
import { isPlain } from '../../lib/json-values.ts';
import { isSecretParameter } from '../../model/links/link.ts';
import { cleanLine } from '../../lib/text.ts';
import type { ProviderRequest } from './resilience/http-request.ts';
import type { SourceQuery } from './search-source.ts';

const MAX_WORDS_LENGTH = 300;
/** Shorter words stand in parameters that are no query. Two signs of a script without spaces are a word. */
const WORD = /[\p{L}\p{N}]{3,}|\p{L}{2,}/gu;

/**
 * Parameters, parts of the path and texts of a body that contain a word of the prompt: `all:"bird flu" AND all:humans`. Everything else
 * is not the visitor's, and keys are in headers or in parameters that are left out.
 */
export function listSentWords(
  { url, body }: Pick<ProviderRequest, 'url' | 'body'>,
  { prompt }: Pick<SourceQuery, 'prompt'>,
): string[] {
  const promptWords = prompt.toLowerCase().match(WORD) ?? [prompt.trim().toLowerCase()];
  const isAsked = (text: string) => {
    const lower = text.toLowerCase();
    return promptWords.some((word) => lower.includes(word));
  };
  const texts = [
    ...[...url.searchParams].flatMap(([name, value]) => (isSecretParameter(name) ? [] : [value])),
    ...url.pathname.split('/').map(decodePart),
    ...listBodyTexts(body),
  ];
  return texts.filter(isAsked).map((text) => cleanLine(text).slice(0, MAX_WORDS_LENGTH));
}

function decodePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function listBodyTexts(body: string | undefined): string[] {
  if (body === undefined) return [];
  try {
    const parsed: unknown = JSON.parse(body);
    if (!isPlain(parsed)) return [];
    return Object.entries(parsed).flatMap(([name, value]) =>
      typeof value === 'string' && !isSecretParameter(name) ? [value] : [],
    );
  } catch {
    return [];
  }
}
