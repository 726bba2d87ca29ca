/** Longer than any test. A proof line that comes after a second would make the bytes of a log depend on the speed of a test. */
export const NO_PROOF_MS = 2 ** 30;
