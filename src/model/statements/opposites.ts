/**
 * Whether two similar statements contradict each other: "is open" against "is closed" or "is not open". Knows negations
 * and pairs of opposites in the languages of most completions. Pure.
 */

/** What a statement asserts or denies. */
export type Polarity = {
  /** Of each pair of opposites that it names: 1 for the first, -1 for the second; negations reverse it. */
  signs: ReadonlyMap<number, 1 | -1>;
  /** Whether an odd number of its negations belongs to none of these. */
  isNegated: boolean;
  words: ReadonlySet<string>;
  /** `likely` of `unlikely`. */
  deniedWords: ReadonlySet<string>;
};

/** Of each pair, the words of both sides; `*` stands for any ending. */
const OPPOSITES: readonly (readonly [string, string])[] = [
  [
    `open opens opened opening reopen* offen* geöffnet* öffnet* wiedereröffnet* ouvert* ouvre* rouvr* rouvert* abiert*
     abre abren abrirá reabr* apert* apre aprono riapr* riapert* abert* opent geopend* heropen* открыт* откро* öppet* åpen*`,
    `closed closes closing closure shut shuts shutdown geschlossen* gesperrt* schließt schließen fermé* ferme ferment
     fermeture cerrad* cierra* cierre chius* chiude* chiusura fechad* fecha fecham gesloten sluit закрыт* закро* stängt* stengt*`,
  ],
  [
    `resume* resuming restart* reinstat* continue* wiederaufgenommen reprend* repris* reanud* riprend* retoma* hervat*`,
    `off suspend* halt halts halted stop stops stopped stopping cancel* scrapped eingestellt* ausgefallen abgesagt* gestoppt*
     annul* arrêt* sospes* cancelad* geannuleerd* gestaakt* отмен* остановл*`,
  ],
  [
    `begin* began begun start* beginnt begonnen gestartet commenc* empiez* comienz* inizia* começ* begint начал* начин*`,
    `end ends ended ending finish* concluded endet* beendet* termin* finaliz* finisc* acab* eindigt законч*`,
  ],
  [
    `rise* rising rose increas* grow grows grew growing climb* higher gain* steig* gestiegen* stieg* zugenommen höher*
     augment* hausse* sube* subi* aument* crec* stijg* gestegen рост* вырос* повыс*`,
    `fall falls fell fallen falling decreas* drop drops dropped declin* shrink* shrank lower* sink* gesunken* sank*
     abgenommen niedriger* baisse* diminu* recul* baja* disminuy* cae* diminui* daal* gedaald сниз* упал* уменьш*`,
  ],
  [
    `confirm* bestätig* conferm* bevestig* подтверд*`,
    `deny denies denied denying denial refut* disput* dementier* bestreit* bestritt* leugn* dément* nie nient desmient*
     desmint* nieg* neg* smentisc* smentit* ontken* опроверг*`,
  ],
  [
    `approv* accept* adopt* agreed backs backed genehmigt* zugestimmt angenommen beschlossen* bewilligt* approuv* aprob*
     aprov* goedgekeurd одобр*`,
    `reject* refus* veto* abgelehnt* verworfen* rejet* rechaz* respint* rejeit* afgewezen verworpen отклон*`,
  ],
  [
    `win wins won winning gewinn* gewann* gewonnen* siegt* gagn* gana ganó ganan ganaron vince vinto ganha* wint`,
    `lose loses lost losing defeated verlier* verlor* perd* pierde* pierden perdió verliest verloren проигр*`,
  ],
  [
    `alive survive* rescued gerettet* überleb* sauvé* survéc* rescatad* sobreviv* спасён* выжил*`,
    `dead died dies killed tot tote toten gestorben* getötet* mort morts tué* muert* murió morto morti погиб* умер*`,
  ],
  [
    `arrested detained jailed charged verhaftet* festgenommen* arrêté* detenid* арестов* задерж*`,
    `freed acquitted freigelassen* freigesprochen* libéré* acquitté* liberad* absuelt* освобожд* оправдан*`,
  ],
  [
    `allow* permit permits permitted legal* erlaubt* zugelassen* autoris* autoriz* permis permitid* toegestaan разреш*`,
    `ban bans banned banning forbid* forbade prohibit* outlaw* verboten* verbietet interdi* prohib* vietat* proibid* verboden
     verbiedt запре*`,
  ],
  [
    `succeed* success* erfolgreich* gelungen* réuss* éxito riuscit* sucesso geslaagd`,
    `fail fails failed failing failure* gescheitert* misslungen* échou* fracas* fallit* mislukt`,
  ],
  [
    `punctual* pünktlich*`,
    `late delay* verspätet* verspätung* retard* retras* ritardo* atras* vertraag* vertraging`,
  ],
  [
    `support supports supported supporting favor* favour* welcom* unterstütz* begrüß* soutien* soutenu* apoy* apoia*
     sostien* steunt`,
    `oppos* against criti* gegen kritisier* contre contra contro tegen`,
  ],
  [`guilty schuldig* coupable* culpable* colpevol*`, `innocent* unschuldig* inocent*`],
  [`safe sicher* sûr* segur* sicur*`, `danger* unsafe gefährlich* peligros* pericolos* perigos*`],
];

