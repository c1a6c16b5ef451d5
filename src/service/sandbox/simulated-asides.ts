/**
 * What people add to what they say about a topic: with whom, where and when. A topic has some ten sentences, and posts of one
 * sentence would all be near-equal: asides differ in three places or more, so two of one template share less than two thirds of
 * their pairs of words (`model/story-sketch.ts`).
 */
import { createDraw, deriveKey, type Draw, hashKey, pickOne } from './random.ts';
import { fillSlots } from './template-slots.ts';
import type { Language } from './simulated-topic.ts';

type Asides = {
  /** Sentences with the slots {name} {spot} {day} {time} {n}. */
  sentences: readonly string[];
  names: readonly string[];
  /** Places of everybody's days, as they stand in a sentence. */
  spots: readonly string[];
  days: readonly string[];
};

const GIVEN = 'Tove Ruan Amara Jonas Mirel Pelle Suri Kofi Lene Odo Yuna Bram Esme Tariq Vela Ida'.split(' ');
const FAMILY = 'Thorsund Lindqvist Ekstad Aubry Karst Marrow Sandoval Okoye Brandt Solau'.split(' ');
const NAMES = GIVEN.flatMap((given) => FAMILY.map((family) => `${given} ${family}`));

/** Someone of this world. */
export function drawName(draw: Draw): string {
  return pickOne(draw, NAMES);
}

