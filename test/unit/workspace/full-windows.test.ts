import assert from 'node:assert/strict';
import { Session } from 'node:inspector/promises';
import { join, sep } from 'node:path';
import { test, type TestContext } from 'node:test';
import { pathToFileURL } from 'node:url';
import { MAX_REFERENCES } from '#message/references.ts';
import { importEntry } from '#workspace/log/import-entry.ts';
import { keyFor, signerFor } from '../../support/author-key.ts';
import { fillWindow, WINDOW_NAMES, type WindowName } from '../../support/full-windows.ts';
import { NO_LIMITS, setUp } from '../../support/http/test-app.ts';
import { DAY_MS } from '#workspace/text/time.ts';
import { thoroughTest } from '../../support/thorough.ts';

/** Steps of a window. A read or write looks at a few of them only, whatever the others are. */
const STEPS = 2500;
/** Calls of one function, or turns of one loop. The page of results makes 1,700 pieces of HTML. */
const MOST = 2000;
/** The page of results has 120 of them with four REVIEWs each, and looks for what their names are like first. */
const MOST_SIGNATURES = 1200;
/** Marks of the caller's key in other threads, each of which takes a hash. */
const MOST_MARKS = 160;

/** There the lists of work are chosen by what is known, and pages are put together. Any other walk is in slices. */
const MAY_WALK = ['src/work/', 'src/store/', 'src/message/', 'src/runtime/', 'src/http/html/'];

const ROOT = pathToFileURL(join(import.meta.dirname, '..', '..', '..') + sep).href;

interface Counts {
  /** The functions that ran too often. */
  readonly busy: readonly string[];
  /** Of some functions how often they ran. */
  readonly signatures: number;
  readonly marks: number;
  readonly placed: number;
}

/** Counts how often each function and loop of the program runs, which is the same on every machine. */
class Counter {
  readonly #session = new Session();
  readonly #sources = new Map<string, string>();

  static async start(t: TestContext): Promise<Counter> {
    const counter = new Counter();
    const session = counter.#session;
    session.connect();
    t.after(() => {
      session.disconnect();
    });
    await session.post('Debugger.enable');
    await session.post('Profiler.enable');
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
    return counter;
  }

