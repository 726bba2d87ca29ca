// Mostly from confusables.txt of Unicode 17, © Unicode, Inc., https://www.unicode.org/terms_of_use.html
// SPDX-License-Identifier: Unicode-3.0

/** Each entry is a letter, followed by the letters of similar scripts that look like it after NFKD. */
const LOOKALIKES =
  'aɑα⍺аΑАᎪꓮꭺᴀ@🅐🅰🇦 bƄЬᏏꞴΒⲂВᏴꓐɓƃƂБƀҍҌѣѢⲃвᏼʙь🅑🅱🇧 cᴄςⲥсꮯΣⲤСᏟꓚ¢ȼ₡ҫҪ🅒🅲🇨 dԁᏧꓒᎠꓓɗɖƌđĐÐƉ₫ꭰᴅ🅓🅳🇩 ' +
  'e℮ꬲеҽΕЕᎬꓰɇɆҿꭼᴇεє€🅔🅴🇪 fꬵꞙƒẝքꞘϜꓝƑᵮꜰ🅕🅵🇫 gɡᶃƍցԌᏀᏳꓖɠǥǤԍꮐᏻɢ🅖🅶🇬 hһհᏂΗⲎНᎻꓧнɦꚕᏲⱧҢħћĦӉӇⲏꮋңӊӈʜ🅗🅷🇭 ' +
  'jϳјꞲͿЈᎫꓙɉɈꭻᴊ🅙🅹🇯 kΚⲔКᏦꓗƙⱩҚ₭ꝀҞᴋκⲕкꮶқҟĸ🅚🅺🇰 lıɪɩι⍳ⲓіꙇւꭵᎥɨᵻᵼ∣│ƖǀΙⲒІӏӀꓲⳐᏞꓡłŁɭƗƚɫⳑꮮʟiI1|!¡🅘🅸🇮🅛🅻🇱 ' +
  'mΜϺⲘМᎷꓟӍᴍ🅜🅼🇲 nոռΝⲚꓠɳƞŋηղƝᵰⲛɴпиИ🅝🅽🇳 oᴏᴑꬽοσⲟϭоჿօΟⲞОՕꓳøꬾØɵꝋⲑөѳꮎꮻƟꝊθΘⲐӨѲᎾᏫꭴთ0🅞🅾🇴 ' +
  'pþƿρ⍴ϸⲣⳏрΡⲢⳎРᏢꓑƥᵽᴩꮲᴘ🅟🅿🇵 qԛգզʠꞯ🅠🆀🇶 rꭇꭈᴦⲅгꮁƦᎡᏒꓣɽɼɍғᵲꭱꮢʀяЯ🅡🆁🇷 sꜱƽѕꮪЅՏᏕᏚꓢʂᵴ$🅢🆂🇸 ' +
  't⊤ΤⲦТᎢꓔƭȾƮҬ₮ŧŦᵵτⲧтꭲҭᴛ🅣🆃🇹 uꞟᴜꭎꭒʋυս∪ՍꓴџᵾꮜɄᏌμ🅤🆄🇺 v∨ᴠνѵꮩѴᏙꓦ🅥🆅🇻 wɯᴡⲽѡшԝաꮃԜᎳᏔꓪѽ₩ꝡω⍵🅦🆆🇼 ' +
  'x×хꞳΧⲬХꓫҲχ🅧🆇🇽 yɣᶌʏỿꭚγⲩуүყΥⲨУҮᎩᎽꓬƴɏұ¥ɎҰ🅨🆈🇾 zᴢꮓΖᏃꓜʐƶƵȥȤᵶ🅩🆉🇿';

const LETTER_OF = new Map(
  LOOKALIKES.split(' ').flatMap(([letter = '', ...others]) => others.map((other) => [other, letter])),
);

/** Characters that are drawn blank, and letters that look like apostrophes and accents. */
const INKLESS = /\u{13441}|\u{13442}|\u{16FE4}|\u{1DA40}|[\u02B9-\u02FF\p{Default_Ignorable_Code_Point}]/gu;

/** Combining marks that are accents, or have no letter. In scripts such as Devanagari, marks are vowels. */
const ACCENTS = /(^|[^\p{L}\p{M}]|[\p{sc=Latin}\p{sc=Greek}\p{sc=Cyrillic}])\p{M}+/gu;

/** Removes compatibility forms (NFKD) and case. @param isFolded whether a character may become a letter */
function foldLetters(text: string, isFolded: (character: string) => boolean = () => true): string {
  return text
    .normalize('NFKD')
    .replace(/[^a-hj-z]/gu, (one) => (isFolded(one) ? (LETTER_OF.get(one) ?? one) : one))
    .toLowerCase();
}

const joinStrokes = (text: string): string => text.replaceAll('m', 'rn').replaceAll('w', 'vv');

/** @returns the letters and digits as a reader perceives them, similar to a skeleton of Unicode TS 39 */
export function skeletonOf(text: string): string {
  return joinStrokes(foldLetters(text).replace(/[^\p{L}\p{N}]|\p{Default_Ignorable_Code_Point}/gu, ''));
}

const isNoDigit = (character: string): boolean => character !== '0' && character !== '1';

/** Digits, and letters that look like 0 and 1. A word of these that has a digit is a number: 1O is 10. */
const NUMBER_LIKE = /[ol\d]+/g;
const DIGIT = /\p{Nd}/u;
const LETTER = /\p{L}/u;
const SEPARATOR = /[^\p{L}\p{N}\p{M}]+/gu;

/**
 * Returns the look of a name. In a thread, two names with the same look count as one name. The look is the
 * skeleton plus the marks of letters that are not Latin, Greek or Cyrillic, with two differences: `Claude
 * 3.5` keeps a separator between its digits, unlike `Claude 35`, and a 0 or 1 becomes a letter only beside a
 * letter. The look of a name without letters and digits is the name without blanks.
 */
export function lookOf(name: string): string {
  const letters = foldLetters(name, isNoDigit).replace(INKLESS, '').replace(ACCENTS, '$1');
  const look = joinStrokes(DIGIT.test(letters) ? foldNumbers(letters) : letters.replace(SEPARATOR, ''));
  return look === '' ? name.replace(/[\s\u2800\p{Default_Ignorable_Code_Point}]/gu, '') || name : look;
}

function foldNumbers(letters: string): string {
  const text = letters.replace(NUMBER_LIKE, toNumber).replace(SEPARATOR, toSeparator);
  return text.replace(/[01]/g, (digit, index: number) => {
    const isBesideLetter = LETTER.test(text[index - 1] ?? '') || LETTER.test(text[index + 1] ?? '');
    return isBesideLetter ? (LETTER_OF.get(digit) ?? digit) : digit;
  });
}

/** @returns a run of digits and letters like them as digits, if it is a whole word with a digit */
function toNumber(run: string, index: number, text: string): string {
  const isPart = LETTER.test(text[index - 1] ?? '') || LETTER.test(text[index + run.length] ?? '');
  const isNumber = !isPart && run.length > 1 && DIGIT.test(run);
  return isNumber ? run.replaceAll('o', '0').replaceAll('l', '1') : run;
}

/** @returns one character for the separators between two digits, nothing for others */
function toSeparator(separator: string, index: number, text: string): string {
  const isBetweenDigits =
    DIGIT.test(text[index - 1] ?? '') && DIGIT.test(text[index + separator.length] ?? '');
  return isBetweenDigits ? '.' : '';
}
