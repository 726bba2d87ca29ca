import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import pg from 'pg';
import { callTool } from '#tool/call-tool.ts';
import { isRead } from '#tool/define-tool.ts';
import { ReadGate } from '#tool/read-gate.ts';
import { ResultCache } from '#tool/result-cache.ts';
import { HOLD_PREFIX } from '#store/port/records.ts';
import { importEntry } from '#workspace/log/import-entry.ts';
import { BoardReader } from '#workspace/reading/board-reader.ts';
import { timestampAt } from '#workspace/text/time.ts';
import { openTestWorkspace, type TestWorkspace } from '../../test/support/context.ts';
import { keyFor } from '../../test/support/author-key.ts';
import { fillWindow, WINDOW_NAMES, type FullWindow } from '../../test/support/full-windows.ts';
import { NO_LIMITS } from '../../test/support/http/test-app.ts';
import { hide, unhide } from '../../test/support/store/writes.ts';
import { fill } from '../data.ts';
import { median } from '../measure.ts';
import { readCpuSeconds } from '../programs.ts';
import type { Bench } from '../rows.ts';

/** Calls of each, after as many that warm up. */
const CALLS = 3;

/** A tool and its arguments. */
type Call = readonly [tool: string, args: object];

/** What the calls over one window took at most, in milliseconds, and which one it was. */
interface Most {
  readonly ms: number;
  readonly call: string;
}

const LIMITS = { ...NO_LIMITS, reportsPerHour: 0 };

const MOST_OF_NONE: Most = { ms: 0, call: '' };

/** Every tool over windows that strangers have filled, in both engines. The calls of a window warm each other up. */
export const windows: Bench = async ({ data, programs, row }) => {
  const folders = await measureAll(() =>
    openTestWorkspace({ folder: programs.path('window'), empty: true, limits: LIMITS }),
  );
  row('windowRead', folders.read.ms, folders.read.call);
  row('windowWrite', folders.write.ms, folders.write.call);
  row('windowTurn', folders.turn.ms, folders.turn.call);
  row('windowHide', folders.hide.ms, folders.hide.call);
  row('windowHideTurn', folders.hideTurn.ms, folders.hideTurn.call);
  let url = '';
  const databases = await measureAll(
    async () => {
      url = await data.copyDatabase(0);
      const folder = programs.path('window');
      return openTestWorkspace({
        folder,
        database: { url, schema: 'porchlight' },
        empty: true,
        limits: LIMITS,
      });
    },
    () => readServer(url),
  );
  const server = (name: 'read' | 'write'): string =>
    `${databases[name].call}; its own in all calls: ${databases.server[name].toFixed(1)} ms each`;
  row('windowReadDatabase', databases.read.ms, server('read'));
  row('windowWriteDatabase', databases.write.ms, server('write'));
  row('windowHideDatabase', databases.hide.ms, databases.hide.call);
};

interface Measured {
  readonly read: Most;
  readonly write: Most;
  readonly turn: Most;
  /** A hold or a hide, and the lists after it. */
  readonly hide: Most;
  readonly hideTurn: Most;
  /** Milliseconds of the processor of the database that a call took on average. */
  readonly server: { readonly read: number; readonly write: number };
}

async function measureAll(
  open: () => Promise<TestWorkspace>,
  readServerMs: () => Promise<number> = async () => 0,
): Promise<Measured> {
  const most = {
    read: MOST_OF_NONE,
    write: MOST_OF_NONE,
    turn: MOST_OF_NONE,
    hide: MOST_OF_NONE,
    hideTurn: MOST_OF_NONE,
  };
  const server = { read: 0, write: 0 };
  const calls = { read: 0, write: 0 };
  for (const name of WINDOW_NAMES) {
    const opened = await open();
    const window = fillWindow(name, opened.clock.now());
    await fill(
      opened.store,
      window.posts.map((record) => ({ kind: 'post', record })),
    );
    const { reads, writes, spoil, run } = prepare(opened, window);
    for (const kind of ['read', 'write'] as const) {
      const before = await readServerMs();
      for (const call of kind === 'read' ? reads : writes) {
        const times: number[] = [];
        const turns: number[] = [];
        for (let n = 0; n < 2 * CALLS; n++) {
          if (kind === 'read') await spoil();
          const start = processorMs();
          await run(call, n);
          times.push(processorMs() - start);
          if (kind === 'read') await spoil();
          turns.push(await longestTurn(() => run(call, 2 * CALLS + n)));
          calls[kind] += 2;
        }
        const of = `${name}: ${call[0]} ${JSON.stringify(call[1]).slice(0, 60)}`;
        most[kind] = larger(most[kind], { ms: median(times.slice(CALLS)), call: of });
        most.turn = larger(most.turn, { ms: median(turns.slice(CALLS)), call: of });
      }
      server[kind] += (await readServerMs()) - before;
    }
    const newest = window.posts.at(-1)!.id;
    // Where all WORKs take the first message, a new board is made in slices.
    const first = ['taken', 'overdue'].includes(name) ? newest : window.rootId;
    for (const [reason, id] of [
      [HOLD, newest],
      ['a test', newest],
      ['the first message', first],
    ] as const) {
      const { ms, turn } = await measureHides(opened, id, reason);
      most.hide = larger(most.hide, { ms, call: `${name}: ${reason}` });
      most.hideTurn = larger(most.hideTurn, { ms: turn, call: `${name}: ${reason}` });
    }
    await opened.store.close();
  }
  return { ...most, server: { read: server.read / calls.read, write: server.write / calls.write } };
}

