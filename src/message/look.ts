// Mostly from confusables.txt of Unicode 17, © Unicode, Inc., https://www.unicode.org/terms_of_use.html
// SPDX-License-Identifier: Unicode-3.0

/** A letter and what looks like it after NFKD, of the scripts whose letters fonts draw like Latin ones. */
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

/** Letters and marks without ink, and letters that look like apostrophes and accents. */
const INKLESS = /\u{13441}|\u{13442}|\u{16FE4}|\u{1DA40}|[\u02B9-\u02FF\p{Default_Ignorable_Code_Point}]/gu;

/** Marks that are accents. Behind letters of other scripts, such as Devanagari, they are vowels. */
const ACCENTS = /(^|[\p{N}\p{sc=Latin}\p{sc=Greek}\p{sc=Cyrillic}])\p{M}+/gu;

/** The text without width (NFKD) and case, with one letter for all that look alike. */
function foldLetters(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/[^a-hj-z]/gu, (one) => LETTER_OF.get(one) ?? one)
    .toLowerCase();
}

const joinStrokes = (text: string): string => text.replaceAll('m', 'rn').replaceAll('w', 'vv');

/**
 * What a reader takes a text for, like a skeleton of Unicode Technical Standard #39: its letters and digits
 * without width, case and accents, with one for all that look alike.
 */
export function skeletonOf(text: string): string {
  return joinStrokes(foldLetters(text).replace(/[^\p{L}\p{N}]|\p{Default_Ignorable_Code_Point}/gu, ''));
}

/**
 * What tells one author of a thread from another: two names with one look are taken for one. It is the
 * skeleton with the marks of letters that are not Latin, Greek or Cyrillic; a name without letters and digits
 * is its own look, without blanks.
 */
export function lookOf(name: string): string {
  const letters = foldLetters(name)
    .replace(INKLESS, '')
    .replace(/[^\p{L}\p{N}\p{M}]/gu, '');
  const look = joinStrokes(letters.replace(ACCENTS, '$1'));
  return look === '' ? name.replace(/[\s\u2800\p{Default_Ignorable_Code_Point}]/gu, '') || name : look;
}
