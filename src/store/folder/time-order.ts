import type { Timestamp } from '#store/port/records.ts';
import type { Range, TimeRange } from '#store/port/pages.ts';

// Arrays in the order of time.

export interface Timed {
  readonly createdAt: Timestamp;
}

export type PageRange = TimeRange & Pick<Range, 'order' | 'limit'>;

/** A push makes V8 reserve room for 16 more elements, which most arrays never need. */
const SHORT = 16;

/** Inserts after elements of the same time. @returns a new array if the list is short, else the same one */
export function withElement<Element extends Timed>(list: Element[], element: Element): Element[] {
  const last = list.at(-1);
  const index =
    last === undefined || last.createdAt <= element.createdAt
      ? list.length
      : upperBound(list, element.createdAt);
  if (list.length < SHORT) return list.toSpliced(index, 0, element);
  if (index === list.length) list.push(element);
  else list.splice(index, 0, element);
  return list;
}

/** @returns a new array if the list is short, else the same one */
export function withoutElement<Element extends Timed>(list: Element[], element: Element): Element[] {
  const index = list.indexOf(element, lowerBound(list, element.createdAt));
  if (index < 0) return list;
  if (list.length <= SHORT) return list.toSpliced(index, 1);
  list.splice(index, 1);
  return list;
}

export function elementsAt<Element extends Timed>(list: readonly Element[], time: Timestamp): Element[] {
  return list.slice(lowerBound(list, time), upperBound(list, time));
}

/** @returns the latest time that is not after `time`, and the earliest that is not before it, if any */
export function timesAround(list: readonly Timed[], time: Timestamp): Timestamp[] {
  const around = [list[upperBound(list, time) - 1], list[lowerBound(list, time)]];
  return around.flatMap((element) => element?.createdAt ?? []);
}

export function page<Element extends Timed>(
  list: readonly Element[],
  { order, limit, before, after }: PageRange,
): Element[] {
  const [start, end] = boundsOf(list, { before, after });
  if (order === 'oldest') return list.slice(start, Math.min(end, start + limit));
  return list.slice(Math.max(start, end - limit), end).reverse();
}

export function count(list: readonly Timed[], bounds: TimeRange, limit = Infinity): number {
  const [start, end] = boundsOf(list, bounds);
  return Math.min(end - start, limit);
}

function boundsOf(list: readonly Timed[], { before, after }: TimeRange): [start: number, end: number] {
  const start = after === undefined ? 0 : upperBound(list, after);
  const end = before === undefined ? list.length : lowerBound(list, before);
  return [start, Math.max(start, end)];
}

/** @yields the later elements of all lists, earliest first, each once. No list may change meanwhile */
export function* merged<Element extends Timed>(
  lists: readonly (readonly Element[])[],
  after: Timestamp,
): Generator<Element, void> {
  const heads = lists.map((list) => ({ list, index: upperBound(list, after) }));
  for (;;) {
    let next: Element | undefined;
    for (const { list, index } of heads) {
      const head = list[index];
      if (head !== undefined && (next === undefined || head.createdAt < next.createdAt)) next = head;
    }
    if (next === undefined) return;
    for (const head of heads) if (head.list[head.index] === next) head.index += 1;
    yield next;
  }
}

/** @returns the index of the first element that is not earlier than a time */
function lowerBound(list: readonly Timed[], time: Timestamp): number {
  return findIndex(list, (createdAt) => createdAt >= time);
}

/** @returns the index of the first element that is later than a time */
function upperBound(list: readonly Timed[], time: Timestamp): number {
  return findIndex(list, (createdAt) => createdAt > time);
}

/** A binary search. @param isFound must be false up to an element, and true from there on */
function findIndex(list: readonly Timed[], isFound: (createdAt: Timestamp) => boolean): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isFound(list[middle]?.createdAt ?? '')) high = middle;
    else low = middle + 1;
  }
  return low;
}