const ASIDES: Record<Language, Asides> = {
  en: {
    sentences: [
      '{name} sent me the picture at {time} and I looked at it {n} times {spot}.',
      'Told {name} about it {spot}; the answer came at {time} and took {n} minutes.',
      'On {day} {name} and I compared notes {spot}, {n} lines, done by {time}.',
      'At {time} I heard the same from {name} {spot}, and {n} people nodded.',
      'Bet {name} {n} crowns {spot} that nobody mentions it again before {day} at {time}.',
      'Page {n} of my diary, {day}, {time}: {name} was right, {spot} of all places.',
      'Missed bus {n} {spot} at {time} because {name} would not stop talking.',
      '{day}, {spot}: {name} asked {n} questions before {time} and I had one answer.',
      'If you meet {name} {spot}, ask about {day}, about {time} and about the {n} letters.',
      'Thanks to {name} for {n} messages between {time} and my stop {spot}.',
      '{name} drew a map of it {spot}, {n} arrows, finished on {day} at {time}.',
      'My alarm said {time}, {name} said {n} more minutes, and we met {spot} after all.',
      'It cost me {n} crowns and a talk with {name} {spot}, from {time} on.',
      'Between {time} and the last tram {name} told it {n} times {spot}.',
      'Wrote to {name} on {day}, got {n} words back at {time}, read them {spot}.',
      'Only {name} stayed {spot} until {time}; {n} others went home on {day} already.',
    ],
    names: NAMES,
    spots: [
      'at the bakery',
      'on the ferry',
      'in the stairwell',
      'behind the school',
      'at work',
      'on the roof',
      'by the river',
      'in the waiting room',
      'at the kitchen table',
      'in the garden',
      'under the bridge',
      'at the hairdresser',
      'in the back row',
      'next to the copier',
    ],
    days: ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'],
  },
  de: {
    sentences: [
      '{name} hat mir um {time} davon erzählt, {spot}, und {n} Leute hörten zu.',
      'Am {day} saß ich mit {name} {spot}, um {time} waren wir {n} Seiten weiter.',
      'Um {time} schrieb {name} noch {n} Nachrichten, ich las sie am {day} {spot}.',
      'Habe mit {name} {spot} um {n} Kronen gewettet, dass es bis {day} um {time} so bleibt.',
      'Seite {n} im Kalender, {day}, {time}: {name} hatte {spot} recht.',
      '{spot} fragte mich {name} um {time} schon zum {n}. Mal danach.',
      'Wegen {name} habe ich {spot} den Bus {n} um {time} verpasst.',
      'Wer {name} am {day} {spot} trifft: bitte nach {time} und den {n} Briefen fragen.',
      'Mein Wecker sagte {time}, {name} sagte {n} Minuten, getroffen haben wir uns {spot}.',
      'Danke an {name} für {n} Zeilen, am {day} um {time} {spot} geschrieben.',
    ],
    names: NAMES,
    spots: [
      'beim Bäcker',
      'im Treppenhaus',
      'am Küchentisch',
      'auf der Fähre',
      'hinter der Schule',
      'im Wartezimmer',
      'im Garten',
      'unter der Brücke',
      'in der Mittagspause',
      'am Fluss',
    ],
    days: ['Montag', 'Dienstag', 'Mittwoch', 'Donnerstag', 'Freitag', 'Samstag', 'Sonntag'],
  },
  fr: {
    sentences: [
      '{name} m’en a parlé à {time} {spot}, et {n} personnes écoutaient.',
      'Le {day}, {name} et moi avons relu {n} pages {spot}, fini à {time}.',
      'À {time}, {name} m’a envoyé {n} messages, lus {day} {spot}.',
      'J’ai parié {n} couronnes avec {name} {spot} que cela dure jusqu’à {day}, {time}.',
      'Page {n} de mon carnet, {day}, {time} : {name} avait raison {spot}.',
      'À cause de {name} j’ai raté le bus {n} de {time} {spot}.',
      'Si vous voyez {name} {spot}, parlez de {day}, de {time} et des {n} lettres.',
      'Mon réveil disait {time}, {name} disait {n} minutes, on s’est vus {spot}.',
      'Merci à {name} pour les {n} lignes écrites {spot} {day} à {time}.',
      '{name} a attendu {spot} jusqu’à {time}, les {n} autres sont partis {day}.',
    ],
    names: NAMES,
    spots: [
      'à la boulangerie',
      'sur le ferry',
      'dans l’escalier',
      'derrière l’école',
      'au bureau',
      'sur le toit',
      'au bord de l’eau',
      'dans la salle d’attente',
      'à la cuisine',
      'au jardin',
    ],
    days: ['lundi', 'mardi', 'mercredi', 'jeudi', 'vendredi', 'samedi', 'dimanche'],
  },
  es: {
    sentences: [
      '{name} me lo contó a las {time} {spot}, y {n} personas escuchaban.',
      'El {day} {name} y yo leímos {n} páginas {spot}, hasta las {time}.',
      'A las {time} {name} me mandó {n} mensajes, los leí el {day} {spot}.',
      'Aposté {n} coronas con {name} {spot} a que dura hasta el {day} a las {time}.',
      'Página {n} de mi diario, {day}, {time}: {name} tenía razón {spot}.',
      'Por culpa de {name} perdí el autobús {n} de las {time} {spot}.',
      'Si ven a {name} {spot}, pregunten por el {day}, por las {time} y por las {n} cartas.',
      'Gracias a {name} por las {n} líneas, escritas {spot} el {day} a las {time}.',
    ],
    names: NAMES,
    spots: [
      'en la panadería',
      'en el barco',
      'en la escalera',
      'detrás del colegio',
      'en la oficina',
      'en la azotea',
      'junto al río',
      'en la sala de espera',
      'en la cocina',
      'en el jardín',
    ],
    days: ['lunes', 'martes', 'miércoles', 'jueves', 'viernes', 'sábado', 'domingo'],
  },
  nl: {
    sentences: [
      '{name} vertelde het me om {time} {spot}, en {n} mensen luisterden mee.',
      'Op {day} las ik met {name} {n} pagina’s {spot}, om {time} waren we klaar.',
      'Om {time} stuurde {name} nog {n} berichten, ik las ze {day} {spot}.',
      'Met {name} om {n} kronen gewed {spot} dat het tot {day} {time} zo blijft.',
      'Bladzijde {n} van mijn agenda, {day}, {time}: {name} had {spot} gelijk.',
      'Door {name} miste ik {spot} bus {n} van {time}.',
      'Wie {name} {spot} ziet: vraag naar {day}, naar {time} en naar de {n} brieven.',
      'Dank aan {name} voor {n} regels, {day} om {time} {spot} geschreven.',
    ],
    names: NAMES,
    spots: [
      'bij de bakker',
      'op de pont',
      'in het trappenhuis',
      'achter de school',
      'op het werk',
      'op het dak',
      'langs de rivier',
      'in de wachtkamer',
      'aan de keukentafel',
      'in de tuin',
    ],
    days: ['maandag', 'dinsdag', 'woensdag', 'donderdag', 'vrijdag', 'zaterdag', 'zondag'],
  },
  pt: {
    sentences: [
      '{name} contou-me às {time} {spot}, e {n} pessoas ouviam.',
      'Na {day} li com {name} {n} páginas {spot}, até às {time}.',
      'Às {time} {name} mandou {n} mensagens, que li na {day} {spot}.',
      'Apostei {n} coroas com {name} {spot} que dura até {day} às {time}.',
      'Página {n} do meu diário, {day}, {time}: {name} tinha razão {spot}.',
      'Por causa de {name} perdi o autocarro {n} das {time} {spot}.',
      'Se virem {name} {spot}, perguntem pela {day}, pelas {time} e pelas {n} cartas.',
      'Obrigado a {name} pelas {n} linhas, escritas {spot} na {day} às {time}.',
    ],
    names: NAMES,
    spots: [
      'na padaria',
      'no barco',
      'na escada',
      'atrás da escola',
      'no trabalho',
      'no terraço',
      'à beira do rio',
      'na sala de espera',
      'na cozinha',
      'no jardim',
    ],
    days: ['segunda', 'terça', 'quarta', 'quinta', 'sexta'],
  },
  ja: {
    sentences: [
      '{time}に{name}さんから{spot}で聞いて、{n}人がうなずいていた。',
      '{day}に{name}さんと{spot}で{n}ページ読んだ、終わったのは{time}。',
      '{name}さんが{time}に{n}通も送ってきた、{day}に{spot}で読んだ。',
      '{spot}で{name}さんと{n}クローネ賭けた、{day}の{time}まで続くはず。',
      '日記の{n}ページ、{day}の{time}、{spot}では{name}さんが正しかった。',
      '{name}さんの話が長くて{spot}で{time}の{n}番のバスを逃した。',
      '{spot}で{name}さんに会ったら、{day}の{time}と{n}通の手紙のことを聞いて。',
      '{name}さん、{day}の{time}に{spot}で書いてくれた{n}行をありがとう。',
    ],
    names:
      'トーヴェ ルアン アマラ ヨナス ミレル ペレ スリ コフィ レーネ オド ユナ ブラム エズメ タリク ヴェラ イーダ'.split(
        ' ',
      ),
    spots: ['パン屋', '渡し船', '階段', '学校の裏', '職場', '屋上', '川辺', '待合室', '台所', '庭'],
    days: ['月曜', '火曜', '水曜', '木曜', '金曜', '土曜', '日曜'],
  },
  ar: {
    sentences: [
      'أخبرني {name} الساعة {time} {spot} وكان {n} أشخاص يستمعون.',
      'يوم {day} قرأت مع {name} {n} صفحة {spot} حتى الساعة {time}.',
      'أرسل {name} الساعة {time} عدد {n} من الرسائل وقرأتها يوم {day} {spot}.',
      'راهنت {name} {spot} بمبلغ {n} كرونة أن يستمر حتى {day} الساعة {time}.',
      'صفحة {n} من دفتري، {day}، {time}: كان {name} على حق {spot}.',
      'بسبب {name} فاتتني {spot} حافلة {n} الساعة {time}.',
      'شكرا إلى {name} على {n} سطرا كتبت {spot} يوم {day} الساعة {time}.',
      'من يلتق {name} {spot} فليسأل عن {day} وعن {time} وعن {n} رسالة.',
    ],
    names: 'طارق سامي كريم يوسف رامي عمر نبيل حسن فادي زياد بلال أنس'.split(' '),
    spots: [
      'عند الخباز',
      'على العبارة',
      'على الدرج',
      'خلف المدرسة',
      'في العمل',
      'على السطح',
      'عند النهر',
      'في المطبخ',
      'في الحديقة',
    ],
    days: ['الاثنين', 'الثلاثاء', 'الأربعاء', 'الخميس', 'الجمعة', 'السبت', 'الأحد'],
  },
};

