/** What a completion says in its own words, in the language of the question. */

import type { Source } from '../../model/enumerations.ts';
import { MAX_PROMPT_LENGTH } from '../../protocol/specification.ts';
import { readQuestion } from '../planning/keywords.ts';
import type { Findings } from '../planning/retrieval.ts';
import { containsInjection } from './injection.ts';
import { isQuotable, toVisibleLine } from './unsafe-markup.ts';

type CompletionWords = {
  /** Before a title: it is no sentence of the text. */
  title: string;
  noAnswer: string;
  questionLabel: string;
  resultsLabel: string;
  quotes: readonly [string, string];
  /** What sources return. */
  kinds: Readonly<Record<Source, string>>;
};

const WORDS: Readonly<Record<string, CompletionWords>> = {
  en: {
    title: 'Title',
    noAnswer: 'No answer in these sources',
    questionLabel: 'asked',
    resultsLabel: 'found',
    quotes: ['“', '”'],
    kinds: {
      web: 'web pages',
      news_forum: 'news forum entries',
      discussion_board: 'discussions',
      encyclopedia: 'encyclopedia articles',
      video: 'videos',
      microblog: 'posts',
      preprint: 'preprints',
    },
  },
  de: {
    title: 'Titel',
    noAnswer: 'Keine Antwort in diesen Quellen',
    questionLabel: 'gefragt',
    resultsLabel: 'gefunden',
    quotes: ['„', '“'],
    kinds: {
      web: 'Webseiten',
      news_forum: 'Einträge eines Nachrichtenforums',
      discussion_board: 'Diskussionen',
      encyclopedia: 'Artikel einer Enzyklopädie',
      video: 'Videos',
      microblog: 'Beiträge',
      preprint: 'Preprints',
    },
  },
  fr: {
    title: 'Titre',
    noAnswer: 'Pas de réponse dans ces sources',
    questionLabel: 'question',
    resultsLabel: 'trouvé',
    quotes: ['«', '»'],
    kinds: {
      web: 'pages web',
      news_forum: 'entrées d’un forum d’actualités',
      discussion_board: 'discussions',
      encyclopedia: 'articles d’encyclopédie',
      video: 'vidéos',
      microblog: 'messages',
      preprint: 'prépublications',
    },
  },
  es: {
    title: 'Título',
    noAnswer: 'No hay respuesta en estas fuentes',
    questionLabel: 'pregunta',
    resultsLabel: 'encontrado',
    quotes: ['«', '»'],
    kinds: {
      web: 'páginas web',
      news_forum: 'entradas de un foro de noticias',
      discussion_board: 'debates',
      encyclopedia: 'artículos de enciclopedia',
      video: 'vídeos',
      microblog: 'mensajes',
      preprint: 'preprints',
    },
  },
  it: {
    title: 'Titolo',
    noAnswer: 'Nessuna risposta in queste fonti',
    questionLabel: 'domanda',
    resultsLabel: 'trovato',
    quotes: ['«', '»'],
    kinds: {
      web: 'pagine web',
      news_forum: 'voci di un forum di notizie',
      discussion_board: 'discussioni',
      encyclopedia: 'voci di enciclopedia',
      video: 'video',
      microblog: 'messaggi',
      preprint: 'preprint',
    },
  },
  pt: {
    title: 'Título',
    noAnswer: 'Sem resposta nestas fontes',
    questionLabel: 'pergunta',
    resultsLabel: 'encontrado',
    quotes: ['“', '”'],
    kinds: {
      web: 'páginas web',
      news_forum: 'entradas de um fórum de notícias',
      discussion_board: 'discussões',
      encyclopedia: 'artigos de enciclopédia',
      video: 'vídeos',
      microblog: 'mensagens',
      preprint: 'preprints',
    },
  },
};

/** @returns the words of the prompt's language, or English */
export function findCompletionWords(prompt: string): CompletionWords {
  const { language } = readQuestion(prompt);
  // The record has no other languages than those that have words.
  return WORDS[language ?? 'en'] ?? (WORDS['en'] as CompletionWords);
}

/** A longer question is cut. */
const MAX_ASKED_LENGTH = 200;

/**
 * Says that nothing answers the question, what was asked and what was found: kinds of results, not how many, so that a
 * further result changes no statement. One sentence, without a citation.
 * @param sources those whose results were read
 */
export function explainNoAnswer(prompt: string, findings: Findings, sources: readonly Source[]): string {
  const words = findCompletionWords(prompt);
  const kinds = sources
    .filter((source) => (findings.get(source) ?? []).length > 0)
    .map((source) => words.kinds[source])
    .join(', ');
  return `${words.noAnswer}${quoteAsked(prompt, words)}; ${words.resultsLabel}: ${kinds}.`;
}

/** Says that nothing answers a part of the question. One sentence, without a citation. */
export function explainMissing(prompt: string, part: string): string {
  const words = findCompletionWords(prompt);
  return `${words.noAnswer}${quoteAsked(part, words)}.`;
}

function quoteAsked(text: string, { questionLabel, quotes: [open, close] }: CompletionWords): string {
  const line = toVisibleLine(text, MAX_PROMPT_LENGTH);
  // One statement: a mark inside would end it.
  const question = line
    .slice(0, MAX_ASKED_LENGTH)
    .replace(/(?<![.!?…;:。！？])[.!?…;:。！？]+(?=\s|$)/gu, ' ')
    .replace(/[“”„«»"()[\]]/gu, '')
    .replace(/\s+/gu, ' ')
    .trim();
  const isShown = question !== '' && isQuotable(question) && !containsInjection(line);
  return isShown ? `; ${questionLabel}: ${open}${question}${close}` : '';
}
