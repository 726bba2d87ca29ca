const ASCII = /^\p{ASCII}*$/u;
const UNMARKED = /\P{M}+/gu;
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\p{Cf}]/gu;

/**
 * What a reader sees, in plain letters. Combining marks stay as they are: no link is made of them, and to put a long
 * run of them in order takes `normalize` time that grows with the square of its length.
 */
export function normalizeForMatching(text: string): string {
  return ASCII.test(text)
    ? text
    : text.replace(UNMARKED, (run) => run.normalize('NFKC')).replace(INVISIBLE, '');
}
