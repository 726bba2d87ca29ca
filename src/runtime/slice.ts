import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * How long calls work in one turn of the event loop. The last piece and a pause of the garbage collector come on
 * top.
 */
const SLICE_MS = 6;

/**
 * libuv accepts one connection in each turn of the event loop. With a single turn between slices, a few
 * hundred connections a second would fill the backlog of the socket, and those of other clients would be lost
 * in it. A turn without work takes some 10 microseconds.
 */
const TURNS_BETWEEN_SLICES = 32;

let lastPause: Promise<unknown> = Promise.resolve();

/** When the slice of this turn of the event loop ends; undefined until the first work of the turn. */
let sliceEnd: number | undefined;

/**
 * Starts a piece of work. All pieces of one turn share its slice, so that a call with several short loops does
 * not add them up.
 * @returns a function that says whether the slice has ended
 */
export function startSlice(): () => boolean {
  if (sliceEnd === undefined) {
    sliceEnd = performance.now() + SLICE_MS;
    setImmediate(() => {
      sliceEnd = undefined;
    });
  }
  const end = sliceEnd;
  return () => performance.now() >= end;
}

/**
 * Lets the event loop do other work. Calls that wait are resumed one by one, in order. Each goes on with a whole
 * slice: with the rest of one that other calls have used, a long loop would pause after each of its pieces.
 */
export async function nextSlice(): Promise<void> {
  lastPause = lastPause.then(async () => {
    for (let turn = 0; turn < TURNS_BETWEEN_SLICES; turn++) await nextTurn();
    sliceEnd = undefined;
  });
  await lastPause;
}

/**
 * Visits the items. When a slice is over and another item follows, the event loop does other work first.
 * @param visit gets an item that was taken before the pause: of a collection that changes meanwhile, it looks
 *   whether the item is still there
 */
export async function visitInSlices<Item>(items: Iterable<Item>, visit: (item: Item) => void): Promise<void> {
  let isSliceOver = startSlice();
  for (const item of items) {
    if (isSliceOver()) {
      await nextSlice();
      isSliceOver = startSlice();
    }
    visit(item);
  }
}
