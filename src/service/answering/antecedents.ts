/**
 * Sentences that hang on what stands before them: "She was …", "When completed in 2011, it …", "Instead of …". Quoted alone,
 * they say something else, or something false.
 */

/** What of a language refers back. Alternatives of regular expressions, in lower case. */
type References = {
  /** Pronouns that are the subject: "she was". */
  subjects: string;
  /** Pronouns before a noun, and words that refer to the sentence before. They begin a sentence. */
  openings: string;
  /** Words after which an opening refers to nothing: "this week", "it is possible". */
  free: string;
  /** What begins a clause before the subject: "when completed in 2011, …". */
  clauses: string;
  /** Verbs that begin a sentence whose subject is left out. */
  verbs?: string;
};

const REFERENCES: Readonly<Record<string, References>> = {
  en: {
    subjects: 'he|she|it|they|this|these|that|those',
    openings: `its|his|her|their|theirs|such|both|neither|another|others?|similarly|however|instead|therefore|thus|hence|moreover
      |furthermore|also|additionally|in addition|as a result|as such|for this reason|that is why|because of (?:this|that)|then|later|afterwards
      |meanwhile|nevertheless|nonetheless|otherwise|but|and|yet|so|or|there,|here,|the (?:former|latter|same|two|others?)|in (?:contrast|turn)
      |on the other hand|by contrast|for (?:example|instance)|according to (?:him|her|them|it)|following (?:this|that)|after (?:this|that)
      |despite (?:this|that)|at the time|at that time|the (?:\\p{L}+est|first|second|third|last|most \\p{L}+|rest|result|results) (?:is|was|are|were|has|had|have)|the company|the drug|the study|the plant|the project|the agency|the report`,
    free: `(?:in )?this (?:paper|work|article|letter|thesis|review|guide|post) |(?:this|these|that|those) (?:past |coming |last |next )?(?:week|weekend|year|month|morning|afternoon|evening|summer|winter|spring|autumn|fall|season|days|time)
      |that said|it(?: is|'s|’s| was| would be| may be| can be| could be| remains| has been) (?:\\w+ly |not |also |still )?(?:possible|impossible|safe|unsafe|important|likely|unlikely
      |illegal|legal|necessary|hard|difficult|easy|better|best|clear|unclear|true|worth|common|estimated|believed|thought|expected|recommended|feared
      |raining|snowing|time|hoped|uncertain|unknown) |it (?:seems|appears) that|so far|so many|so much|both .{1,40} and |or else
      |and yet|such as|another (?:\\d+|two|three|four|five|ten|hundred|thousand|million) `,
    clauses: `when|after|before|in|on|at|as|since|while|once|although|though|because|if|until|by|during|from|with|under|despite|following|born|built|completed
      |founded|opened|launched|for|through|between|unlike|like|instead of|rather than|having|being|initially|originally|today|now|eventually|finally|first|subsequently|currently`,
  },
  de: {
    subjects: 'er|sie|es',
    openings: `dies|diese[rsmn]?|jene[rsmn]?|ihre?[rsmn]?|seine?[rsmn]?|deren|dessen|ihm|ihnen|ihn|dort|dabei|damit|dadurch|dagegen|daher|darum|deshalb|deswegen|stattdessen
      |jedoch|allerdings|außerdem|zudem|auch|danach|daraufhin|später|hierbei|hierfür|beide|letztere[rsmn]?|erstere[rsmn]?|dazu|davon|darin|darüber|somit|trotzdem|dennoch
      |aber|und|doch|denn|oder|so|solche[rsmn]?|hinzu kommt|zum beispiel|anstelle|anstatt|statt(?:dessen)?|dann|das (?:ist|war|hat|hatte|wird|wurde|kann|könnte|bedeutet|liegt
      |geht|macht|soll|gilt|heißt|führt|zeigt|entspricht)|der (?:ist|war|hat|wird|wurde)|die (?:ist|war|hat|wird|wurde|sind|waren|haben|werden)`,
    free: `in dieser arbeit|diese[rsmn]? (?:woche|monat|monats|jahr|jahres|tage|sommer|winter|frühjahr|herbst|saison)|es (?:gibt|gab|regnet|schneit|geht um|ist (?:nicht |auch )?(?:möglich|wichtig|sicher
      |unklar|klar|wahrscheinlich|unwahrscheinlich|verboten|erlaubt|nötig|schwer|leicht))|so weit|so viele?|statt (?!dessen)\\p{Lu}.{1,60} (?:wird|werden|soll|sollen)`,
    clauses: `in|im|am|an|seit|nach|vor|bei|mit|von|zum|zur|durch|als|während|nachdem|obwohl|wenn|weil|bis|für|unter|aus|anders als|heute|zunächst|ursprünglich|inzwischen|\\d{4}`,
  },
  fr: {
    subjects: 'il|elle|ils|elles|ce|cela|ça|celui-ci|celle-ci|ceux-ci|celles-ci',
    openings: `cet|cette|ces|c['’](?:est|était)|son|sa|ses|leurs?|lui|en effet|cependant|toutefois|ainsi|donc|de plus|ensuite|puis|mais|et|or|par ailleurs|également|au lieu de
      |dès lors|là|en revanche|pourtant|néanmoins|par conséquent|par exemple|aussi|les deux|ce dernier|cette dernière|ces derniers|à l['’]inverse|plus tard`,
    free: `dans cet article|cet article|cette (?:semaine|année|nuit|saison|fois)|ce (?:mois|matin|soir|week-end|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|printemps)|cet (?:été|hiver|automne)|il (?:y a|faut|pleut|neige
      |est (?:possible|important|interdit|probable|difficile|nécessaire|clair))`,
    clauses: `en|dans|à|au|après|avant|depuis|lors|lorsque|quand|pendant|durant|comme|si|pour|par|avec|sans|sous|malgré|bien que|née?|construite?|fondée?|d['’]abord|aujourd['’]hui|contrairement`,
  },
  es: {
    subjects: 'él|ella|ello|ellos|ellas|esto|eso|éste|ésta|aquello',
    openings: `este|esta|estos|estas|ese|esa|esos|esas|aquel|aquella|su|sus|además|sin embargo|no obstante|también|por eso|por ello|por (?:lo )?tanto|así|entonces|luego|después|pero|y|allí|ahí
      |ambos|ambas|dich[oa]s?|en cambio|en lugar de|en vez de|por ejemplo|o|más tarde|asimismo|el mismo|la misma|est[ea] últim[oa]`,
    free: `est[ea]s? (?:semana|mes|año|mañana|tarde|noche|verano|invierno|otoño|primavera|lunes|martes|miércoles|jueves|viernes|sábado|domingo|días|fin de semana)
      |es (?:posible|importante|probable|ilegal|legal|seguro|necesario|difícil|fácil|mejor)|y eso que`,
    clauses: `en|a|al|tras|después de|antes de|desde|cuando|durante|como|si|para|por|con|sin|bajo|aunque|a pesar de|nacid[oa]|construid[oa]|fundad[oa]|hoy|inicialmente`,
    verbs: `fue|era|es|está|estaba|murió|falleció|nació|tiene|tenía|tuvo|se trata|consiste|ganó|cuenta|incluye|permite|publicó|recibió|sirve|pertenece|mide|pesa|ocupa|comenzó|empezó`,
  },
  it: {
    subjects: 'lui|lei|egli|ella|esso|essa|essi|esse|loro|ciò|costui|costei',
    openings: `questo|questa|questi|queste|quello|quella|quelli|quelle|suo|sua|suoi|sue|inoltre|tuttavia|però|anche|così|quindi|poi|dunque|ma|e|ed|lì|là|entrambi|entrambe|invece|al contrario
      |al posto di|per esempio|ad esempio|o|oppure|più tardi|successivamente|in seguito|tale|tali|quest['’]ultim[oa]|pertanto|perciò`,
    free: `quest[aoe']{1,2}\\s?(?:settimana|mese|anno|mattina|sera|notte|estate|inverno|autunno|primavera|lunedì|martedì|mercoledì|giovedì|venerdì|sabato|domenica)|è (?:possibile|importante|probabile|illegale
      |sicuro|necessario|difficile|facile|meglio)`,
    clauses: `in|nel|nella|a|al|dopo|prima|dal|da|quando|durante|come|se|per|con|senza|sotto|sebbene|nonostante|nat[oa]|costruit[oa]|fondat[oa]|oggi|inizialmente`,
    verbs: `è|fu|era|ha|aveva|ebbe|nacque|morì|si tratta|viene|venne|consiste|vinse|conta|include|permette|pubblicò|ricevette|serve|appartiene|misura|pesa|sono stat[aei]`,
  },
  pt: {
    subjects: 'ele|ela|eles|elas|isto|isso|aquilo',
    openings: `este|esta|estes|estas|esse|essa|esses|essas|aquele|aquela|seus?|suas?|além disso|no entanto|porém|contudo|também|assim|então|depois|mas|e|lá|ali|ambos|ambas|em vez d[eoa]|ao invés
      |por exemplo|ou|mais tarde|portanto|por isso|tal|tais|dess[ea]|nest[ea]|dest[ea]|o mesmo|a mesma`,
    free: `(?:n?est[ea]s?|n?ess[ea]s?) (?:semana|mês|ano|manhã|tarde|noite|verão|inverno|outono|primavera|segunda|terça|quarta|quinta|sexta|sábado|domingo|dias)|é (?:possível|importante|provável|ilegal|seguro
      |necessário|difícil|fácil|melhor)`,
    clauses: `em|no|na|a|ao|após|depois de|antes de|desde|quando|durante|como|se|para|por|com|sem|sob|embora|apesar|nascid[oa]|construíd[oa]|fundad[oa]|hoje|inicialmente`,
    verbs: `é|foi|era|está|estava|morreu|faleceu|nasceu|tem|tinha|teve|trata-se|consiste|ganhou|conta|inclui|permite|publicou|recebeu|serve|pertence|mede|pesa`,
  },
  nl: {
    subjects: 'hij|zij|ze|het (?:is|was|heeft|werd|wordt|kan)|dit|dat|deze|die',
    openings:
      'zijn|haar|hun|daarom|daarnaast|daarna|echter|ook|maar|en|bovendien|toch|daardoor|hierdoor|beide|in plaats van|bijvoorbeeld',
    free: 'deze (?:week|maand|zomer|winter|ochtend)|dit jaar|het is (?:mogelijk|belangrijk|verboden)',
    clauses: 'in|op|na|voor|sinds|toen|tijdens|als|bij|met|door|vanaf',
  },
  ru: {
    subjects: 'он|она|оно|они|это',
    openings:
      'эт(?:от|а|и|ого|ой|их|ому|им)|его|её|ее|их|однако|также|но|а|и|поэтому|затем|позже|там|кроме того|вместо этого|например|оба|такой|такая|такие',
    free: 'на этой неделе|в этом году',
    clauses: 'в|после|до|с|когда|во время|при|на',
  },
};

