/** The package has no types. Stop words by ISO 639-3 language code. */
declare module 'stopword' {
  type Words = readonly string[];
  export const ara: Words, dan: Words, deu: Words, eng: Words, fin: Words, fra: Words, ita: Words;
  export const jpn: Words, kor: Words, nld: Words, nob: Words, pol: Words, por: Words, rus: Words;
  export const spa: Words, swe: Words, tur: Words, ukr: Words, zho: Words;
}