/** Ends are checked with the longest first. */
const MIN_PREFIX = 3;
const MAX_PREFIX = 14;
type Pole = { pair: number; sign: 1 | -1 };
const WHOLE_WORDS = new Map<string, Pole>();
const BEGINNINGS = new Map<string, Pole>();
for (const [pair, poles] of OPPOSITES.entries())
  for (const [i, list] of poles.entries())
    for (const word of list.split(/\s+/)) {
      const pole: Pole = { pair, sign: i === 0 ? 1 : -1 };
      if (word.endsWith('*')) BEGINNINGS.set(word.slice(0, -1), pole);
      else WHOLE_WORDS.set(word, pole);
    }

/** French `ne` and `n'` stand for `ne … pas`, `ne … plus` and the like. */
const NEGATIONS = new Set(
  `not no never nobody none neither nor without cannot nothing nicht kein keine keinen keiner keines keinem nie niemals niemand
   nichts ohne ne jamais aucun aucune nunca jamás ningún ninguna ninguno nadie tampoco non nessun nessuno nessuna senza não
   nenhum nenhuma ninguém sem niet geen nooit niets zonder не нет никогда никто ничего без inte ingen aldrig utan ikke değil
   yok لم لن ليس`.split(/\s+/),
);
/** `no` is a negation in English, Spanish and Italian, and "in the" in Portuguese. */
const PORTUGUESE = /[ãõ]|ç[ao]/u;
/** Japanese and Chinese, which have no spaces. */
const UNSPACED_NEGATION = /(?<!少)ない|なかった|ません|没有|沒有|并未|尚未|不会|不會|不再|不能/gu;

/** A negation reverses the next opposite that is at most this many words away. */
const NEGATION_REACH = 4;

/** Prefixes of words that deny the rest of the word: `unlikely`, `illegal`. */
const DENYING_PREFIX = /^(?:un|in|im|il|ir|dis)(?=.{4})/;

/** @param words all words of the statement in lower case, in order */
export function readPolarity(words: readonly string[], text: string): Polarity {
  const signs = new Map<number, 1 | -1>();
  const mixed = new Set<number>();
  const isPortuguese = PORTUGUESE.test(text);
  let free = [...text.matchAll(UNSPACED_NEGATION)].length;
  let open: number[] = [];
  for (const [i, word] of words.entries()) {
    if (NEGATIONS.has(word) && !(word === 'no' && isPortuguese)) {
      open.push(i);
      continue;
    }
    const pole = findPole(word);
    if (pole === undefined) continue;
    const near = open.filter((at) => i - at <= NEGATION_REACH);
    free += open.length - near.length;
    open = [];
    const sign = near.length % 2 === 0 ? pole.sign : pole.sign === 1 ? -1 : 1;
    if ((signs.get(pole.pair) ?? sign) !== sign) mixed.add(pole.pair);
    signs.set(pole.pair, sign);
  }
  for (const pair of mixed) signs.delete(pair);
  return {
    signs,
    isNegated: (free + open.length) % 2 === 1,
    words: new Set(words),
    deniedWords: new Set(
      words.flatMap((word) => (DENYING_PREFIX.test(word) ? [word.replace(DENYING_PREFIX, '')] : [])),
    ),
  };
}

function findPole(word: string): Pole | undefined {
  const whole = WHOLE_WORDS.get(word);
  if (whole !== undefined) return whole;
  for (let length = Math.min(MAX_PREFIX, word.length); length >= MIN_PREFIX; length--) {
    const pole = BEGINNINGS.get(word.slice(0, length));
    if (pole !== undefined) return pole;
  }
  return undefined;
}

/** Whether two statements about the same thing contradict each other. Symmetric. */
export function areOpposite(left: Polarity, right: Polarity): boolean {
  for (const [pair, sign] of left.signs) if ((right.signs.get(pair) ?? sign) !== sign) return true;
  if (left.isNegated !== right.isNegated)
    return !(left.isNegated ? excuses(right, left) : excuses(left, right));
  return denies(left, right) || denies(right, left);
}

/** "The ferry is canceled" says the same as "no ferry leaves": a word like "canceled" stands for the negation. */
function excuses(asserting: Polarity, { signs }: Polarity): boolean {
  for (const [pair, sign] of asserting.signs) if (sign === -1 && !signs.has(pair)) return true;
  return false;
}

function denies({ deniedWords, words }: Polarity, other: Polarity): boolean {
  for (const word of deniedWords)
    if (other.words.has(word) && !other.deniedWords.has(word) && !words.has(word)) return true;
  return false;
}