/** Scripts without spaces: what begins a sentence there. */
const UNSPACED =
  /^(?:これ|それ|あれ|彼|彼女|この|その|あの|ここ|そこ|しかし|また|そして|だから|さらに|一方|它|他|她|这|那|其|但|然而|因此|此外|同时|这些|那些|所以)/u;
const UNSPACED_FREE = /^(?:このほど|この日本|その後の|他人|他の|其中一|这周|这次|今)/u;

type Patterns = { free: RegExp; subject: RegExp; opening: RegExp; late: RegExp };

/** "Designed by Owings & Merrill, it is …": what comes before only describes the subject. */
const DESCRIBED = /^\p{Lu}\p{L}+(?:ed|ing|wn|lt|nt|de) [^.;]{0,160}?, (he|she|it|they)\s/u;

const patterns = new Map<string, Patterns>();

function findPatterns(language: string): Patterns | undefined {
  const known = patterns.get(language);
  const references = REFERENCES[language];
  if (known !== undefined || references === undefined) return known;
  const list = (words: string) => words.replace(/\n\s*/gu, '');
  const { subjects, openings, free, clauses, verbs } = references;
  const begins = String.raw`^["“„«'‘(]?\s*`;
  const ends = String.raw`(?![\p{L}\p{N}'’-])`;
  const made: Patterns = {
    free: new RegExp(`${begins}(?:${list(free)})`, 'iu'),
    subject: new RegExp(`${begins}(${list(subjects)})(?:['’](?:s|re|ll|d|ve))?${ends}`, 'iu'),
    opening: new RegExp(
      `${begins}(?:${list(openings)}${verbs === undefined ? '' : `|${list(verbs)}`})(?:${ends}|(?<=[,'’]))`,
      'iu',
    ),
    // In German, the subject stands behind the verb: "2011 wurde es".
    late: new RegExp(
      language === 'de'
        ? `${begins}(?:${list(clauses)})${ends}[^.,;]{0,60}?,?\\s(${list(subjects)})${ends}`
        : `${begins}(?:${list(clauses)})${ends}([^.;,]{0,70}?),?\\s(${list(subjects)})${ends}`,
      'iu',
    ),
  };
  patterns.set(language, made);
  return made;
}

