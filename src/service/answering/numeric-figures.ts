/**
 * Extracts the figures of a text, in digits and in words, to compare two texts. Models invent figures in words as
 * readily as in digits.
 */

const DIGIT_FIGURE = /\p{Nd}+(?:[.,'’\u00a0\u202f]\p{Nd}+)*/u;
/** Superscripts, fractions, circled and Roman numerals; and Chinese numerals of two or more characters. */
const CHINESE_NUMERAL = '[〇零一二三四五六七八九十百千万萬億亿兆]{2,}';
const OTHER_NUMERAL = new RegExp(`[\\p{No}\\p{Nl}]+|${CHINESE_NUMERAL}`, 'u');
const FIGURE_TOKEN = new RegExp(
  `(?<figure>${DIGIT_FIGURE.source})|(?<other>${OTHER_NUMERAL.source})|(?:(?!${CHINESE_NUMERAL})\\p{L})+|[^\\s\\p{L}-]`,
  'gu',
);

/** `£1.65m`, `2bn`, `1,2 Mio.`, `10 тыс.`, `2 M€`: a figure, its unit, and what is around it. */
const CURRENCY = String.raw`(?:[\p{Sc}]|(?<!\p{L})(?:eur|usd|gbp|chf|fr|aud|cad|jpy|cny|inr|rs|sek|nok|dkk|pln|czk|kč|huf|rub|brl|rp|idr|zł|kr|(?:d['’])?euros?|dollars?)(?!\p{L})\.?)`;
const SPACE = String.raw`[ \u00a0\u2009\u202f]?`;
const UNITS: ReadonlyMap<string, number> = parseNumberTable(`k tsd tys tis тыс тис 1000; lakh lakhs 100000;
  m mm mn mln mio mill mi mkr jt млн 1000000; cr crore crores 10000000;
  b bn bln md mds mrd mld mlrd bi mdkr млрд 1000000000; t tn trn трлн 1000000000000`);
const NOTATION = new RegExp(
  `(?:(?<before>${CURRENCY}${SPACE})|(?<![\\p{L}.,]|\\p{Nd}[’'\u00a0\u202f]?))(?<figure>${DIGIT_FIGURE.source})(?<space>${SPACE})` +
    `(?<unit>${[...UNITS.keys()].sort((a, b) => b.length - a.length).join('|')})(?![\\p{L}\\p{N}])\\.?` +
    `(?=(?<after>${SPACE}${CURRENCY})|(?<counted>${SPACE}(?:people|users|customers|subscribers|visitors|viewers|views|voters|votes` +
    `|homes|households|doses|jobs|copies|followers|passengers|workers|tonnes|barrels|children|residents|patients|deaths|cases` +
    `|pounds|dollars|euros|shares|streams|downloads|members|students|vehicles|cars|tourists|refugees|citizens)(?!\\p{L}))|)`,
  'giu',
);
/** Units that are also others (metres, bytes, tonnes, karats) unless it is money, or what is counted says so. */
const ONLY_OF_MONEY = new Set('mm cr md mi bi jt t tn'.split(' '));

/** Whether a unit is a scale where it stands. */
function isScale(
  unit: string,
  { isMoney, isCounted, isAttached }: Record<'isMoney' | 'isCounted' | 'isAttached', boolean>,
): boolean {
  if (isMoney) return true;
  const lower = unit.toLowerCase();
  if (ONLY_OF_MONEY.has(lower)) return false;
  if (lower === 'm' || lower === 'b') return isCounted || (isAttached && unit !== lower);
  return lower === 'k' ? isAttached : true;
}

/** Chinese, Japanese and Korean scales behind digits: `3万`, `1億2000万`, `5천만`. */
const MYRIADS = parseNumberTable(`千 천 1000; 万 萬 만 10000; 百万 백만 1000000; 千万 千萬 천만 10000000;
  億 亿 억 100000000; 兆 조 1000000000000`);
/** Bounded, and from the beginning of a figure: digits may fill a text. */
const MYRIAD_FIGURE = String.raw`\p{Nd}{1,15}(?:[.,]\p{Nd}{1,9}){0,5}`;
const MYRIAD_PART = `${MYRIAD_FIGURE}(?:[百千]?[万萬]|[백천]?만|[千億亿兆천억조])`;
const MYRIAD = new RegExp(String.raw`(?<![\p{Nd}.,])(?:${MYRIAD_PART}){1,5}(?:${MYRIAD_FIGURE})?`, 'gu');

/** Groups of three digits between spaces: two at least, or one beside a currency, since `21 300` may be two figures. */
const SPACED = new RegExp(
  String.raw`(?<![\p{L}\p{Nd}.,]|\p{Nd} )(?:\p{Nd}{1,3}(?: \p{Nd}{3}){2,6}|(?<=${CURRENCY}${SPACE})\p{Nd}{1,3} \p{Nd}{3}` +
    String.raw`|\p{Nd}{1,3} \p{Nd}{3}(?=${SPACE}${CURRENCY}))(?!\p{Nd})`,
  'giu',
);

/** Writes shortened figures in full: `£1.65m` is `£1650000`. Metres stay metres: `1.65m`. */
function writeOut(text: string): string {
  return text
    .replace(SPACED, (groups) => groups.replaceAll(' ', ''))
    .replace(MYRIAD, (whole) => {
      const parts = whole.matchAll(new RegExp(`(${DIGIT_FIGURE.source})(\\P{Nd}*)`, 'gu'));
      return toPlainFigure(
        Array.from(
          parts,
          ([, figure = '', scale = '']) => readFigure(figure) * (MYRIADS.get(scale) ?? 1),
        ).reduce((a, b) => a + b),
      );
    })
    .replace(NOTATION, (whole, ...rest) => {
      const {
        before = '',
        figure,
        space,
        unit,
        after,
        counted,
      } = rest.at(-1) as Record<string, string | undefined>; // named groups come last
      const scale = UNITS.get(unit?.toLowerCase() ?? '');
      const isMoney = before !== '' || after !== undefined;
      const place = { isMoney, isCounted: counted !== undefined, isAttached: space === '' };
      if (scale === undefined || figure === undefined || unit === undefined || !isScale(unit, place))
        return whole;
      const value = readFigure(figure) * scale;
      return Number.isNaN(value) ? whole : `${before}${toPlainFigure(value)} `;
    });
}

function readFigure(figure: string): number {
  return Number(canonicalizeFigure(figure.normalize('NFKC')));
}

function toPlainFigure(value: number): string {
  return String(Number(value.toPrecision(12)));
}

/**
 * Each figure once. `1,250`, `1.250` and `1250` are equal, as are `3,5` and `3.5`, in the digits of any script, in
 * words, and in the short forms of news (`£1.65m`, `2bn`, `1,2 Mio.`, `3万`); `¾`, `Ⅷ` and `十二` are compared as they are.
 */
export function extractFigures(text: string): Set<string> {
  const tokens: string[] = [];
  const others: string[] = [];
  for (const { 0: token, groups } of writeOut(text).toLowerCase().matchAll(FIGURE_TOKEN)) {
    if (groups?.['figure'] !== undefined) tokens.push(canonicalizeFigure(token.normalize('NFKC')));
    else if (groups?.['other'] === undefined) tokens.push(token);
    else {
      // Circled digits become plain ones.
      const plain = token.normalize('NFKC');
      others.push(/^\d+$/.test(plain) ? canonicalizeFigure(plain) : token);
    }
  }
  return new Set([...readNumberWords(tokens), ...others]);
}

function canonicalizeFigure(figure: string): string {
  const digits = Array.from(figure, (mark) => (/\p{Nd}/u.test(mark) ? toAsciiDigit(mark) : mark)).join('');
  // Groups of three digits are thousands; in India, of two before the last.
  if (/^\d{1,3}(?:[.,'’\u00a0\u202f]\d{3})+$|^\d{1,2}(?:,\d{2})+,\d{3}$/.test(digits))
    return stripLeadingZeros(digits.replace(/\D/g, ''));
  return digits
    .split(/\D/)
    .map((part, i) => (i === 0 ? stripLeadingZeros(part) : part))
    .join('.');
}

function stripLeadingZeros(digits: string): string {
  return digits.replace(/^0+(?=\d)/, '');
}

/** The decimal digits of every script are consecutive code points, from zero. */
function toAsciiDigit(mark: string): string {
  if (mark >= '0' && mark <= '9') return mark;
  const at = mark.codePointAt(0) ?? 0;
  let zero = at;
  while (at - zero < 9 && /\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero -= 1;
  return String(at - zero);
}

// Numbers in words: English, German, French and Spanish, up to billions.

/**
 * Excludes what is an article or another word in one of these languages: one, ein, un, once, elf, cent alone, dos,
 * sept, seize.
 */
const SMALL_NUMBERS =
  parseNumberTable(`two zwei deux 2; three drei trois tres 3; four vier quatre cuatro 4; five fünf cinq cinco 5;
  six sechs seis 6; seven sieben siete 7; eight acht huit ocho 8; nine neun neuf nueve 9; ten zehn dix diez 10;
  eleven onze 11; twelve zwölf douze doce 12; thirteen dreizehn treize trece 13;
  fourteen vierzehn quatorze catorce 14; fifteen fünfzehn quinze quince 15; sixteen sechzehn dieciséis 16;
  seventeen siebzehn diecisiete 17; eighteen achtzehn dieciocho 18; nineteen neunzehn diecinueve 19;
  twenty zwanzig vingt vingts veinte 20; veintiuno 21; veintidós 22; veintitrés 23; veinticuatro 24;
  veinticinco 25; veintiséis 26; veintisiete 27; veintiocho 28; veintinueve 29; thirty dreißig trente treinta 30;
  forty vierzig quarante cuarenta 40; fifty fünfzig cinquante cincuenta 50;
  sixty sechzig soixante sesenta 60; seventy siebzig septante setenta 70; eighty achtzig ochenta 80;
  ninety neunzig nonante noventa 90; doscientos 200; trescientos 300; cuatrocientos 400; quinientos 500;
  seiscientos 600; setecientos 700; ochocientos 800; novecientos 900`);
const SCALES = parseNumberTable(`hundred hundreds hundert hunderte cien ciento cientos cents 100;
  thousand thousands tausend tausende mille miles 1000;
  million millions millionen millón millones 1000000;
  milioni milione milhões milhão miljoen miljoner milionów miliony миллион миллиона миллионов 1000000;
  millioner milionů milióny millió miljoona miljoonaa milioane milion milyon мільйон мільйонів juta triệu 1000000;
  тысяч тысячи тысяча тисяч mil tisíc tusen tusind tuhatta ribu bin 1000; lakh lakhs 100000; crore crores 10000000;
  billion billions milliarde milliarden milliard milliards miliardi miliardo miljard miljarder bilhões bilhão
  miliardów миллиард миллиарда миллиардов milliarder miliard miliardy milliárd miljardi miljardia miliarde milyar
  мільярд мільярдів tỷ 1000000000;
  trillion trillions billionen billones billón trilhões 1000000000000; dozen dozens dutzend douzaine docena 12`);
/** Only as part of a number: "twenty-one", "einundzwanzig", "vingt et un", "deux cent mille". */
const INNER_NUMBERS = parseNumberTable(
  'one ein eine eins un une uno una 1; sept 7; elf 11; seize 16; cent 100',
);
const CONNECTORS = new Set('and und et y'.split(' '));
const GERMAN_NUMBER_PART = new RegExp(
  `^(?:${[...SMALL_NUMBERS.keys(), ...SCALES.keys(), 'ein', 'und']
    .filter((word) => word.length > 2)
    .sort((a, b) => b.length - a.length)
    .join('|')})`,
);
const MAX_NUMBER_WORD_LENGTH = 60;

/** Whether a word is a number by itself. @param word in lower case */
export function isNumberWord(word: string): boolean {
  return SMALL_NUMBERS.has(word) || SCALES.has(word) || (splitNumberWord(word)?.length ?? 0) > 1;
}

/**
 * Reads numbers in words: `ninety thousand` is 90000, `einundzwanzig` 21, `quatre-vingt-dix` 90. Digits can precede a
 * scale: `3.5 million`.
 * @param tokens lower-case words, and digits from {@link canonicalizeFigure}, in the order of the text
 */
function readNumberWords(tokens: readonly string[]): string[] {
  const figures: string[] = [];
  let number = new SpokenNumber();
  const close = () => {
    const figure = number.toFigure();
    if (figure !== undefined) figures.push(figure);
    number = new SpokenNumber();
  };
  for (const token of tokens) {
    if (/^\d/.test(token)) {
      close();
      number.startWith(token);
      continue;
    }
    const parts = number.accepts(token) ? [token] : splitNumberWord(token);
    if (parts === undefined) {
      close();
      continue;
    }
    for (const part of parts) number.add(part);
  }
  close();
  return figures;
}

class SpokenNumber {
  /** The part below the last scale of a thousand or more. */
  #low = 0;
  #whole = 0;
  #words = 0;
  #last = 0;
  /** The original digits until a scale follows: `07.30` is not a quantity. */
  #digits: string | undefined;

  startWith(token: string): void {
    this.#digits = token;
    this.#low = Number(token);
    this.#words = 1;
  }

  accepts(word: string): boolean {
    if (this.#digits !== undefined) return SCALES.has(word) && !Number.isNaN(this.#low);
    if (SMALL_NUMBERS.has(word) || SCALES.has(word)) return true;
    return this.#words > 0 && (INNER_NUMBERS.has(word) || CONNECTORS.has(word));
  }

  add(word: string): void {
    const scale = word === 'cent' ? INNER_NUMBERS.get(word) : SCALES.get(word);
    const small = SMALL_NUMBERS.get(word) ?? INNER_NUMBERS.get(word);
    if (scale !== undefined) {
      this.#digits = undefined;
      if (scale < 1_000) this.#low = (this.#low || 1) * scale;
      else {
        // mil millones: one scale after another.
        if (this.#low === 0 && this.#whole > 0) this.#whole *= scale;
        else this.#whole += (this.#low || 1) * scale;
        this.#low = 0;
      }
      this.#words += 1;
    } else if (small !== undefined) {
      // quatre-vingt
      this.#low = small === 20 && this.#last === 4 ? this.#low - 4 + 80 : this.#low + small;
      this.#last = small;
      this.#words += 1;
    }
  }

  toFigure(): string | undefined {
    if (this.#words === 0) return undefined;
    return this.#digits ?? toPlainFigure(this.#whole + this.#low);
  }
}

/** Splits a compound of number words; undefined for any other word. */
function splitNumberWord(word: string): string[] | undefined {
  if (word.length > MAX_NUMBER_WORD_LENGTH) return undefined;
  const parts: string[] = [];
  for (let rest = word; rest !== ''; ) {
    const part = GERMAN_NUMBER_PART.exec(rest)?.[0];
    if (part === undefined) return undefined;
    parts.push(part);
    rest = rest.slice(part.length);
  }
  return parts.some((part) => SMALL_NUMBERS.has(part) || SCALES.has(part)) ? parts : undefined;
}

function parseNumberTable(lines: string): Map<string, number> {
  return new Map(
    lines.split(';').flatMap((line): [string, number][] => {
      const words = line.trim().split(/\s+/);
      const value = Number(words.pop());
      return words.map((word) => [word, value]);
    }),
  );
}
