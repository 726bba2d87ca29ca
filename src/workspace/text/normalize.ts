const ASCII = /^\p{ASCII}*$/u;
const WITHOUT_MARKS = /\P{M}+/gu;
const INVISIBLE_OR_FORMAT = /[\p{Default_Ignorable_Code_Point}\p{Cf}]/gu;

/**
 * Prepares a text for pattern matching, never for storage: replaces compatibility characters such as
 * full-width letters (NFKC, Unicode Standard Annex #15) and removes invisible ones. It skips runs of
 * combining marks (`\p{M}`): no link or credential has any, and `normalize` takes quadratic time to reorder a
 * run.
 */
export function normalizeForMatching(text: string): string {
  return ASCII.test(text)
    ? text
    : text.replace(WITHOUT_MARKS, (run) => run.normalize('NFKC')).replace(INVISIBLE_OR_FORMAT, '');
}
