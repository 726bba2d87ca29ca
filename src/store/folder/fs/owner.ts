import { constants } from 'node:fs';
import { open, readFile, stat, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isError } from './errors.ts';

export interface Owner {
  readonly uid: number;
  readonly gid: number;
}

/** The system calls about users, for tests that do not run as root. */
export interface UserSystem {
  /** Undefined on Windows, where files have no owner of this kind. */
  readonly effectiveUser: () => number | undefined;
  readonly ownerOf: (path: string) => Promise<Owner>;
  readonly setOwner: (file: FileHandle, owner: Owner) => Promise<void>;
  /** The lines of /etc/passwd; empty if there is none. */
  readonly users: () => Promise<string>;
}

const NODE: UserSystem = {
  effectiveUser: () => process.geteuid?.(),
  ownerOf: (path) => stat(path),
  setOwner: (file, { uid, gid }) => file.chown(uid, gid),
  users: () => readFile('/etc/passwd', 'utf8').catch(() => ''),
};

const ROOT = 0;

/**
 * Makes what root creates usable for the user that runs the servers, and explains to every other user why a
 * call was denied.
 */
export class FolderOwner {
  readonly #folder: string;
  readonly #system: UserSystem;

  /** @param folder the data folder, whose owner and group new files take */
  constructor(folder: string, system: UserSystem = NODE) {
    this.#folder = folder;
    this.#system = system;
  }

  /** Does nothing unless the user is root. Takes a descriptor, since a path may lead elsewhere by now. */
  async give(file: FileHandle): Promise<void> {
    const { effectiveUser, ownerOf, setOwner } = this.#system;
    if (effectiveUser() !== ROOT) return;
    const owner = await ownerOf(this.#folder);
    if (owner.uid !== ROOT || owner.gid !== ROOT) await setOwner(file, owner);
  }

  /** Gives a folder and the parents that were made with it. @param first the topmost of them */
  async giveFolders(path: string, first: string): Promise<void> {
    const folder = await open(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
    try {
      await this.give(folder);
    } finally {
      await folder.close();
    }
    if (path !== first) await this.giveFolders(dirname(path), first);
  }

  /**
   * Adds to the message of a denied call who owns the file and who runs the process. The code stays.
   * @param path what could not be used
   */
  async explain(error: unknown, path: string): Promise<unknown> {
    const isDenied = error instanceof Error && (isError(error, 'EACCES') || isError(error, 'EPERM'));
    const user = this.#system.effectiveUser();
    if (!isDenied || user === undefined) return error;
    const subject = await this.#nearest(path);
    if (subject === undefined || subject.uid === user) return error;
    const users = await this.#system.users();
    const remedy = user === ROOT ? 'run it as that user' : 'run it as that user or as root';
    error.message +=
      `. ${subject.path} belongs to ${describeUser(subject.uid, users)}, and this process runs as ` +
      `${describeUser(user, users)}: ${remedy}`;
    return error;
  }

  /** @returns the path, or its nearest parent that can be looked at, with its owner */
  async #nearest(path: string): Promise<{ path: string; uid: number } | undefined> {
    try {
      return { path, uid: (await this.#system.ownerOf(path)).uid };
    } catch {
      const parent = dirname(path);
      return parent === path ? undefined : this.#nearest(parent);
    }
  }
}

function describeUser(uid: number, users: string): string {
  const name = new RegExp(`^([^:\\n]+):[^:\\n]*:${uid}:`, 'm').exec(users)?.[1];
  return name === undefined ? `user ${uid}` : `user ${uid} (${name})`;
}