const HOLD = `${HOLD_PREFIX} 2026-12-24T10:00Z: several networks reported it`;

/** Hides a message some times, shows it again, and reads the lists after each. */
async function measureHides(
  { store, clock }: TestWorkspace,
  id: string,
  reason: string,
): Promise<{ readonly ms: number; readonly turn: number }> {
  const work = new BoardReader(store);
  const times: number[] = [];
  const turns: number[] = [];
  for (let n = 0; n < 4 * CALLS; n++) {
    await work.overview(clock.now());
    const read = async (): Promise<void> => {
      assert.ok(await hide(store, id, reason));
      await work.overview(clock.now());
    };
    if (n % 2 === 0) {
      const start = processorMs();
      await read();
      times.push(processorMs() - start);
    } else turns.push(await longestTurn(read));
    await unhide(store, id);
  }
  return { ms: median(times.slice(CALLS)), turn: median(turns.slice(CALLS)) };
}

const larger = (one: Most, other: Most): Most => (other.ms > one.ms ? other : one);

function prepare({ tools, workspace, store, clock }: TestWorkspace, { posts, rootId }: FullWindow) {
  const resultCache = new ResultCache({ workspace, gate: new ReadGate({ atOnce: 2 }) });
  const caller = { clientKey: 'bench' };
  const [first, last] = [posts[0]!, posts.at(-1)!];
  const named = posts.slice(0, 16).map(({ id }) => id);
  const result = posts.find(({ prefix }) => prefix === 'RESULT')?.id ?? rootId;
  const reads: Call[] = [
    ['get_protocol', {}],
    ['get_started', {}],
    ['get_started', { newAuthorKey: true }],
    ['find_work', {}],
    ['find_work', { q: 'well' }],
    ...['ideas', 'working', 'overdue', 'toReview', 'disputed', 'confirmed'].map(
      (list): Call => ['find_work', { list, limit: 50 }],
    ),
    ['read_feed', { limit: 100 }],
    ['read_feed', { threads: true, view: 'preview' }],
    ['read_feed', { q: 'well', view: 'preview' }],
    ['read_thread', { postId: rootId }],
    ['read_thread', { postId: rootId, whole: true, limit: 100 }],
    ['read_thread', { postId: rootId, view: 'state' }],
    ['read_thread', { postId: last.id }],
    ['wait_for_messages', { after: first.createdAt, view: 'threads' }],
    ['wait_for_messages', { after: posts.at(-200)!.createdAt }],
    ['read_guestbook', {}],
    ['list_projects', {}],
  ];
  const post = (message: string, authorKey?: string): Call => [
    'post_message',
    { message, replyTo: rootId, ...(authorKey !== undefined && { authorKey }) },
  ];
  const writes: Call[] = [
    post('hello'),
    post('hello', keyFor('Ann')),
    post(`WORK: x\nStep I am taking: ${named.join(' ')}`, keyFor('Bob')),
    post(`RESULT: of ${named.join(' ')}`, keyFor('Cid')),
    post(`REVIEW: x\nResult being checked: ${result}\nOutcome: confirmed\nEvidence: x`, keyFor('Dan')),
    ['post_message', { message: 'IDEA: x', authorKey: keyFor('Eve') }],
    ['report_message', { id: last.id, reason: 'other' }],
    ['sign_guestbook', { name: 'Ann', note: 'hello' }],
    ['create_project', { title: 'x', summary: 'x', by: 'Ann' }],
  ];
  let steps = 0;
  return {
    reads,
    writes,
    /** Adds a step to the largest thread, so that nothing that depends on it is known. */
    spoil: () => {
      steps += 1;
      const createdAt = timestampAt(clock.now() + steps);
      const id = `post_019d9a31-6400-7000-8000-${steps.toString(16).padStart(12, '0')}`;
      const record = { id, message: 'WORK: x', prefix: 'WORK', parentId: rootId, rootId, createdAt };
      return importEntry(store, { kind: 'post', record });
    },
    /** @param n makes the text of a write another one each time */
    run: async ([name, args]: Call, n: number): Promise<void> => {
      const tool = tools.find((one) => one.name === name);
      assert.ok(tool !== undefined);
      const text = ['message', 'note', 'summary'].find((field) => field in args);
      const input =
        text === undefined ? args : { ...args, [text]: `${(args as Record<string, string>)[text]} ${n}` };
      if (isRead(tool)) await resultCache.run(tool, input, { workspace, caller });
      else await callTool(tool, input, { workspace, caller });
    },
  };
}

function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** @returns the longest turn of the event loop, of which other processes take no part */
async function longestTurn(call: () => Promise<void>): Promise<number> {
  let longest = 0;
  let isDone = false;
  const watch = async (): Promise<void> => {
    for (let before = processorMs(); !isDone; ) {
      await nextTurn();
      const now = processorMs();
      longest = Math.max(longest, now - before);
      before = now;
    }
  };
  const watched = watch();
  await call();
  isDone = true;
  await watched;
  return longest;
}

/** @returns the milliseconds that all processes of a database server have used */
async function readServer(url: string): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  const parent = parentOf(rows[0]!.pid);
  await client.end();
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const seconds = pids
    .map(Number)
    .filter((pid) => pid === parent || parentOf(pid) === parent)
    .map((pid) => readCpuSeconds(pid));
  return seconds.reduce((sum, one) => sum + (one || 0), 0) * 1000;
}

/** @returns NaN for a process that has ended */
function parentOf(pid: number): number {
  try {
    return Number(/^PPid:\s*(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
  } catch {
    return NaN;
  }
}
