import assert from 'node:assert/strict';
import { chmodSync, chownSync, fstatSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { ownedDisk, type UserSystem } from '#store/folder/fs/owned-disk.ts';
import { openFolderStore } from '#store/folder/folder-store.ts';
import type { Store } from '#store/port/store.ts';
import { testClock } from '../../../../support/clock.ts';
import { temporaryFolder } from '../../../../support/folder.ts';
import { anOrigin } from '../../../../support/store/records.ts';
import { addPost, erase, hide } from '../../../../support/store/writes.ts';

/** The user of the servers. */
const USER = 65_534;
const isRoot = process.geteuid?.() === 0;

/** Runs a function with the rights of the user if this process is root, else with its own rights. */
async function asUser<T>(run: () => Promise<T>): Promise<T> {
  if (!isRoot) return run();
  process.setegid!(USER);
  process.seteuid!(USER);
  try {
    return await run();
  } finally {
    process.seteuid!(0);
    process.setegid!(0);
  }
}

/** In place of the real users if this process is not root: it seems to be root, and the folder that of the user. */
function pretendRoot(given: number[]): UserSystem {
  return {
    effectiveUser: () => 0,
    ownerOf: async () => ({ uid: USER, gid: USER }),
    setOwner: (descriptor, { uid, gid }) => {
      assert.deepEqual([uid, gid], [USER, USER]);
      given.push(fstatSync(descriptor).ino);
    },
    users: async () => '',
  };
}

interface Options {
  readonly clock?: ReturnType<typeof testClock>;
  readonly system?: UserSystem | undefined;
  readonly reports?: string[];
}

async function open(
  t: TestContext,
  folder: string,
  { clock, system, reports }: Options = {},
): Promise<Store> {
  const store = await openFolderStore({
    disk: ownedDisk(folder, system),
    folder,
    clock: clock ?? testClock('2026-11-21T10:00:00.000Z'),
    report: (message) => reports?.push(message),
  });
  t.after(() => store.close());
  return store;
}

const post = (store: Store): Promise<{ record: { id: string } }> => addPost(store, 'x', anOrigin('v'));

/** @returns everything in a folder, itself excepted */
const pathsIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name));

test('what a command of root makes belongs to the owner of the data folder, whose server goes on', async (t) => {
  const folder = await temporaryFolder(t);
  if (isRoot) chownSync(folder, USER, USER);
  const clock = testClock('2026-11-21T10:00:00.000Z');
  const server = await asUser(() => open(t, folder, { clock }));
  const { record } = await asUser(() => post(server));
  // A new file may get the number of one that is gone.
  const identityOf = (path: string): string => `${path} ${statSync(path).ino}`;
  const before = new Set(pathsIn(folder).map(identityOf));
  const given: number[] = [];
  const command = await open(t, folder, { clock, system: isRoot ? undefined : pretendRoot(given) });
  clock.advance(86_400_000);
  await post(command);
  await hide(command, record.id, 'x');
  await erase(command, record.id, 'x');
  await command.close();
  const made = pathsIn(folder).filter((path) => !before.has(identityOf(path)));
  assert.deepEqual(made, [join(folder, 'keys/2026-11-22')]);
  for (const path of made) {
    const { uid, gid, ino } = statSync(path);
    if (isRoot) assert.deepEqual([uid, gid], [USER, USER], path);
    else assert.ok(given.includes(ino), path);
  }
  await asUser(async () => {
    await post(server);
    assert.equal((await server.read.totals()).posts, 2);
    assert.equal((await server.read.recentWriteAges('v', 'feed', 2 * 86_400_000, 9)).length, 3);
    await open(t, folder, { clock });
  });
});

test('folders that root makes for the keys take the owner too, with their parents', async (t) => {
  const [folder, other] = [await temporaryFolder(t), await temporaryFolder(t)];
  if (isRoot) chownSync(folder, USER, USER);
  const given: number[] = [];
  const disk = ownedDisk(folder, isRoot ? undefined : pretendRoot(given));
  await disk.makeFolder(join(other, 'a', 'keys'));
  for (const path of [join(other, 'a'), join(other, 'a', 'keys')]) {
    const { uid, gid, ino } = statSync(path);
    if (isRoot) assert.deepEqual([uid, gid], [USER, USER], path);
    else assert.ok(given.includes(ino), path);
  }
  if (isRoot) assert.equal(statSync(other).uid, 0);
  else assert.equal(given.length, 2);
});

test('a user other than root changes no owner', async (t) => {
  const folder = await temporaryFolder(t);
  const setOwner = (): void => assert.fail('changed an owner');
  await post(await open(t, folder, { system: { ...pretendRoot([]), effectiveUser: () => USER, setOwner } }));
});

/** Runs a function while the user may not enter the folder, which is root's. */
async function closed(folder: string, run: () => Promise<void>): Promise<void> {
  chmodSync(folder, isRoot ? 0o700 : 0);
  try {
    await run();
  } finally {
    chmodSync(folder, 0o700);
  }
}

/** In place of the real users if this process is not root: the folder seems to be root's. */
const pretendUser: UserSystem = {
  effectiveUser: () => USER,
  ownerOf: async () => ({ uid: 0, gid: 0 }),
  setOwner: () => undefined,
  users: async () => `root:x:0:0:root:/root:/bin/sh\nnobody:x:${USER}:${USER}::/:/bin/false\n`,
};

const DENIED =
  /EACCES: permission denied, .*\. \/\S+ belongs to user 0 \(root\), and this process runs as user 65534 \(nobody\): run it as that user or as root$/;

test('a store that the user may not read is refused with the user who may', async (t) => {
  const folder = await temporaryFolder(t);
  await (await open(t, folder)).close();
  const system = isRoot ? { ...pretendUser, ...realUsers() } : pretendUser;
  await closed(folder, () =>
    assert.rejects(
      asUser(() => open(t, folder, { system })),
      DENIED,
    ),
  );
});

/** The real users, with names that do not depend on the machine. */
function realUsers(): Pick<UserSystem, 'effectiveUser' | 'ownerOf'> {
  return { effectiveUser: () => process.geteuid!(), ownerOf: async (path) => statSync(path) };
}

test('a denied write is logged with the user who may write, and health names no user', async (t) => {
  const folder = await temporaryFolder(t);
  if (isRoot) chownSync(folder, USER, USER);
  const system = isRoot ? { ...pretendUser, ...realUsers() } : pretendUser;
  const reports: string[] = [];
  const server = await asUser(() => open(t, folder, { system, reports }));
  if (isRoot) chownSync(folder, 0, 0);
  await closed(folder, async () => {
    await asUser(() => assert.rejects(post(server), { name: 'StoreFailure', stored: 'nothing' }));
    assert.match(
      reports[0] ?? '',
      /belongs to user 0 \(root\), and this process runs as user 65534 \(nobody\)/,
    );
    const { writable, reason } = await asUser(() => server.health());
    assert.equal(writable, false);
    assert.equal(reason, 'the data folder is not writable');
  });
});
