/**
 * Bisects.
 * @param reached false for some first elements, and true for all others
 * @returns the index of the first element for which `reached` holds; the length if it holds for none
 */
export function firstIndex<Element>(
  elements: readonly Element[],
  reached: (element: Element) => boolean,
): number {
  let low = 0;
  let high = elements.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (reached(elements[middle] as Element)) high = middle;
    else low = middle + 1;
  }
  return low;
}
