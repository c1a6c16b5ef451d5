/**
 * Detects prompt injection: text that instructs a machine instead of informing a reader. One of several defenses.
 * Clients may pass our response to a language model too, so such text is neither quoted nor put in a prompt. Also
 * detects disguises: look-alike letters of other alphabets, digits and symbols for letters (`1gnore`), and spaced
 * letters (`i g n o r e`). Undisguised readings are only matched, never quoted.
 */

import { ASCII_TEXT, collapseSpaces } from './unsafe-markup.ts';

/** Accents, and strokes through letters. */
const ACCENTS = /\p{M}+/gu;
/** A word that mixes Latin with Greek or Cyrillic letters. */
const MIXED_ALPHABETS = /[a-z][\u0370-\u03ff\u0400-\u04ff]|[\u0370-\u03ff\u0400-\u04ff][a-z]/;
const HOMOGLYPHS: Readonly<Record<string, string>> = Object.fromEntries(
  Array.from(
    'аaеeоoрpсcуyхxіiјjѕsԁdһhӏlмmтtкkвbнhαaεeοoρpιiκkνvυuτt'.matchAll(/(.)(.)/gu),
    ([, theirs, ours]) => [theirs, ours],
  ),
);
const FOREIGN_LETTER = /[\u0370-\u03ff\u0400-\u052f]/gu;
/** Four or more single letters. */
const SPACED_LETTERS = /(?<![a-z0-9])(?:[a-z0-9][ .*_|/-]{1,2}){3,}[a-z0-9](?![a-z0-9])/g;
/** A word with digits or symbols in place of letters, but not `30th` or `mp3`. */
const LEETSPEAK_WORD =
  /(?<![a-z0-9])[a-z0-9@$!|]{0,24}(?:[a-z][013457@$!|][a-z]|[013457@$!|][a-z]{3})[a-z0-9@$]*/g;
const LEETSPEAK_LETTERS: Readonly<Record<string, string>> = {
  0: 'o',
  1: 'i',
  3: 'e',
  4: 'a',
  5: 's',
  7: 't',
  '@': 'a',
  $: 's',
  '!': 'i',
  '|': 'i',
};

/** @param lower a text in lower case; @returns its undisguised readings, none if nothing is disguised */
function listUndisguisedReadings(lower: string): string[] {
  const plain = ASCII_TEXT.test(lower) ? lower : replaceHomoglyphs(lower);
  const joined = plain.replace(SPACED_LETTERS, (run) => run.replace(/[^a-z0-9]/g, ''));
  const spelled = joined.replace(LEETSPEAK_WORD, spellLeetspeak);
  const readings = new Set([plain, joined, spelled]);
  // The digit 1 can stand for either letter.
  if (spelled !== joined)
    readings.add(joined.replace(LEETSPEAK_WORD, (word) => spellLeetspeak(word.replaceAll('1', 'l'))));
  // Spaced letters do not show word boundaries.
  if (joined !== plain) readings.add(spelled.replace(/[^a-z]/g, ''));
  readings.delete(lower);
  return [...readings];
}

function spellLeetspeak(word: string): string {
  return word.replace(/[^a-z]/g, (sign) => LEETSPEAK_LETTERS[sign] ?? sign);
}

function replaceHomoglyphs(lower: string): string {
  const plain = lower.normalize('NFKD').replace(ACCENTS, '').toLowerCase();
  return MIXED_ALPHABETS.test(plain)
    ? plain.replace(FOREIGN_LETTER, (letter) => HOMOGLYPHS[letter] ?? letter)
    : plain;
}

// Injection phrases by language.

