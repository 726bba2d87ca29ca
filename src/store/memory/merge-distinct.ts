/**
 * @param lists each in the order of `isBefore`
 * @yields the numbers of all lists in that order, one that several lists hold once
 */
export function* mergeDistinct(
  lists: readonly Iterator<number, void>[],
  isBefore: (number: number, other: number) => boolean,
): Generator<number, void> {
  const heads = new Map<Iterator<number, void>, number>();
  const advance = (list: Iterator<number, void>): void => {
    const { value, done } = list.next();
    if (done === true) heads.delete(list);
    else heads.set(list, value);
  };
  for (const list of lists) advance(list);
  while (heads.size > 0) {
    let least: number | undefined;
    for (const head of heads.values()) if (least === undefined || isBefore(head, least)) least = head;
    for (const [list, head] of [...heads]) if (head === least) advance(list);
    if (least !== undefined) yield least;
  }
}
