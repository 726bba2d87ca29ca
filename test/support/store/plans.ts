import { basename } from 'node:path';
import type { Disk } from '#store/jsonl/fs/disk.ts';
import { deferred } from './deferred.ts';

export type Call = Exclude<keyof Disk, 'watch'> | 'read' | 'append' | 'sync';

/** A system call that is being held up. */
export interface Stop {
  /** Settles when the call arrives. */
  readonly arrived: Promise<void>;
  readonly release: () => void;
}

interface Plan {
  readonly call: Call;
  readonly file: RegExp;
  readonly before?: () => unknown;
  readonly after?: () => Promise<void>;
  readonly maxBytes?: number;
}

export const systemError = (code: string): Error =>
  Object.assign(new Error(`${code}: as planned by the test`), { code });

/** What is to happen to the next call of a name on a file of a name; each plan is used once, the oldest first. */
export class Plans {
  #plans: Plan[] = [];
  readonly #killed = deferred();
  #dead = false;

  stopBefore(call: Call, file = /./): Stop {
    const [arrived, released] = [deferred(), deferred()];
    this.#plans.push({ call, file, before: () => this.#hold(arrived.resolve, released.promise) });
    return { arrived: arrived.promise, release: released.resolve };
  }

  /** Lets the call be made, and holds up its answer. */
  stopAfter(call: Call, file = /./): Stop {
    const [arrived, released] = [deferred(), deferred()];
    this.#plans.push({ call, file, after: () => this.#hold(arrived.resolve, released.promise) });
    return { arrived: arrived.promise, release: released.resolve };
  }

  /** Does something else right before the call. */
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

  /** Makes the call, and then says that it failed. */
  failAfter(call: Call, code: string, file = /./): void {
    this.#plans.push({
      call,
      file,
      after: async () => {
        throw systemError(code);
      },
    });
  }

  /** The next append takes only so many bytes. */
  shortNext(takes: number, file = /./): void {
    this.#plans.push({ call: 'append', file, maxBytes: takes });
  }

  /** As a process that was killed: what it is in the middle of fails, and it does nothing more. */
  kill(): void {
    this.#dead = true;
    this.#killed.resolve();
  }

  protected async carryOut<T>(call: Call, path: string, action: (takes?: number) => Promise<T>): Promise<T> {
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
