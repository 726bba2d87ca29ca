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
import { ENGINES } from '../support/store/engines.ts';
import { addPost, hide, unhide } from '../support/store/writes.ts';

// A wait reads first, and then waits. This or another process may publish at any point of that.

const CALLER = { clientKey: 'a test' };

for (const [engine, place] of Object.entries(ENGINES))
  for (const writer of ['this process', 'another process'])
    test(`on ${engine} a wait ends with a message of ${writer}, at whichever read that comes`, async (t) => {
      const options = { folder: await temporaryFolder(t), empty: true, limits: NO_LIMITS, ...place() };
      const [own, other] = [await openTestWorkspace(options), await openTestWorkspace(options)];
      t.after(() => Promise.all([own.store.close(), other.store.close()]));
      const { workspace, store, tools } = own;
      const target = writer === 'this process' ? store : other.store;
      const tool = tools.find(({ name }) => name === 'wait_for_messages') as WaitingTool;
      const { record: hidden } = await addPost(target, 'shown again later');
      await hide(target, hidden.id);
      const { record: first } = await addPost(target, 'first');
      const names = Object.keys(store.read).filter((name) => name !== 'history') as (keyof Reader)[];
      let after = first.createdAt;
      for (let at = 1, isOver = false; !isOver; at++) {
        let [reads, isPublished] = [0, false];
        const publish = async (): Promise<void> => {
          isPublished = true;
          await (at % 2 === 0 ? hide : unhide)(target, hidden.id);
          await addPost(target, `${at}`);
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
        const { wakes } = workspace.waiters;
        const waiting = waitForResult(results, tool, { after, waitSeconds: 9 }, context);
        const isWaiting = await Promise.race([hasLooked, waiting.then(() => false)]);
        // The first look has fewer reads: the message comes while the call waits.
        isOver = isWaiting && !isPublished;
        if (isOver) await publish();
        const page = (await waiting).output as { messages: Post[]; nextAfter: string; timedOut: boolean };
        for (const { mock } of mocks) mock.restore();
        const found = page.messages.map(({ message }) => message);
        assert.deepEqual([found, page.timedOut], [[`${at}`], false], `read ${at}`);
        // A call whose change was missed has it too, but only at the end of its time.
        assert.ok(!isWaiting || workspace.waiters.wakes > wakes, `read ${at} is missed`);
        after = page.nextAfter;
      }
    });
