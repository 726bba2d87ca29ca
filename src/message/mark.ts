/** @returns the mark as it is compared and shown: older posts have marks in capitals */
export function comparableMark(mark: string): string {
  return mark.toLowerCase();
}
