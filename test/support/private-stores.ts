import type { TestContext } from 'node:test';
import { FolderPrivateStore } from '#private/folder-private-store.ts';
import { PostgresPrivateStore } from '#private/postgres-private-store.ts';
import type { Entry, Position, PrivateStore } from '#private/private-store.ts';
import { nodeDisk } from '#store/folder/fs/disk.ts';
import { temporaryFolder } from './folder.ts';
import { newDatabase } from './postgres/postgres.ts';

type Clock = ConstructorParameters<typeof FolderPrivateStore>[0]['clock'];

/** By engine, makes a place, and a function that opens a private store there, closed after the test. */
export const PRIVATE_STORES: Readonly<
  Record<string, (t: TestContext, clock: Clock) => Promise<() => PrivateStore>>
> = {
  'a folder': async (t, clock) => {
    const folder = await temporaryFolder(t);
    return () => new FolderPrivateStore({ disk: nodeDisk, folder, clock });
  },
  'a database': async (t, clock) => {
    const url = await newDatabase(t);
    return () => {
      const store = new PostgresPrivateStore({ url, clock, report: () => undefined });
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
