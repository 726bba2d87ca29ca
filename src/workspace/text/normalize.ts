const ASCII = /^\p{ASCII}*$/u;
const WITHOUT_MARKS = /\P{M}+/gu;
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\p{Cf}]/gu;

/**
 * The text for matching patterns, never for storing: compatibility characters such as full-width letters replaced (NFKC, Unicode
 * Standard Annex #15), invisible characters removed. Runs of combining marks (`\p{M}`) are left as they are:
 * no link or credential has any, and reordering a run takes `normalize` quadratic time.
 */
export function normalizeForMatching(text: string): string {
  return ASCII.test(text)
    ? text
    : text.replace(WITHOUT_MARKS, (run) => run.normalize('NFKC')).replace(INVISIBLE, '');
}
