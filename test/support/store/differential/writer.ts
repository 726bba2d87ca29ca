import { FolderPrivateStore } from '#private/folder-private-store.ts';
import { nodeDisk } from '#store/folder/fs/disk.ts';
import type { Store } from '#store/port/store.ts';
import { StorageLimit } from '#workspace/limits/storage-limit.ts';
import { createWorkspace, type Workspace } from '#workspace/workspace.ts';

/** Low, so that a run reaches them. */
const LIMITS = {
  feedPostsPerHour: 10,
  porchWritesPerHour: 4,
  porchWritesPerDay: 20,
  writesPerMinuteTotal: 0,
  reportsPerHour: 0,
  requestsPerMinute: 0,
  waitsPerNetwork: 0,
};

/** An engine to which the operations of a run are applied. */
export class Writer {
  readonly store: Store;
  readonly workspace: Workspace;
  /** The id of the next record. */
  nextId = '';
  /** The digits of the key of the next post that comes without one. */
  nextKey = '';

  constructor(store: Store) {
    this.store = store;
    this.workspace = createWorkspace({
      store,
      // No run reports anything.
      privateStore: new FolderPrivateStore({ disk: nodeDisk, folder: '/nowhere', clock: { now: () => 0 } }),
      limits: LIMITS,
      storageLimit: new StorageLimit({ store, maxBytes: 0, report: () => undefined }),
      secretGuard: false,
      service: { name: 'porchlight', baseUrl: null, contact: null, version: '0.0.0' },
      newId: () => this.nextId,
      newAuthorKey: () => this.nextKey,
      now: () => 0,
      endpoints: [],
    });
  }
}