/** Months and days begin with capitals and name nothing that a pronoun could stand for. */
const CALENDAR =
  /^(?:January|February|March|April|May|June|July|August|September|October|November|December|Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday|I)$/;

/** Whether a clause names something in capitals: "When Curie died, she …" refers to itself. */
function namesSomething(clause: string): boolean {
  return (clause.match(/(?<=\s)\p{Lu}[\p{L}\p{M}]+/gu) ?? []).some((word) => !CALENDAR.test(word));
}

/**
 * What of a sentence refers back, in lower case: the pronoun that is its subject, or '' for any other word; null if it
 * stands alone.
 * @param language of the text, ISO 639-1; null: as English
 */
export function findReference(sentence: string, language: string | null): string | null {
  if (UNSPACED.test(sentence)) return UNSPACED_FREE.test(sentence) ? null : '';
  const known = findPatterns(language ?? 'en');
  if (known === undefined || known.free.test(sentence)) return null;
  const subject = known.subject.exec(sentence)?.[1];
  if (subject !== undefined) return subject.toLowerCase();
  if (known.opening.test(sentence)) return '';
  const described = language === 'en' || language === null ? DESCRIBED.exec(sentence)?.[1] : undefined;
  if (described !== undefined) return described;
  const late = known.late.exec(sentence);
  if (late === null) return null;
  const pronoun = late.at(-1)?.toLowerCase() ?? '';
  // German capitals are nouns.
  if (language === 'de') return /\s(?:es (?:gibt|regnet|geht)|dass|ob)\s/iu.test(late[0]) ? null : pronoun;
  return namesSomething(late[1] ?? '') ? null : pronoun;
}

/** Whether a title can be what a pronoun stands for: the sentence before begins with the words of the title. */
export function isSubjectOf(title: string, sentence: string): boolean {
  const beginning = listWords(sentence.slice(0, title.length + MAX_ARTICLE_LENGTH));
  // "Mercury (planet)": what is in brackets only distinguishes it.
  const words = listWords(title.replace(/\([^()]{0,80}\)/gu, ' '));
  return words.length > 0 && words.every((word) => beginning.includes(word));
}

/** What may stand around a title at the beginning of a sentence: an article, another spelling of a name. */
const MAX_ARTICLE_LENGTH = 40;

function listWords(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]{2,}/gu) ?? [];
}
