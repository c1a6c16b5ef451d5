/** What kind of answer a question asks for, and whether a sentence looks like such an answer: a figure for "how much", a date for "when". */

/**
 * Patterns in all languages that have a list of frequent words. The signs of a kind apply to sentences in every language.
 * `isStrict`: every answer has the sign.
 */
type Kind = { asks: RegExp; signs: RegExp; isStrict?: true };

const begins = (words: string) =>
  new RegExp(String.raw`(?:^|[,;.]\s)[\s"“¿]*(?:${join(words)})(?![\p{L}\p{N}])`, 'iu');
const has = (words: string) =>
  new RegExp(String.raw`(?<![\p{L}\p{N}])(?:${join(words)})(?![\p{L}\p{N}])`, 'iu');

function join(words: string): string {
  return words
    .trim()
    .split('\n')
    .map((line) => line.trim())
    .join('|');
}

const MONTHS = `january|february|march|april|may|june|july|august|september|october|november|december|januar|februar|märz|mai|juni|juli|oktober|dezember
  janvier|février|mars|avril|juin|juillet|août|septembre|octobre|novembre|décembre|enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre
  diciembre|gennaio|febbraio|aprile|maggio|giugno|luglio|settembre|ottobre|dicembre|janeiro|fevereiro|março|junho|julho|setembro|outubro|novembro|dezembro`;
const DAYS = `monday|tuesday|wednesday|thursday|friday|saturday|sunday|montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag|lundi|mardi|mercredi|jeudi|vendredi
  samedi|dimanche|lunes|martes|miércoles|jueves|viernes|sábado|domingo|lunedì|martedì|mercoledì|giovedì|venerdì|sabato|domenica|segunda|terça|quarta|quinta|sexta`;
const NUMBERS = `(?:two|three|four|five|six|seven|eight|nine|ten|twelve|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|deux|trois|quatre|cinq|dos|tres|cuatro|cinco|due|tre|quattro|cinque|dois|duas|três|quatro)\\s(?:weeks?|days?|months?|years?|hours?|minutes?|times|percent|wochen|tagen?|monaten?|jahren?|stunden|minuten|mal|prozent|semaines|jours|mois|ans|heures|semanas|días|meses|años|horas|settimane|giorni|mesi|anni|ore|dias|anos)
  dozens?|hundreds?|thousands?|millions?|billions?|half|twice|hundert|tausend|millionen|milliarden|cent|mille|milliards|cien|mil|millones|cento|milioni|miliardi|milhões|bilhões`;

