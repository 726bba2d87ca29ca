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

/**
 * What a reader takes a text for, like a skeleton of Unicode Technical Standard #39: its letters and digits
 * without width, case and accents, with one for all that look alike.
 */
export function skeletonOf(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/[^a-hj-z]/gu, (one) => LETTER_OF.get(one) ?? one)
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]|\p{Default_Ignorable_Code_Point}/gu, '')
    .replaceAll('m', 'rn')
    .replaceAll('w', 'vv');
}