  async count(call: () => Promise<unknown>): Promise<Counts> {
    await this.#session.post('Profiler.takePreciseCoverage');
    await call();
    const { result } = await this.#session.post('Profiler.takePreciseCoverage');
    const busy: string[] = [];
    const calls = { toSignature: 0, hasSigner: 0, '#place': 0 };
    for (const { url, scriptId, functions } of result) {
      if (!url.startsWith(`${ROOT}src/`) && !url.startsWith(`${ROOT}tools/`)) continue;
      const file = url.slice(ROOT.length);
      for (const { functionName, ranges } of functions) {
        const [{ startOffset, count }] = ranges as [(typeof ranges)[number]];
        if (functionName in calls) calls[functionName as keyof typeof calls] += count;
        const most = Math.max(...ranges.map((range) => range.count));
        if (most <= MOST || MAY_WALK.some((folder) => file.startsWith(folder))) continue;
        if (await this.#isInSlices(scriptId, startOffset)) continue;
        busy.push(`${functionName} of ${file}: ${most}`);
      }
    }
    return { busy, signatures: calls.toSignature, marks: calls.hasSigner, placed: calls['#place'] };
  }

  /** Whether a function stands in the arguments of a call of `visitInSlices`. */
  async #isInSlices(scriptId: string, offset: number): Promise<boolean> {
    const source =
      this.#sources.get(scriptId) ??
      (await this.#session.post('Debugger.getScriptSource', { scriptId })).scriptSource;
    this.#sources.set(scriptId, source);
    const start = source.lastIndexOf('visitInSlices(', offset);
    if (start < 0) return false;
    const between = source.slice(start, offset);
    return between.split('(').length > between.split(')').length;
  }
}

/** Those over which reads and writes once walked. */
const QUICK: readonly WindowName[] = ['ended', 'overdue', 'reviewed', 'copies'];

for (const name of WINDOW_NAMES)
  (QUICK.includes(name) ? test : thoroughTest)(
    `no read and no write walks over a window of ${name}`,
    async (t) => {
      const { request, store, clock } = await setUp(t, { empty: true, limits: NO_LIMITS });
      const { posts, rootId } = fillWindow(name, clock.now(), STEPS);
      await Promise.all(posts.map((record) => importEntry(store, { kind: 'post', record })));
      const named = posts.slice(0, 16).map(({ id }) => id);
      const result = posts.find(({ prefix }) => prefix === 'RESULT')?.id ?? rootId;
      const reads = [
        '/api/start',
        '/api/work',
        '/api/work?list=ideas&limit=50',
        '/api/work?list=toReview&limit=50',
        '/api/feed?limit=100',
        `/api/posts/${rootId}`,
        `/api/posts/${rootId}?view=state`,
        '/',
        '/results',
        '/results.atom',
        '/feed.json?standing=unreviewed',
        '/feed.json?standing=confirmed',
      ];
      const writes = [
        `WORK: x\nStep I am taking: ${named.join(' ')}`,
        `RESULT: of ${named.join(' ')}`,
        `REVIEW: x\nResult being checked: ${result}\nOutcome: confirmed\nEvidence: x`,
        'hello',
      ];
      const post = (message: string) =>
        request('POST /api/feed', { body: { message, replyTo: rootId, authorKey: keyFor('Ann') } });
      // The first call of each reads the steps, and what a store prepares.
      for (const path of reads) await request(`GET ${path}`);
      const counter = await Counter.start(t);
      const check = (what: string, { busy, signatures, marks }: Counts): void => {
        assert.deepEqual(busy, [], what);
        assert.ok(signatures <= MOST_SIGNATURES && marks <= MOST_MARKS, `${what}: ${signatures}, ${marks}`);
      };
      for (const [n, path] of reads.entries()) {
        await request('POST /api/feed', { body: { message: `hello ${n}` } });
        check(path, await counter.count(() => request(`GET ${path}`)));
      }
      for (const message of writes) check(message, await counter.count(() => post(message)));
    },
  );

test('a time that passes places again only what it moves', async (t) => {
  const { request, store, clock } = await setUp(t, { empty: true, limits: NO_LIMITS });
  const { posts } = fillWindow('taken', clock.now(), STEPS);
  await Promise.all(posts.map((record) => importEntry(store, { kind: 'post', record })));
  // The WORKs are a second apart, and each is due after a day.
  clock.advance(DAY_MS - (STEPS / 2) * 1000);
  await request('GET /api/work');
  const counter = await Counter.start(t);
  const seconds = 11;
  clock.advance(seconds * 1000);
  const { placed } = await counter.count(() => request('GET /api/work'));
  const ideas = seconds * MAX_REFERENCES;
  assert.ok(placed > 0 && placed <= seconds + ideas, `${placed} for ${seconds} WORKs and ${ideas} IDEAs`);
});

test('no read of what a key has signed walks over the window', async (t) => {
  const { request, store, clock } = await setUp(t, { empty: true, limits: NO_LIMITS });
  const { posts, rootId } = fillWindow('results', clock.now(), STEPS);
  // Half of them have the key, and its oldest ones many answers.
  const signed = posts.map((post, n) =>
    n < STEPS / 2 ? { ...post, mark: signerFor('Ann', post.rootId) } : post,
  );
  await Promise.all(signed.map((record) => importEntry(store, { kind: 'post', record })));
  const options = { headers: { Authorization: `Bearer ${keyFor('Ann')}` } };
  const counter = await Counter.start(t);
  for (const path of [
    '/api/start',
    `/api/updates?after=${rootId}&limit=100`,
    `/api/updates?after=${rootId}&view=threads`,
  ]) {
    await request(`GET ${path}`, options);
    await request('POST /api/feed', { body: { message: `hello ${path}` } });
    const { busy } = await counter.count(() => request(`GET ${path}`, options));
    assert.deepEqual(busy, [], path);
  }
});