/** In order of precedence: "how long" before "how". */
const KINDS: readonly Kind[] = [
  {
    asks: has(`how much (?:does|do|is|are|did|was|were|will|would)[^?]{0,60}? (?:costs?|fee|price)|what (?:does|do|did|will|would)[^?]{0,60}? cost|was kostet|was kosten|wie viel kostet|wie teuer|quel est le prix|combien coûte
      cuánto cuesta|cuánto vale|quanto costa|quanto custa|hoeveel kost`),
    signs:
      /[€$£¥]\s?\p{Nd}|(?<!\p{Nd})\p{Nd}[\p{Nd}.,]{0,15}\s?(?:[€$£¥]|(?:million|billion|thousand|milliard|mil)?\s?(?:euros?|dollars?|pounds?|cents?|francs?|franken|yen|pesos?|reais|real|rupees?|kr|usd|eur|gbp)(?!\p{L}))|statt \p{Nd}{1,9} euro|quote \p{Nd}/iu,
    isStrict: true,
  },
  {
    asks: has(`how (?:much|many|long|old|far|high|tall|big|large|often|fast|deep|hot|cold|heavy|wide)|costs?|prices?|population|number of|percentage|salary|wie ?viele?
      wie (?:lange|hoch|teuer|alt|groß|oft|weit|schnell)|kostet|kosten|preise?|combien|prix|coûts?|coûtent|coûte|cuánt[oa]s?|cuestan?|precios?|coste|quant[oaie]|costano|costa|costo|prezzi|prezzo
      quant[oa]s?|custam?|custo|preços?|hoe (?:oud|lang|groot|hoog|ver|snel|vaak|zwaar)|hoeveel`),
    signs: new RegExp(
      String.raw`(?<![\p{L}\p{N}])(?!(?:1\d|20)\d\d(?!\d|[.,]\d))[€$£¥]?\p{Nd}|${has(NUMBERS).source}`,
      'iu',
    ),
  },
  {
    asks: has(
      `when (?:is|are|was|were|does|do|did|will|has|can|should)|what (?:date|year|time|day)|since when|wann|seit wann|quand|cuándo|quando|em que ano|in che anno|en qué año|en quelle année`,
    ),
    signs: new RegExp(
      String.raw`\b(?:1[5-9]|20)\d\d\b|\d{1,2}[.:/]\d{1,2}|${has(`${MONTHS}\n${DAYS}`).source}`,
      'iu',
    ),
  },
  {
    asks: begins(`who|whom|whose|wer|wen|wem|wessen|qui|quién|quiénes|chi|quem`),
    signs: /(?<!\p{L})\p{Lu}[\p{L}.]{1,30} (?:(?:de|da|von|van|der|la|di|du|al|bin) )?\p{Lu}\p{Ll}/u,
  },
  {
    asks: begins(
      `why|how come|what (?:causes?|caused|is causing|are the causes|are the reasons)|warum|wieso|weshalb|pourquoi|por qué|por que|perché|come mai`,
    ),
    signs:
      has(`because|due to|caused by|driven by|owing to|as a result of|reasons?|blamed?|thanks to|result of|so that|since|weil|wegen|aufgrund|grund|gründe|denn|dadurch|ursachen?|stamm(?:t|en)|führ(?:t|en) zu
      parce qu(?:e|['’])|en raison|à cause|dû|due|car|grâce|porque|debido|a causa|causas?|proviene|motivos?|razón|razones|poiché|proviene|dovut[oaie]|motivo|ragion[ei]|devido|vem (?:d[aeo]s?|sobretudo)|por causa|razão|razões`),
  },
  {
    asks: begins(`where|wo|woher|wohin|où|dónde|dove|onde`),
    signs:
      /(?<![\p{L}\p{N}])(?:in|at|near|on|from|off|bei|an|am|im|aus|à|au|en|dans|près de|cerca de|a|nel|nella|no|na|em)\s(?:the |la |le |el |los |il |o |a )?\p{Lu}\p{L}/u,
  },
  {
    asks: begins(`is|are|was|were|do|does|did|can|could|will|would|has|have|should|may|must|ist|sind|kann|darf|gibt es|hat|haben|lohnt|lohnen|soll|muss|wird|hilft|est-ce|est-il|peut-on|faut-il
      ¿?es|¿?son|¿?puede|¿?se puede|¿?hay|¿?está|è|sono|si può|posso|é|são|pode|há`),
    signs:
      has(`no|not|never|yes|cannot|can['’]t|don['’]t|doesn['’]t|isn['’]t|aren['’]t|evidence|confirmed|found that|shows? that|showed that|can|safe|unsafe|toxic|harmful|effective|worth|kein(?:e|en|er|em|es)?|nicht
      ja|belegt|sicher|giftig|aucune?|pas|oui|preuves?|ningun[oa]?|evidencias?|sí|segur[oa]|nessun[oa]?|non|prove|sicur[oa]|não|nenhum[a]?|evidências?|sim`),
  },
  {
    asks: begins(`how|wie|comment|cómo|come|como`),
    signs:
      has(`by \\p{L}+ing|using|uses?|works?|through|with|because|first|then|die[sd]?|death|steps?|indem|durch|mithilfe|nutzt|mit|en \\p{L}+ant|grâce|permet|mediante|a través|utiliza|attraverso|usa(?:ndo)?
      através|utilizando`),
  },
];

/** No spaces, and no words for the degree: "富士山の高さは". */
const UNSPACED_AMOUNT = /高さ|長さ|重さ|いくら|何(?:人|歳|年|メートル|キロ)|多少|多高|多大|多长/u;

type AnswerSign = {
  /** Whether a sentence looks like an answer. */
  test: (sentence: string) => boolean;
  /** Whether every answer does. */
  isStrict: boolean;
};

/** @returns what answers to the question look like; undefined: nothing in it says so */
export function readAnswerSign(prompt: string): AnswerSign | undefined {
  if (UNSPACED_AMOUNT.test(prompt)) return { test: (sentence) => /\p{Nd}/u.test(sentence), isStrict: false };
  const kind = KINDS.find(({ asks }) => asks.test(prompt));
  return kind && { test: (sentence) => kind.signs.test(sentence), isStrict: kind.isStrict === true };
}

/** Whether a sentence defines its subject: "Tidal power is …". */
const DEFINES =
  /^[^.!?;:]{2,160}?(?:^|[\s)])(?:is|are|was|were|refers to|ist|sind|war|waren|bezeichnet|est|sont|était|désigne|es|son|fue|era|è|sono|fu|é|são|foi|is een)\s/iu;

export function isDefinition(sentence: string): boolean {
  return DEFINES.test(sentence);
}
