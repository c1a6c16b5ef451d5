/**
 * Words that a sentence may only use if its sources do: negations, accusations, names and instructions to the reader.
 * An invented accusation does more harm than five other invented words.
 */

const NEGATION =
  /(?<!\p{L})(?:not|no|never|none|nobody|nothing|nowhere|neither|nor|cannot|without|\p{L}+n['’]t|nicht|kein\p{L}{0,2}|nie|niemals|niemand|nichts|ohne|pas|jamais|aucune?|rien|sans|nunca|jamás|nada|nadie|ning[uú]n\p{L}?|sin|geen|niet|nooit|non|mai|nessun\p{L}?|senza|não|nem|sem)(?!\p{L})|[不没沒未无無]|ない|ません|안 |않|(?<!\p{L})(?:не|нет|ни|без|nie|bez|لا|لم|لن|ليس)(?!\p{L})/iu;

/** Compared by the first four letters, since endings differ. */
const GRAVE_WORD =
  /^(?:murder|kill|stole|steal|theft|thief|arrest|resign|cancel|hoax|fraud|scam|fake|brib|rap(?:e[ds]?|ist)$|terror|bankrupt|guilt|crimin|suicid|dead|deadly|die[ds]?$|death|bomb|attack|bann|liar|corrupt|abus|poison|explo[ds]|crash|convict|indict|jail|prison|evacuat|traitor|treason|nazi|pedophil|paedophil|mord|getötet|töte|gestohlen|verhaft|zurückgetreten|abgesagt|betrug|korrupt|tot$|tote[rn]?$|starb|gestorben|gefängnis|meurtr|assassin|arrêt|démission|annul|fraude|voleur?$|mort[es]*$|asesin|muert|deten|dimit|cancelad|estafa|robo$|robó)/u;

const COMMAND_VERBS =
  'buy|sell|vote|wire|send|transfer|visit|click|call|pay|subscribe|download|install|donate|invest|join|contact|email|text|dial|follow|share|scan|book|register|boycott|order|enter|type|tap|go|give|take|bring|trust|believe|tell|ask|use|try|get|avoid|stop|watch|read|see|check|write|log|sign|kaufen?|kauft|verkaufen?|wähl\\p{L}*|überweis\\p{L}*|schick\\p{L}*|besuch(?:e|t|en)|klick\\p{L}*|ruf(?:t|en)?|zahl(?:e|t|en)|spende[tn]?|achetez|achète|votez|vote[sz]?|envoyez|virez|visitez|cliquez|appelez|payez|donnez|compr(?:a|e|en|ad)|vot[ae]|env[ií][ae]|visit[ae]|pag(?:a|ue)|llam[ae]|haz';
/** At the start of a sentence or clause, and after words that introduce an instruction. */
const COMMAND_PHRASE = new RegExp(
  `(?:^[^\\p{L}\\p{N}]*|[,;:–—(!?"“”„«»]\\s*|(?<!\\p{L})(?:please|now|and|then|or|so|must|should|just|always|today|bitte|und|jetzt|et|puis|y|ahora)\\s+)(${COMMAND_VERBS})(?!\\p{L})`,
  'giu',
);

/** @returns the guarded words of a sentence, in lower case and truncated; a source must have a word that starts with each */
export function listGraveWords(sentence: string): string[] {
  const words = sentence.toLowerCase().match(/\p{L}+/gu) ?? [];
  const commands = Array.from(sentence.matchAll(COMMAND_PHRASE), ([, verb]) => (verb ?? '').toLowerCase());
  return [...words.filter((word) => GRAVE_WORD.test(word)), ...commands].map((word) => word.slice(0, 4));
}

export function containsNegation(text: string): boolean {
  return NEGATION.test(text);
}

/** Mentions and hashtags. */
export function listTags(text: string): string[] {
  return text.toLowerCase().match(/[@#][\p{L}\p{N}_]+/gu) ?? [];
}

const GERMAN_WORD =
  /(?<!\p{L})(?:der|die|das|und|ist|nicht|ein|eine|einem|einen|von|mit|für|den|dem|des|im|am|auf|wird|wurde|sind|bei|zum|zur|nach)(?!\p{L})/giu;
const CAPITALIZED_NAME =
  /(?<=[\p{L}\p{N},;.]['’]?[)\]]?[\s/-])\p{Lu}[\p{L}\p{M}]+|(?<!\p{L})\p{Lu}{3,}(?!\p{L})/gu;

/** Names in a sentence, in lower case. German capitalizes every noun, so only words in all capitals count there. */
export function listNames(sentence: string): string[] {
  const names = sentence.match(CAPITALIZED_NAME) ?? [];
  const isGerman = (sentence.match(GERMAN_WORD) ?? []).length >= 2;
  return names.filter((name) => !isGerman || name === name.toUpperCase()).map((name) => name.toLowerCase());
}
