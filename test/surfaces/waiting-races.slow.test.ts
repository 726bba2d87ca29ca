import assert from 'node:assert/strict';
import test from 'node:test';
import type { Post } from '#store/port/records.ts';
import type { Reader } from '#store/port/store.ts';
import { ReadGate } from '#tool/read-gate.ts';
import { ResultCache } from '#tool/result-cache.ts';
import { waitForResult, type WaitingTool } from '#tool/run-read.ts';
import { openTestWorkspace } from '../support/context.ts';
import { temporaryFolder } from '../support/folder.ts';
import { NO_LIMITS } from '../support/http/test-app.ts';
import { ALL_ENGINES } from '../support/store/engines.ts';
import { addPost, hide, unhide } from '../support/store/writes.ts';

// A wait reads first, and then waits. Another process may publish at any point of that.

const CALLER = { clientKey: 'a test' };
/** Between two comparisons of the revision, which find a change whose notification was lost. */
const COMPARE_MS = 10_000;

for (const [engine, place] of Object.entries(ALL_ENGINES))
  for (const isNotified of [true, false])
    test(`on ${engine} a wait ends with a message of another process, at whichever read that comes${isNotified ? '' : ', though no notification does'}`, async (t) => {
      const options = { folder: await temporaryFolder(t), empty: true, limits: NO_LIMITS, ...place() };
      const [own, other] = [await openTestWorkspace(options), await openTestWorkspace(options)];
      t.after(() => Promise.all([own.store.close(), other.store.close()]));
      const { workspace, store, tools } = own;
      const tool = tools.find(({ name }) => name === 'wait_for_messages') as WaitingTool;
      const { record: hidden } = await addPost(other.store, 'shown again later');
      await hide(other.store, hidden.id);
      const { record: first } = await addPost(other.store, 'first');
      if (!isNotified) {
        t.mock.timers.enable({ apis: ['setInterval'] });
        t.mock.method(store, 'watch', () => () => undefined);
      }
      const names = Object.keys(store.read).filter((name) => name !== 'history') as (keyof Reader)[];
      let after = first.createdAt;
      for (let at = 1, isOver = false; !isOver; at++) {
        let [reads, isPublished] = [0, false];
        const publish = async (): Promise<void> => {
          isPublished = true;
          await (at % 2 === 0 ? hide : unhide)(other.store, hidden.id);
          await addPost(other.store, `${at}`);
        };
        const mocks = names.map((name) => {
          const read = store.read[name] as (...args: unknown[]) => Promise<unknown>;
          const raced = async (...args: unknown[]): Promise<unknown> => {
            reads += 1;
            if (reads !== at || isPublished) return read(...args);
            const found = await read(...args);
            await publish();
            return found;
          };
          return t.mock.method(store.read, name, raced as never);
        });
        const acquire = workspace.waitLimit.acquire.bind(workspace.waitLimit);
        const hasLooked = new Promise<boolean>((resolve) => {
          t.mock.method(workspace.waitLimit, 'acquire', (caller: typeof CALLER) => {
            resolve(true);
            return acquire(caller);
          });
        });
        const results = new ResultCache({ workspace, gate: new ReadGate({ atOnce: 2 }) });
        const context = { workspace, caller: CALLER, signal: new AbortController().signal };
        let hasEnded = false;
        const waiting = waitForResult(results, tool, { after, waitSeconds: 60 }, context).finally(() => {
          hasEnded = true;
        });
        const isWaiting = await Promise.race([hasLooked, waiting.then(() => false)]);
        // The first look has fewer reads: the message comes while the call waits.
        isOver = isWaiting && !isPublished;
        if (isOver) await publish();
        while (!isNotified && !hasEnded) {
          t.mock.timers.tick(COMPARE_MS);
          await new Promise(setImmediate);
        }
        const page = (await waiting).output as { messages: Post[]; nextAfter: string; timedOut: boolean };
        for (const { mock } of mocks) mock.restore();
        const found = page.messages.map(({ message }) => message);
        assert.deepEqual([found, page.timedOut], [[`${at}`], false], `read ${at}`);
        after = page.nextAfter;
      }
    });