/** Separates the habits of an account from the other keys of its number. */
const HABITS_KEY = hashKey('the habits');
/** People whom an account names, and sentences that it forms. */
const CIRCLE = 6;
const PHRASES = 5;

/**
 * A sentence beside the topic, of the kind that this account writes: it names a few people, and forms its sentences alike.
 * @param author number of the account
 */
export function writeAside(draw: Draw, language: Language, author: number): string {
  const { sentences, names, spots, days } = ASIDES[language];
  const habits = createDraw(deriveKey(HABITS_KEY, author));
  const ofCircle = Math.floor(habits() * names.length) + 7 * Math.floor(draw() * CIRCLE);
  const ofPhrases = Math.floor(habits() * sentences.length) + Math.floor(draw() * PHRASES);
  return fillSlots(sentences[ofPhrases % sentences.length] ?? '', (slot) => {
    switch (slot) {
      case 'name':
        return names[ofCircle % names.length] ?? '';
      case 'spot':
        return pickOne(draw, spots);
      case 'day':
        return pickOne(draw, days);
      case 'time':
        return `${6 + Math.floor(draw() * 18)}:${String(Math.floor(draw() * 60)).padStart(2, '0')}`;
      default:
        return String(2 + Math.floor(draw() * 98));
    }
  });
}
