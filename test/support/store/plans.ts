import { basename } from 'node:path';
import type { Disk } from '#store/folder/fs/disk.ts';
import { deferred } from './deferred.ts';

export type Call = keyof Disk | 'read' | 'append' | 'overwrite' | 'sync';

/** A system call that a test has stopped. */
export interface Stop {
  /** Resolves when the call is made. */
  readonly arrived: Promise<void>;
  readonly release: () => void;
}

interface Plan {
  readonly call: Call;
  readonly file: RegExp;
  readonly before?: () => unknown;
  readonly after?: () => Promise<void>;
  /** Of an append: writes no more bytes than this. */
  readonly maxBytes?: number;
}

/** An error as Node's file system functions throw it. */
export const systemError = (code: string): Error =>
  Object.assign(new Error(`${code}: as planned by the test`), { code });

/**
 * Interventions in system calls. Each applies once, to the next call of its name on a matching file; the
 * oldest first.
 */
export class Plans {
  #plans: Plan[] = [];
  readonly #killed = deferred();
  #dead = false;

  stopBefore(call: Call, file = /./): Stop {
    const [arrived, released] = [deferred(), deferred()];
    this.#plans.push({ call, file, before: () => this.#hold(arrived.resolve, released.promise) });
    return { arrived: arrived.promise, release: released.resolve };
  }

  /** Makes the call, and stops before it returns. */
  stopAfter(call: Call, file = /./): Stop {
    const [arrived, released] = [deferred(), deferred()];
    this.#plans.push({ call, file, after: () => this.#hold(arrived.resolve, released.promise) });
    return { arrived: arrived.promise, release: released.resolve };
  }

  /** Awaits `before` right before the call, which it fails by throwing. */
  interpose(call: Call, before: () => unknown, file = /./): void {
    this.#plans.push({ call, file, before });
  }

  failNext(call: Call, code: string, file = /./): void {
    this.interpose(
      call,
      () => {
        throw systemError(code);
      },
      file,
    );
  }

  /** The next append writes at most `maxBytes` bytes. */
  shortNext(maxBytes: number, file = /./): void {
    this.#plans.push({ call: 'append', file, maxBytes });
  }

  /** Acts as SIGKILL: stopped calls and all later calls fail. */
  kill(): void {
    this.#dead = true;
    this.#killed.resolve();
  }

  protected async carryOut<T>(
    call: Call,
    path: string,
    action: (maxBytes?: number) => Promise<T>,
  ): Promise<T> {
    const plan = this.#plans.find((planned) => planned.call === call && planned.file.test(basename(path)));
    this.#plans = this.#plans.filter((planned) => planned !== plan);
    await plan?.before?.();
    if (this.#dead) throw systemError('EKILLED');
    const result = await action(plan?.maxBytes);
    await plan?.after?.();
    return result;
  }

  async #hold(arrive: () => void, released: Promise<void>): Promise<void> {
    arrive();
    await Promise.race([released, this.#killed.promise]);
    if (this.#dead) throw systemError('EKILLED');
  }
}