/** Matched against lower case. ASCII only, so that most texts need no Unicode matching. */
const ENGLISH_INJECTION = joinPatterns([
  /\b(?:ignore|disregard|forget|override|bypass)\b.{0,20}\b(?:instructions?|prompts?|(?:previous|prior|above|before|earlier|preceding|all|any|your|my|these|those)\b.{0,30}\b(?:instruct\w*|prompts?|rules?|orders?|directions?|commands?|guidelines?|context|said|told|text))\b/,
  /\bsystem (?:prompt|message|instruction|note|override)|\b(?:developer|jailbreak|god) mode\b/,
  /\byou are (?:now |no longer )?(?:an? |the )?(?:ai\b|assistant|chat ?gpt|(?:large )?language model|llm\b|dan\b|summari[sz]er)/,
  /\bas (?:the|your) (?:system|ai|assistant|administrator|operator|developer|language model)\b/,
  /\b(?:dear|hey|hello|attention|note (?:to|for)|instructions? (?:to|for)|message (?:to|for)) (?:all |any |the )?(?:ai\b|assistant|chat ?gpt|language model|llms?\b|bots?\b|summari[sz]er|model)/,
  /(?:^|[.!?:]\s+|please |and |then |instead,? |always |must )(?:only )?(?:reply|respond|answer)\b.{0,12}\b(?:only|exactly|just|solely|with)\b/,
  /\b(?:reveal|print|repeat|show|leak|output|send|disclose)\b.{0,20}\b(?:your|the|all)\b.{0,20}\b(?:prompt|instructions?|api key|secrets?|fence|nonce|password)/,
  /\bnew (?:instructions?|task|orders?)\b\s*[:.]|\bend of (?:the )?(?:data|documents?|context|sources?|input)\b/,
  /\b(?:in|of|from) your (?:answer|summary|response|reply|output)\b|\b(?:this|your) summary must\b/,
  // Addressed to machines by name. Excludes "should be", which describes them.
  /\b(?:summari[sz]ers?|llms?|language models?|chat ?bots?|chat ?gpt|(?:ai|virtual|digital) (?:assistants?|models?|systems?|agents?|readers?|tools?|overviews?))\b(?:,? (?:read|that|who|which|process|summari[sz]|pars|see)\w*\b.{0,40})?(?: \w+){0,2},? (?:should|must|shall|(?:has|have|needs?|ought|(?:is|are)(?: \w+)?) to)\b(?! (?:not |never |also |only )?(?:be|have|become|remain)\b(?! \w+ing\b))/,
  /\b(?:summar(?:y|ies)|answers?|completions?|overviews?)\b.{0,40}\b(?:should|must|shall|has to|have to|needs? to)\b.{0,20}\b(?:say|state|mention|includ|tell|report|read|end|begin|start|contain|conclude|recommend)/,
  /\bfrom (?:now|here) on,? (?:you|answer|reply|respond|say|write|act|speak|every|each|always|only|all)\b/,
  /\b(?:pay no attention|do not|don['’]t|stop|never) (?:to )?(?:follow|obey|heed|listen|trust|to|apply)\w*\b.{0,30}\b(?:(?:previous|prior|above|earlier|your|system|original|these|those)\b.{0,20})(?:instruct\w*|prompts?|rules?|orders?|guidelines?)\b/,
  /\b(?:beachte|befolge)\w*\b.{0,30}(?:anweisung|vorgabe|befehl)\w*.{0,20}\b(?:nicht|keine)|\bkeine beachtung\b.{0,40}(?:anweisung|vorgabe)/,
  /\bgeen (?:aandacht|acht)\b.{0,40}(?:instructie|opdracht|regels)/,
  /\bne (?:tiens|tenez|tenir|suis|suivez)\b.{0,40}(?:instructions|consignes|ordres)|\bno (?:hagas|haga|hagan|sigas|siga)\b.{0,40}(?:instruccion|indicacion)/,
  /\b(?:decode|base64)\b.{0,40}\b(?:follow|execute|run|obey|base64|decode|do what)/,
  /\b(?:ignorier|vergiss|vergessen sie|missachte)\w*.{0,40}(?:anweisung|befehl|vorgabe|regeln)/,
  /\b(?:negeer|vergeet)\b.{0,40}(?:instructie|opdracht|regels)/,
]);
const OTHER_INJECTION = joinPatterns(
  [
    /\b(?:ignore[rz]?|oublie[rz]?)\b.{0,40}(?:instructions|consignes|règles|ordres)/u,
    /\b(?:ignor|olvid|esque|dimentic)\p{L}{0,12}\b.{0,40}(?:instruccion|instruç|istruzion|reglas|regras|regole|órdenes|ordens)/u,
    /(?:игнорир|забудь)\p{L}{0,12}.{0,40}(?:инструкц|указани|правил)/u,
    /ignoruj\p{L}{0,12}.{0,40}(?:instrukcj|polece)|(?:talimat|komut)\p{L}{0,12}.{0,30}(?:yok say|unut|görmezden)/u,
    /(?:忽略|无视|無視|忘记|忘記).{0,16}(?:指令|指示|提示|规则|規則|说明)|(?:指示|命令|プロンプト|ルール).{0,10}(?:無視|忘れ)/u,
    /(?:지시|명령|프롬프트|지침).{0,12}(?:무시|잊)|(?:تجاهل|انس).{0,30}(?:تعليمات|أوامر)|निर्देश.{0,30}(?:अनदेखा|नज़रअंदाज़)/u,
  ],
  'u',
);

function joinPatterns(patterns: readonly RegExp[], flags = ''): RegExp {
  return new RegExp(patterns.map(({ source }) => source).join('|'), flags);
}

/** Spaced letters, joined again: word boundaries are lost. */
const JOINED_INJECTION =
  /(?:ignore|disregard|forget|override|bypass)(?:all|any|of|the|your|my|these|those|previous|prior|above|earlier|preceding){0,6}(?:instruction|prompt|rule|order|direction|command|guideline|context)|system(?:prompt|message)|youarenow(?:an?|the)?(?:ai|assistant|chatgpt|languagemodel|llm)|(?:reply|respond|answer)(?:only|just|exactly)?with/;

export function containsInjection(text: string): boolean {
  const lower = collapseSpaces(text.toLowerCase());
  if (ENGLISH_INJECTION.test(lower) || OTHER_INJECTION.test(lower)) return true;
  return listUndisguisedReadings(lower).some(
    (plain) => ENGLISH_INJECTION.test(plain) || JOINED_INJECTION.test(plain),
  );
}

/** The complete sentences before the first injection: what follows it belongs to the attack. */
export function cutBeforeInjection(text: string): string {
  if (!containsInjection(text)) return text;
  let before = '';
  for (const part of text.split(/(?<=[.!?؟।]\s)|(?<=[。！？\n])/u)) {
    // With the text before it, since an injection may span several sentences.
    if (containsInjection(before + part)) break;
    before += part;
  }
  return before;
}
