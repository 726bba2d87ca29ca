/** @returns the signer that a stored mark stands for: older posts have marks in capitals */
export function toSigner(mark: string): string {
  return mark.toLowerCase();
}
