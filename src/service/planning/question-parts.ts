/** What a question excludes, and its halves if it asks two things. */

/** How a language excludes. `articles` may stand before the excluded word. */
type Exclusion = {
  /** What follows is excluded. */
  except: string;
  /** What follows is only not searched for: who asks about heat pumps without a garden reads pages that name it. */
  without: string;
  /** Excludes at the beginning of a clause, and not as in "does not work". */
  not: string;
  articles: string;
  /** Words between two questions, and those that begin the second. */
  and: string;
  asks: string;
};

const EXCLUSIONS: Readonly<Record<string, Exclusion>> = {
  en: {
    except: 'except(?: for)?|excluding|other than',
    without: 'without',
    not: 'not(?: about)?',
    articles: 'the|an?|any',
    and: 'and|but|or',
    asks: 'how|what|why|when|where|who|which|whether|is|are|was|were|do|does|did|can|could|will|should',
  },
  de: {
    except: 'außer|ausgenommen',
    without: 'ohne',
    not: 'nicht(?: über)?',
    articles: 'das|die|der|den|dem|eine?|einen|einem|einer',
    and: 'und|aber|oder',
    asks: 'wie|was|warum|wieso|weshalb|wann|wo|wer|wen|welche[rsn]?|ob',
  },
  fr: {
    except: 'sauf|excepté|hormis',
    without: 'sans',
    not: 'pas',
    articles: 'les?|la|une?|des?|du',
    and: 'et|mais|ou',
    asks: 'comment|pourquoi|que|quoi|quels?|quelles?|quand|où|qui|combien|est-ce',
  },
  es: {
    except: 'excepto|salvo|menos',
    without: 'sin',
    not: 'no',
    articles: 'el|la|los|las|una?',
    and: 'y|e|pero|o',
    asks: 'cómo|qué|por qué|cuándo|dónde|quién|quiénes|cuál|cuáles|cuántos?|cuántas?',
  },
  it: {
    except: 'tranne|eccetto|escluso',
    without: 'senza',
    not: 'non',
    articles: 'il|lo|la|gli|le|i|una?',
    and: 'e|ma|o',
    asks: 'come|cosa|che cosa|perché|quando|dove|chi|qual|quale|quali|quanto|quanti',
  },
  pt: {
    except: 'exceto|salvo|menos',
    without: 'sem',
    not: 'não',
    articles: 'o|a|os|as|uma?',
    and: 'e|mas|ou',
    asks: 'como|o que|por que|quando|onde|quem|qual|quais|quanto|quantos',
  },
};

const WORD = String.raw`[\p{L}\p{N}][\p{L}\p{M}\p{N}_'’-]*`;
/** Neither before nor after it is a letter: `\b` knows only ASCII. */
const BOUND = { before: String.raw`(?<![\p{L}\p{N}])`, after: String.raw`(?![\p{L}\p{N}])` };

type Patterns = { excluding: RegExp; without: RegExp; halves: RegExp };

const patterns = new Map<string, Patterns>();

function compile({ except, without, not, articles, and, asks }: Exclusion): Patterns {
  const excluded = String.raw`${BOUND.after}\s+(?:(?:${articles})${BOUND.after}\s+|l['’])?(${WORD})`;
  return {
    excluding: new RegExp(
      String.raw`${BOUND.before}(?:${except})${excluded}|(?:(?<=^|[,;(]\s*)|(?:[,;]\s*)?${BOUND.before}(?:${and})\s+)(?:${not})${excluded}`,
      'giu',
    ),
    without: new RegExp(String.raw`${BOUND.before}(?:${without})${excluded}`, 'giu'),
    halves: new RegExp(
      String.raw`\s*[;；]\s*|(?<=[?？])\s+|[,]?\s+(?:${and})\s+(?=(?:${asks})${BOUND.after})`,
      'iu',
    ),
  };
}

function findPatterns(language: string | null): Patterns | null {
  const code = language ?? 'en';
  const exclusion = EXCLUSIONS[code];
  if (exclusion === undefined) return null;
  let compiled = patterns.get(code);
  if (compiled === undefined) {
    compiled = compile(exclusion);
    patterns.set(code, compiled);
  }
  return compiled;
}

/** `-word` and `NOT word`. */
const EXCLUDING_OPERATOR = /(?:(?<=^|\s)-|(?<![\p{L}\p{N}_])NOT\s+)([\p{L}\p{N}][\p{L}\p{M}\p{N}_-]*)/gu;

/**
 * @param prompt without phrases in quotation marks @param language ISO 639-1; null: as in English
 * @returns `text`: the prompt without what it excludes. `excluded`: words, in lower case, that no result may have in its title
 */
export function removeExcluded(
  prompt: string,
  language: string | null,
): { text: string; excluded: readonly string[] } {
  const excluded: string[] = [];
  const take = (...groups: readonly unknown[]) => {
    for (const word of groups) if (typeof word === 'string') excluded.push(word.toLowerCase());
    return ' . ';
  };
  const known = findPatterns(language);
  let text = prompt.replace(EXCLUDING_OPERATOR, (_, word) => take(word));
  if (known !== null) {
    text = text
      .replace(known.excluding, (_, excepted, denied) => take(excepted, denied))
      .replace(known.without, ' . ');
  }
  return { text, excluded };
}

/** The questions of a prompt that asks several, at most three. A prompt with a single question is that question. */
export function splitHalves(prompt: string, language: string | null): readonly string[] {
  const known = findPatterns(language);
  const parts = known === null ? [prompt] : prompt.split(known.halves);
  return parts
    .map((part) => part.trim())
    .filter((part) => /[\p{L}\p{N}]/u.test(part))
    .slice(0, 3);
}
