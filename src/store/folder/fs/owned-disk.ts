import { constants, fchownSync } from 'node:fs';
import { open, readFile, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { type Disk, isError, makeFolders, nodeDisk, openFile } from './disk.ts';

interface Owner {
  readonly uid: number;
  readonly gid: number;
}

/** The system calls about users, for tests that do not run as root. */
export interface UserSystem {
  /** Undefined on Windows, where files have no owner of this kind. */
  readonly effectiveUser: () => number | undefined;
  readonly ownerOf: (path: string) => Promise<Owner>;
  readonly setOwner: (descriptor: number, owner: Owner) => void;
  /** The lines of /etc/passwd; empty if there is none. */
  readonly users: () => Promise<string>;
}

const NODE: UserSystem = {
  effectiveUser: () => process.geteuid?.(),
  ownerOf: (path) => stat(path),
  setOwner: (descriptor, { uid, gid }) => {
    fchownSync(descriptor, uid, gid);
  },
  users: () => readFile('/etc/passwd', 'utf8').catch(() => ''),
};

const ROOT = 0;

/**
 * The disk of this machine for one data folder. What root creates there gets the owner and group of the
 * folder, so that servers can write it. Errors of denied calls name the user who has access.
 */
export function ownedDisk(folder: string, system = NODE): Disk {
  const give = async (descriptor: number): Promise<void> => {
    if (system.effectiveUser() !== ROOT) return;
    const owner = await system.ownerOf(folder);
    if (owner.uid !== ROOT || owner.gid !== ROOT) system.setOwner(descriptor, owner);
  };
  const giveFolders = async (path: string, first: string): Promise<void> => {
    // By descriptor, since another file may have taken the path.
    const made = await open(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
    try {
      await give(made.fd);
    } finally {
      await made.close();
    }
    if (path !== first) await giveFolders(dirname(path), first);
  };
  const explained = <T>(path: string, call: Promise<T>): Promise<T> =>
    call.catch(async (error: unknown) => {
      throw await explain(error, resolve(path), system);
    });
  return {
    ...nodeDisk,
    open: (path, mode) => explained(path, openFile(path, mode, give)),
    status: (path) => explained(path, nodeDisk.status(path)),
    setTime: (path, time) => explained(path, nodeDisk.setTime(path, time)),
    // Whether a name may be added depends on the permissions of its folder.
    link: (from, to) => explained(dirname(to), nodeDisk.link(from, to)),
    rename: (from, to) => explained(dirname(to), nodeDisk.rename(from, to)),
    unlink: (path) => explained(dirname(path), nodeDisk.unlink(path)),
    list: (path) => explained(path, nodeDisk.list(path)),
    syncFolder: (path) => explained(path, nodeDisk.syncFolder(path)),
    makeFolder: (path) =>
      explained(
        path,
        makeFolders(path, (first) => giveFolders(resolve(path), resolve(first))),
      ),
  };
}

/** Adds to the message of a denied call who owns the file and who runs the process. */
async function explain(error: unknown, path: string, system: UserSystem): Promise<unknown> {
  const user = system.effectiveUser();
  if (!isError(error, 'EACCES', 'EPERM') || user === undefined) return error;
  const subject = await nearest(path, system);
  if (subject === undefined || subject.uid === user) return error;
  const users = await system.users();
  const remedy = user === ROOT ? 'run it as that user' : 'run it as that user or as root';
  error.message +=
    `. ${subject.path} belongs to ${describeUser(subject.uid, users)}, and this process runs as ` +
    `${describeUser(user, users)}: ${remedy}`;
  return error;
}

/** @returns the path, or its nearest parent whose status can be read, with its owner */
async function nearest(path: string, system: UserSystem): Promise<{ path: string; uid: number } | undefined> {
  try {
    return { path, uid: (await system.ownerOf(path)).uid };
  } catch {
    const parent = dirname(path);
    return parent === path ? undefined : nearest(parent, system);
  }
}

function describeUser(uid: number, users: string): string {
  const name = new RegExp(`^([^:\\n]+):[^:\\n]*:${uid}:`, 'm').exec(users)?.[1];
  return name === undefined ? `user ${uid}` : `user ${uid} (${name})`;
}
