/** Numbers in words: English, German, French, Spanish; up to the billions. */

/**
 * Left out is what is an article or another word in a neighbour's language: one, ein, un, once, elf, cent alone,
 * dos, sept, seize.
 */
const SMALL =
  table(`two zwei deux 2; three drei trois tres 3; four vier quatre cuatro 4; five fünf cinq cinco 5;
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
const SCALE = table(`hundred hundreds hundert hunderte cien ciento cientos cents 100;
  thousand thousands tausend tausende mille mil miles 1000;
  million millions millionen millón millones 1000000;
  billion billions milliarde milliarden milliard milliards 1000000000; dozen dozens dutzend douzaine docena 12`);
/** Only inside a number: "twenty-one", "einundzwanzig", "vingt et un", "deux cent mille". */
const INSIDE = table('one ein eine eins un une uno una 1; sept 7; elf 11; seize 16; cent 100');
const BETWEEN = new Set('and und et y'.split(' '));
const GERMAN_PART = new RegExp(
  `^(?:${[...SMALL.keys(), ...SCALE.keys(), 'ein', 'und']
    .filter((word) => word.length > 2)
    .sort((a, b) => b.length - a.length)
    .join('|')})`,
);
const LONGEST = 60;

/** @param word in lower case; whether it says a number, alone */
export function isNumberWord(word: string): boolean {
  return SMALL.has(word) || SCALE.has(word) || (partsOf(word)?.length ?? 0) > 1;
}

/**
 * The numbers that a row of words says: `ninety thousand` is 90000, `einundzwanzig` 21, `quatre-vingt-dix` 90.
 * A number in digits may stand before a scale: `3.5 million`.
 * @param tokens words in lower case and digits as `figuresOf` writes them, in the order of the text
 */
export function numbersIn(tokens: readonly string[]): string[] {
  const found: string[] = [];
  let number = new Spoken();
  const close = () => {
    const said = number.said();
    if (said !== undefined) found.push(said);
    number = new Spoken();
  };
  for (const token of tokens) {
    if (/^\d/.test(token)) {
      close();
      number.digits(token);
      continue;
    }
    const parts = number.takes(token) ? [token] : partsOf(token);
    if (parts === undefined) {
      close();
      continue;
    }
    for (const part of parts) number.add(part);
  }
  close();
  return found;
}

class Spoken {
  /** Below the last scale of a thousand and more. */
  #low = 0;
  #whole = 0;
  #words = 0;
  #last = 0;
  /** As it stood, for as long as no scale follows: `07.30` is no number to count with. */
  #digits: string | undefined;

  digits(token: string): void {
    this.#digits = token;
    this.#low = Number(token);
    this.#words = 1;
  }

  takes(word: string): boolean {
    if (this.#digits !== undefined) return SCALE.has(word) && !Number.isNaN(this.#low);
    if (SMALL.has(word) || SCALE.has(word)) return true;
    return this.#words > 0 && (INSIDE.has(word) || BETWEEN.has(word));
  }

  add(word: string): void {
    const scale = word === 'cent' ? INSIDE.get(word) : SCALE.get(word);
    const small = SMALL.get(word) ?? INSIDE.get(word);
    if (scale !== undefined) {
      this.#digits = undefined;
      if (scale < 1_000) this.#low = (this.#low || 1) * scale;
      else {
        this.#whole += (this.#low || 1) * scale;
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

  said(): string | undefined {
    if (this.#words === 0) return undefined;
    return this.#digits ?? String(Number((this.#whole + this.#low).toPrecision(12)));
  }
}

/** The parts of a word that is made of number words alone, undefined of any other. */
function partsOf(word: string): string[] | undefined {
  if (word.length > LONGEST) return undefined;
  const parts: string[] = [];
  for (let rest = word; rest !== ''; ) {
    const part = GERMAN_PART.exec(rest)?.[0];
    if (part === undefined) return undefined;
    parts.push(part);
    rest = rest.slice(part.length);
  }
  return parts.some((part) => SMALL.has(part) || SCALE.has(part)) ? parts : undefined;
}

function table(lines: string): Map<string, number> {
  return new Map(
    lines.split(';').flatMap((line): [string, number][] => {
      const words = line.trim().split(/\s+/);
      const value = Number(words.pop());
      return words.map((word) => [word, value]);
    }),
  );
}
