import { WINDOW } from '#message/step.ts';
import type { Post } from '#store/port/records.ts';
import { timestampAt } from '#workspace/text/time.ts';

/** Each thread judges its newest 2,000 steps, so a window has several threads. */
const THREADS = 10;
const REFERENCES = 16;
const ENDED = 9;

/** What strangers post to fill the window of the lists of work. */
export interface FullWindow {
  /** Oldest first, the last one a moment before the time that was given. */
  readonly posts: readonly Post[];
  /** The first message of a thread that has as many steps as a thread judges. */
  readonly rootId: string;
}

const TABLE = Array.from({ length: 12 }, (_, n) => `row ${n} of the table: ${n * n}`);

/** A message of a window: in the thread with that number, by the key and name with that number. */
interface Line {
  readonly thread: number;
  readonly message: string;
  readonly key?: number;
  readonly name?: number;
  /** The number of the message that it replies to, in place of the first one of its thread. */
  readonly to?: number;
}

const idOf = (n: number): string => `post_019b9a31-6400-7000-8000-${n.toString(16).padStart(12, '0')}`;

/** @returns the signer of a key that was sent; each thread has its own opener, with the key 0 */
const signerOf = (key: number, thread: number): string =>
  `${key.toString(16).padStart(7, '0')}${thread.toString(16).padStart(5, '0')}`;

const IDEA = 'IDEA: count the wells of each town\nWho benefits: whoever is thirsty';

/** The n-th line by which an opener lets sixteen keys in: four trust as many as possible. */
const letIn = (thread: number, n: number): string =>
  `Trust: ${Array.from({ length: 16 }, (_, at) => signerOf(16 * n + at, thread)).join(' ')}`;
const LINES = 5;

/** @param thread of the n-th message, of which the first one of each thread is an IDEA of its opener */
function* inThreads(
  count: number,
  lineOf: (n: number, thread: number) => Omit<Line, 'thread'>,
  threads = THREADS,
): Iterable<Line> {
  for (let n = 0; n < count; n++) {
    const thread = n % threads;
    if (n < threads) yield { thread, key: 0, message: `${IDEA}\nThread: ${n}` };
    else if (n < LINES * threads) yield { thread, key: 0, message: letIn(thread, Math.floor(n / threads)) };
    else yield { thread, ...lineOf(n, thread) };
  }
}

/** The n-th message: one of sixteen IDEAs below the first one, or a WORK that takes these. */
function takeIdeas(n: number, thread: number): Omit<Line, 'thread'> {
  const ideas = Array.from({ length: REFERENCES }, (_, at) => THREADS * (LINES + at) + thread);
  if (n <= ideas.at(-1)!) return { key: n, message: `IDEA: well ${n}` };
  return { key: n, message: `WORK: well ${n}\nStep I am taking: ${ideas.map(idOf).join(' ')}` };
}

const dueAt = (time: number): string => `Next update by (UTC): ${timestampAt(time)}`;

/** The windows by name. @param now milliseconds since 1970 */
const WINDOWS = {
  /** Signed WORKs, nine of ten messages, each of which the tenth ends. */
  ended: (count: number) =>
    inThreads(count, (n, thread) => {
      const turn = Math.floor(n / THREADS) - LINES;
      const key = 1 + Math.floor(turn / (ENDED + 1));
      if (turn % (ENDED + 1) < ENDED) return { key, message: `WORK: well ${n}` };
      const works = Array.from({ length: ENDED }, (_, back) => idOf(n - THREADS * (back + 1)));
      return { key, message: `Ends: ${works.join(' ')}`, name: thread };
    }),
  /** WORKs that take the same sixteen IDEAs of their thread, each by another key. */
  taken: (count: number) => inThreads(count, takeIdeas),
  /** The same, of which the time has passed. */
  overdue: (count: number, now: number) =>
    inThreads(count, (n, thread) => {
      const { message } = takeIdeas(n, thread);
      return { key: n, message: `${message}\n${dueAt(now - 60_000)}` };
    }),
  /** RESULTs, each with four REVIEWs that confirm it. */
  results: (count: number) =>
    inThreads(count, (n) => {
      const turn = Math.floor(n / THREADS) - LINES;
      if (turn % 5 === 0) return { key: 1 + (turn % 50), message: `RESULT: well ${n}` };
      const result = n - THREADS * (turn % 5);
      return {
        key: turn % 5 === 1 ? 0 : 60 + (turn % 5),
        to: result,
        message: `REVIEW: well ${result}\nOutcome: confirmed\nEvidence: counted again`,
      };
    }),
  /** One RESULT a thread, with REVIEWs by as many keys. */
  reviewed: (count: number) =>
    inThreads(count, (n, thread) => {
      if (n < (LINES + 1) * THREADS) return { key: 1, message: `RESULT: wells of ${thread}` };
      return {
        key: n < (LINES + 2) * THREADS ? 0 : n,
        to: LINES * THREADS + thread,
        message: 'REVIEW: wells\nOutcome: confirmed\nEvidence: counted again',
      };
    }),
  /** RESULTs with nearly the same lines, by as many keys. */
  copies: (count: number) =>
    inThreads(count, (n) => ({
      key: n,
      message: `RESULT: the table\n${TABLE.map((row, at) => (at === n % 12 ? `${row} ${n}` : row)).join('\n')}`,
    })),
  /** Steps by as many keys and names. */
  names: (count: number) =>
    inThreads(count, (n) => ({ key: n, name: n, message: `${n % 2 === 0 ? 'WORK' : 'RESULT'}: well ${n}` })),
  /** One thread of messages by as many keys and names, most of them no steps. */
  namesOfThread: (count: number) =>
    inThreads(
      2.5 * count,
      (n) => ({ key: n, name: n, message: `${n % 2 === 0 ? 'RESULT: ' : ''}well ${n}` }),
      1,
    ),
  /** Short threads: an IDEA, a WORK that takes it, and a RESULT. */
  threads: (count: number) =>
    inThreads(
      count,
      (n) => ({ key: 1 + (n % 3), message: `${n % 2 === 0 ? 'WORK' : 'RESULT'}: well ${n}` }),
      Math.floor(count / (LINES + 2)),
    ),
} as const satisfies Record<string, (count: number, now: number) => Iterable<Line>>;

export type WindowName = keyof typeof WINDOWS;

export const WINDOW_NAMES = Object.keys(WINDOWS) as WindowName[];

/** @param count of steps, by default as many as the lists of work are made from */
export function fillWindow(name: WindowName, now: number, count: number = WINDOW.steps): FullWindow {
  const lines = [...WINDOWS[name](count, now)];
  const posts = lines.map(({ thread, message, key, name: signed, to }, n): Post => {
    const isFirst = n === thread;
    return {
      id: idOf(n),
      message,
      prefix: /^(IDEA|WORK|RESULT|REVIEW):/.exec(message)?.[1] ?? null,
      parentId: isFirst ? null : idOf(to ?? thread),
      rootId: idOf(thread),
      createdAt: timestampAt(now - (lines.length - n) * 1000),
      ...(key !== undefined && { mark: signerOf(key, thread) }),
      ...(key !== undefined && { name: `Agent ${signed ?? key % 500}` }),
    };
  });
  return { posts, rootId: idOf(0) };
}
