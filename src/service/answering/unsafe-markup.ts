/**
 * Detects what may not appear in a completion: markup and addresses. Authors of items control their text, so only the
 * links of results may appear. Also renders outside text as a person sees it.
 */

import { cleanText, HIDING } from '../../lib/text.ts';

/** Markdown links, embeds and formatting, HTML and entities, and `[7]`, which would look like a citation. */
const UNSAFE_MARKUP = /\]\s*[([:]|!\[|[<`\\]|>>|\*\*|__|~~|\[\^?\s*\d+(?:\s*,\s*\d+)*\s*\]|&#?\w{2,31};/;

const URL_SCHEME = /\w:\/\/|\b(?:javascript|vbscript|data|mailto|file|tel|sms):\S|\bwww\.\w/i;
const EMAIL = /[\p{L}\p{N}._%+-]@[\p{L}\p{N}-]+\.\p{L}{2}/u;
/** Forty base64 characters without a space: encoded data. */
const ENCODED_RUN = /[A-Za-z0-9+/=_-]{40}/;

export function containsMarkup(text: string): boolean {
  return UNSAFE_MARKUP.test(text);
}

/** A web or mail address. For bare hosts, see {@link containsHost}: many company names look like a host. */
export function containsAddress(text: string): boolean {
  const plain = ASCII_TEXT.test(text) ? text : text.normalize('NFKC');
  return URL_SCHEME.test(plain) || EMAIL.test(plain);
}

/** Whether a line from outside can be quoted verbatim. */
export function isQuotable(text: string): boolean {
  return !containsMarkup(text) && !containsAddress(text) && !containsHost(text) && !isEncoded(text);
}

export function isEncoded(text: string): boolean {
  return ENCODED_RUN.test(text);
}

/*
 * Bare hosts, as browsers and people read them: `evil.zip`, `evil․example`, `evil dot com`. Not hosts: `Node.js`,
 * `e.g.`, `U.S.`, `v1.2.3`.
 */

/** A label, a dot, and a possible top-level domain. */
const DOTTED_HOST = /[\p{L}\p{N}_-]\.(\p{L}{2,24})(?![\p{L}\p{N}-])/gu;
/** Any suffix: with a path or port it is an address. So is Punycode. */
const HOST_WITH_PATH =
  /[\p{L}\p{N}]\.(?:[a-z]{2,24}(?:\/\S|:\d)|xn--)|\b\d{1,3}(?:\.\d{1,3}){3}(?:\/\S|:\d)/iu;
/** Only people read this as a host. "A red dot in the middle" is none: the suffix must not be an ordinary word. */
const SPOKEN_HOST =
  /\bhxxps?\b|[\p{L}\p{N}] (?:dot|\.) (?:com|net|org|info|biz|xyz|zip|mov|io|ru|cn|example|onion)(?![\p{L}\p{N}])|[\p{L}\p{N}] dot [a-z]{2,24} slash /iu;
const BRACKETED_DOT = /\s?[[({]\s?(?:\.|dot|punkt|punto|point)\s?[\])}]\s?/giu;
/** Characters that look like a dot, or that browsers treat as one, between two Latin letters. */
const LOOKALIKE_DOT =
  /(?<=[\p{Script=Latin}\p{N}])[\u3002\uff61\u2024\u2027\u00b7\u2022\u2219\u22c5\u30fb\uff65\u0701\u0702\u06d4\u2e31\ua4f8](?=[\p{Script=Latin}\p{N}])/gu;

/**
 * Two-letter domains except common suffixes of files and degrees: md, py, rs, sh, sc, ps, pm, vi. Longer ones as of
 * 2025 in the root zone, without brands; and the reserved ones.
 */
const TOP_LEVEL_DOMAINS = new Set(
  `ac ad ae af ag ai al am ao aq ar as at au aw ax az ba bb bd be bf bg bh bi bj bm bn bo br bs bt bw by bz ca cc cd
  cf cg ch ci ck cl cm cn co cr cu cv cw cx cy cz de dj dk dm do dz ec ee eg er es et eu fi fj fk fm fo fr ga gd ge
  gf gg gh gi gl gm gn gp gq gr gs gt gu gw gy hk hm hn hr ht hu id ie il im in io iq ir is it je jm jo jp ke kg kh
  ki km kn kp kr kw ky kz la lb lc li lk lr ls lt lu lv ly ma mc me mg mh mk ml mm mn mo mp mq mr ms mt mu mv mw mx
  my mz na nc ne nf ng ni nl no np nr nu nz om pa pe pf pg ph pk pl pn pr pt pw qa re ro ru rw sa sb sd se sg si sk
  sl sm sn so sr ss st su sv sx sy sz tc td tf tg th tj tk tl tm tn to tr tt tv tw tz ua ug uk us uy uz va vc ve vg
  vn vu wf ws ye yt za zm zw
  com net org info biz edu gov mil int arpa aero asia cat coop jobs mobi museum name post pro tel travel xxx
  test example invalid local localhost internal onion
  academy accountant accountants actor adult agency airforce apartments app archi army art associates attorney
  auction audio auto autos baby band bank bar bargains beauty beer best bet bid bike bingo bio blog blue boats boo
  boston bot boutique box broker build builders business buy buzz cab cafe cam camera camp capital car cards care
  career careers cars casa case cash casino catering center ceo channel charity chat cheap church city claims
  cleaning click clinic clothing cloud club coach codes coffee college community company compare computer condos
  construction consulting contact contractors cooking cool coupon coupons courses credit creditcard cruises cyou
  dad dance data date dating day deal dealer deals degree delivery democrat dental dentist design dev diamonds diet
  digital direct directory discount doctor dog domains dot download earth eat eco education email energy engineer
  engineering enterprises equipment esq estate eus events exchange expert exposed express fail faith family fan fans
  farm fashion feedback film finance financial fish fishing fit fitness flights florist flowers fly foo food
  football forex forsale forum foundation free fun fund furniture futbol fyi gallery game games garden gay gift
  gifts gives giving glass global gmbh gold golf graphics gratis green gripe grocery group guide guitars guru hair
  haus health healthcare help here hiphop hiv hockey holdings holiday homes horse hospital host hosting hot house
  how icu immo immobilien inc industries ing ink institute insurance insure international investments irish jetzt
  jewelry kaufen kids kim kitchen kiwi land lat latino law lawyer lease legal lgbt life lifestyle lighting like
  limited limo link live living llc loan loans locker lol lotto love ltd luxe luxury maison makeup management map
  market marketing markets mba med media meet meme memorial men menu miami mobile moda moe moi mom money monster
  mortgage motorcycles mov movie music navy network new news nexus ngo ninja now nyc observer ong one onl online ooo
  open organic page paris partners parts party pay pet phd phone photo photography photos physio pics pictures pid
  pink pizza place play plumbing plus poker porn press prod productions prof promo properties property protection
  pub quest racing radio read realestate realtor realty recipes red rehab reise reisen reit ren rent rentals repair
  report republican rest restaurant review reviews rich rip rocks rodeo room rsvp rugby ruhr run safe sale salon
  sarl save school schule science search secure security select services sex sexy shoes shop shopping show singles
  site ski skin smile soccer social software solar solutions song soy spa space sport spot spreadbetting storage
  store stream studio study style sucks supplies supply support surf surgery swiss systems talk tatar tattoo tax taxi
  team tech technology tennis theater theatre tickets tienda tips tires today tools top tours town toys trade trading
  training tube university uno vacations vana vegas ventures vet viajes video villas vin vip vision vivo vlaanderen
  vodka vote voting voto voyage wales wang watch watches weather webcam website wed wedding wien wiki win wine
  winners work works world wow wtf xyz yachts yoga you zero zip zone berlin hamburg koeln bayern amsterdam london
  рф рус укр бел срб бг мкд қаз орг ком дети сайт онлайн москва ею ελ 中国 中國 公司 网络 网址 在线 商店 香港 台湾 한국`
    .split(/\s+/)
    .filter((word) => word !== ''),
);

/** Whether a text contains a host, however its dot is written. */
export function containsHost(text: string): boolean {
  const plain = (ASCII_TEXT.test(text) ? text : text.normalize('NFKC').replace(LOOKALIKE_DOT, '.')).replace(
    BRACKETED_DOT,
    '.',
  );
  if (SPOKEN_HOST.test(plain) || HOST_WITH_PATH.test(plain)) return true;
  for (const [, ending] of plain.matchAll(DOTTED_HOST)) {
    if (ending !== undefined && TOP_LEVEL_DOMAINS.has(ending.toLowerCase())) return true;
  }
  return false;
}

/** Needs no cleaning: nothing hidden, no look-alikes, already normalized. */
export const ASCII_TEXT = /^[\x20-\x7e]*$/;
/** White space other than a single space. */
const UNEVEN_SPACE = /[^\S ]| {2}/u;
const LINE_ENDS = /\r\n?|[\n\v\f\u0085\u2028\u2029]/g;
/** Invisible characters, except the joiner between two emoji. */
const INVISIBLE_CHARACTERS = new RegExp(
  String.raw`(?!(?<=\p{Extended_Pictographic}[\ufe0f\u{1f3fb}-\u{1f3ff}]?)\u200d\p{Extended_Pictographic})[${HIDING}]`,
  'gu',
);

/** Lines end in `\n`; at most `max` code units. */
export function toVisibleLines(text: string, max: number): string {
  const cut = cleanText(text, max);
  if (ASCII_TEXT.test(cut)) return cut;
  return cut
    .replace(LINE_ENDS, '\n')
    .split('\n')
    .map((line) => line.replaceAll('\t', ' ').replace(INVISIBLE_CHARACTERS, ''))
    .join('\n');
}

/** As {@link toVisibleLines}, in one line with single spaces. */
export function toVisibleLine(text: string, max: number): string {
  return collapseSpaces(toVisibleLines(text, max));
}

export function collapseSpaces(text: string): string {
  return (UNEVEN_SPACE.test(text) ? text.replace(/\s+/gu, ' ') : text).trim();
}
