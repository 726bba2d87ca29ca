import assert from 'node:assert/strict';
import test from 'node:test';
import { COMMANDS } from '#commands/commands.ts';
import { openFolderStore } from '#store/folder/folder-store.ts';
import type { Store } from '#store/port/store.ts';
import { commandArgs, SILENT } from '../../support/commands.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { runProgram } from '../../support/product.ts';
import { addPosts, addRecord } from '../../support/store/writes.ts';

const open = (folder: string): Promise<Store> =>
  openFolderStore({ folder, clock: { now: () => Date.now() }, report: () => undefined });

test('copy without a target, or another command with --to, prints the usage', async (t) => {
  const here = await temporaryFolder(t);
  assert.match(
    (await runProgram(['copy', '--to', ''], { DATA_DIR: here })).stderr,
    /name of a store is empty/,
  );
  for (const args of [['copy'], ['check', '--to', 'x']]) {
    const { status, stderr } = await runProgram(args, { DATA_DIR: here });
    assert.equal(status, 2, args.join(' '));
    assert.match(stderr, /^Write: porchlight (copy --to FOLDER\|URL|check)/m);
  }
});

function runCopy(from: Store, target: Store, resume: boolean): Promise<void> {
  return COMMANDS['copy']!.run(
    from,
    commandArgs({ target, continue: resume, now: () => Date.now() }),
    SILENT,
  );
}

const newPosts = (count: number) =>
  Array.from({ length: count }, (_, n) => {
    const id = `post_${String(n).padStart(8, '0')}`;
    return { id, message: `${n}`, prefix: null, parentId: null, rootId: id };
  });

test('copy --continue resumes an interrupted copy, and fails if the stores differ at the end', async (t) => {
  const [from, to] = [await open(await temporaryFolder(t)), await open(await temporaryFolder(t))];
  t.after(() => Promise.all([from.close(), to.close()]));
  await addPosts(from, newPosts(700));
  const run = (target: Store, resume: boolean): Promise<void> => runCopy(from, target, resume);

  let writes = 0;
  const failing: Store = Object.create(to, {
    read: { value: to.read },
    write: {
      value: ((lookups, decide) =>
        ++writes > 600
          ? Promise.reject(new Error('interrupted'))
          : to.write(lookups, decide)) as Store['write'],
    },
  }) as Store;
  await assert.rejects(run(failing, false), /interrupted/);
  const { posts } = await to.read.totals();
  assert.ok(posts > 0 && posts < 700, `${posts} were there`);
  await assert.rejects(run(to, false), /not empty/);
  await run(to, true);
  assert.equal((await to.read.totals()).posts, 700);

  await addRecord(to, 'guest', { id: 'guest_only-in-target', name: 'x', kind: null, note: 'x' });
  await assert.rejects(run(to, true), /The stores differ/);
});
