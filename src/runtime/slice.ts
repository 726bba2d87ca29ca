import { setImmediate as nextTurn } from 'node:timers/promises';

/** How long calls work in one turn of the event loop. The last unit of work and any GC may run beyond this. */
const SLICE_MS = 6;

/**
 * libuv accepts one connection per turn of the event loop. With a single turn between slices, a few hundred
 * connections a second would fill the backlog of the socket, and other clients could not connect. A turn
 * without work takes about 10 microseconds.
 */
const TURNS_BETWEEN_SLICES = 32;

let lastPause: Promise<unknown> = Promise.resolve();

/** The time at which the slice of this turn ends; undefined before the first work of the turn. */
let sliceEnd: number | undefined;

/**
 * Starts a unit of work. All units of one turn share its slice, so the short loops of a call do not add up.
 * @returns a function that tells whether the slice has ended
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
 * Lets the event loop do other work. Waiting calls resume one by one, in order, each with a whole slice: with
 * the rest of a slice that other calls have used, a long loop would pause after every item.
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
 * @param visit may get an item that was removed from a changing collection during the pause, and must check
 *   for it
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
