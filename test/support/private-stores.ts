import type { TestContext } from 'node:test';
import { createFolderPrivateStore } from '#private/folder-private-store.ts';
import { createPostgresPrivateStore } from '#private/postgres-private-store.ts';
import type { Entry, Position, PrivateStore } from '#private/private-store.ts';
import { nodeDisk } from '#store/folder/fs/disk.ts';
import { temporaryFolder } from './folder.ts';
import { newDatabase } from './postgres/postgres.ts';

type Clock = Parameters<typeof createFolderPrivateStore>[0]['clock'];

/** By engine, makes a place, and a function that opens a private store there, closed after the test. */
export const PRIVATE_STORES: Readonly<
  Record<string, (t: TestContext, clock: Clock) => Promise<() => PrivateStore>>
> = {
  'a folder': async (t, clock) => {
    const folder = await temporaryFolder(t);
    return () => createFolderPrivateStore({ disk: nodeDisk, folder, clock });
  },
  'a database': async (t, clock) => {
    const url = await newDatabase(t);
    return () => {
      const store = createPostgresPrivateStore({ url, clock, report: () => undefined });
      t.after(() => store.close());
      return store;
    };
  },
};

/** The entries behind a position, and the position behind them. */
export async function readEntries(
  store: PrivateStore,
  from?: Position,
): Promise<{ entries: Entry[]; position: Position }> {
  const entries: Entry[] = [];
  let position = from ?? {};
  for await (const batch of store.read(from)) {
    entries.push(...batch.entries);
    position = batch.position;
  }
  return { entries, position };
}
