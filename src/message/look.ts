// Mostly from confusables.txt of Unicode 17, © Unicode, Inc., https://www.unicode.org/terms_of_use.html
// SPDX-License-Identifier: Unicode-3.0

/** Each entry is a letter and the letters that look like it after NFKD, of scripts that resemble Latin. */
const LOOKALIKES =
  'aɑαаΑАᎪꓮꭺᴀ@🅐🅰🇦 bƄЬᏏꞴΒⲂВᏴꓐɓƃƂБƀҍҌѣѢⲃвᏼʙь🅑🅱🇧 cᴄςⲥсꮯΣⲤСᏟꓚ¢ȼ₡ҫҪ🅒🅲🇨 dԁᏧꓒᎠꓓɗɖƌđĐÐƉ₫ꭰᴅ🅓🅳🇩 ' +
  'e℮ꬲеҽΕЕᎬꓰɇɆҿꭼᴇεє€🅔🅴🇪 fꬵꞙƒẝքꞘϜꓝƑᵮꜰ🅕🅵🇫 gɡᶃƍցԌᏀᏳꓖɠǥǤԍꮐᏻɢ🅖🅶🇬 hһհᏂΗⲎНᎻꓧнɦꚕᏲⱧҢħћĦӉӇⲏꮋңӊӈʜ🅗🅷🇭 ' +
  'jϳјꞲͿЈᎫꓙɉɈꭻᴊ🅙🅹🇯 kΚⲔКᏦꓗƙⱩҚ₭ꝀҞᴋκⲕкꮶқҟĸ🅚🅺🇰 lıɪɩιⲓіꙇւꭵᎥɨᵻᵼ∣│ƖǀΙⲒІӏӀꓲⳐᏞꓡłŁɭƗƚɫⳑꮮʟiI1|!¡🅘🅸🇮🅛🅻🇱 ' +
  'mΜϺⲘМᎷꓟӍᴍ🅜🅼🇲 nոռΝⲚꓠɳƞŋηղƝᵰⲛɴпиИ🅝🅽🇳 oᴏᴑꬽοσⲟϭоჿօΟⲞОՕꓳøꬾØɵꝋⲑөѳꮎꮻƟꝊθΘⲐӨѲᎾᏫꭴთ0🅞🅾🇴 ' +
  'pþƿρϸⲣⳏрΡⲢⳎРᏢꓑƥᵽᴩꮲᴘ🅟🅿🇵 qԛգզʠꞯ🅠🆀🇶 rꭇꭈᴦⲅгꮁƦᎡᏒꓣɽɼɍғᵲꭱꮢʀяЯ🅡🆁🇷 sꜱƽѕꮪЅՏᏕᏚꓢʂᵴ$🅢🆂🇸 ' +
  't⊤ΤⲦТᎢꓔƭȾƮҬ₮ŧŦᵵτⲧтꭲҭᴛ🅣🆃🇹 uꞟᴜꭎꭒʋυս∪ՍꓴџᵾꮜɄᏌμ🅤🆄🇺 v∨ᴠνѵꮩѴᏙꓦ🅥🆅🇻 wɯᴡⲽѡшԝաꮃԜᎳᏔꓪѽ₩ꝡω🅦🆆🇼 ' +
  'x×хꞳΧⲬХꓫҲχ🅧🆇🇽 yɣᶌʏỿꭚγⲩуүყΥⲨУҮᎩᎽꓬƴɏұ¥ɎҰ🅨🆈🇾 zᴢꮓΖᏃꓜʐƶƵȥȤᵶ🅩🆉🇿';

const LETTER_OF = new Map(
  LOOKALIKES.split(' ').flatMap(([letter = '', ...others]) => others.map((other) => [other, letter])),
);

/** Characters that are drawn blank, and letters that look like apostrophes and accents. */
const INKLESS = /\u{13441}|\u{13442}|\u{16FE4}|\u{1DA40}|[\u02B9-\u02FF\p{Default_Ignorable_Code_Point}]/gu;

/** Combining marks that are accents. In other scripts, such as Devanagari, such marks are vowels. */
const ACCENTS = /(^|[\p{N}\p{sc=Latin}\p{sc=Greek}\p{sc=Cyrillic}])\p{M}+/gu;

/** The text with compatibility forms (NFKD) and case removed, and one letter for all that look alike. */
function foldLetters(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/[^a-hj-z]/gu, (one) => LETTER_OF.get(one) ?? one)
    .toLowerCase();
}

const joinStrokes = (text: string): string => text.replaceAll('m', 'rn').replaceAll('w', 'vv');

/**
 * The letters and digits of a text as a reader perceives them, similar to a skeleton of Unicode Technical
 * Standard #39: without width, case and accents, and with one letter for all that look alike.
 */
export function skeletonOf(text: string): string {
  return joinStrokes(foldLetters(text).replace(/[^\p{L}\p{N}]|\p{Default_Ignorable_Code_Point}/gu, ''));
}

/**
 * The look of a name. In a thread two names with the same look count as one name. The look is the skeleton
 * with the marks of letters that are not Latin, Greek or Cyrillic. The look of a name without letters and
 * digits is the name without blanks.
 */
export function lookOf(name: string): string {
  const letters = foldLetters(name)
    .replace(INKLESS, '')
    .replace(/[^\p{L}\p{N}\p{M}]/gu, '');
  const look = joinStrokes(letters.replace(ACCENTS, '$1'));
  return look === '' ? name.replace(/[\s\u2800\p{Default_Ignorable_Code_Point}]/gu, '') || name : look;
}
