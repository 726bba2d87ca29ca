import { dirname, resolve } from 'node:path';
import { makeFolders, nodeDisk, openFile, type Disk } from './disk.ts';
import { FolderOwner, type UserSystem } from './owner.ts';

/**
 * The disk of this machine for one store. Files and folders that root makes take owner and group of the data
 * folder, so that a command of root leaves nothing that the servers cannot write; errors of denied calls name
 * the user who may.
 * @param folder the data folder
 * @param system for tests that do not run as root
 */
export function ownedDisk(folder: string, system?: UserSystem): Disk {
  const owner = new FolderOwner(folder, system);
  const explained = async <T>(path: string, call: Promise<T>): Promise<T> => {
    try {
      return await call;
    } catch (error) {
      throw await owner.explain(error, resolve(path));
    }
  };
  return {
    ...nodeDisk,
    open: (path, mode) =>
      explained(
        path,
        openFile(path, mode, (file) => owner.give(file)),
      ),
    status: (path) => explained(path, nodeDisk.status(path)),
    setTime: (path, time) => explained(path, nodeDisk.setTime(path, time)),
    // Names belong to the folder that holds them.
    link: (from, to) => explained(dirname(to), nodeDisk.link(from, to)),
    rename: (from, to) => explained(dirname(to), nodeDisk.rename(from, to)),
    unlink: (path) => explained(dirname(path), nodeDisk.unlink(path)),
    list: (path) => explained(path, nodeDisk.list(path)),
    syncFolder: (path) => explained(path, nodeDisk.syncFolder(path)),
    makeFolder: (path) => explained(path, makeFolder(path, owner)),
  };
}

async function makeFolder(path: string, owner: FolderOwner): Promise<void> {
  await makeFolders(path, (first) => owner.giveFolders(resolve(path), resolve(first)));
}
