import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { openFolderStore } from '#store/folder/folder-store.ts';
import { Child } from './children.ts';

const TEXT = /[a-z]\d*-\d+\./g;

/** Printed by a child. */
interface Answer {
  readonly to: string;
  readonly outcome: string;
  readonly text: string;
  readonly ms: number;
}

/** How many answers of each kind the audited calls got. */
export interface LoadReport {
  readonly acknowledged: number;
  readonly refused: number;
}

/** Processes that post, read and erase on one folder, and what they were told. */
export class Load {
  readonly folder: string;
  readonly children: Child[] = [];
  readonly #after: (end: () => void) => void;
  readonly #traced: () => readonly string[];
  readonly #all: Child[] = [];

  /**
   * @param after registers what ends a process after the test
   * @param traced gives the tracer of each process, as of `Child`
   */
  constructor(folder: string, after: (end: () => void) => void, traced: () => readonly string[] = () => []) {
    this.folder = folder;
    this.#after = after;
    this.#traced = traced;
  }

  /** Starts processes that write until they are ended. @param modes of child.ts */
  async start(count: number, command = 'write 1000000000', ...modes: readonly string[]): Promise<void> {
    const started = Array.from({ length: count }, () => {
      const name = `${'abcdefghij'.charAt(this.#all.length % 10)}${this.#all.length}`;
      const child = new Child(this.#after, this.folder, name, modes, this.#traced());
      this.#all.push(child);
      return child;
    });
    await Promise.all(started.map((child) => child.ready()));
    for (const child of started) child.start(command);
    this.children.push(...started);
  }

  /** Resolves once each of them has had another answer. */
  async progress(): Promise<void> {
    await Promise.all(
      this.children.map((child) =>
        child.waitForLines((line) => ANSWER.test(line), answersOf(child).length + 1),
      ),
    );
  }

  async kill(child: Child): Promise<void> {
    this.children.splice(this.children.indexOf(child), 1);
    await child.kill();
  }

  async killAll(): Promise<void> {
    await Promise.all(this.children.splice(0).map((child) => child.kill()));
  }

  /** @param from of each process, the first line that counts @returns the ms that calls took, ascending */
  waits(children: readonly Child[] = this.#all, from: readonly number[] = []): number[] {
    const answers = children.flatMap((child, index) => answersIn(child.lines.slice(from[index] ?? 0)));
    return answers.map(({ ms }) => ms).toSorted((a, b) => a - b);
  }

  /** Opens the store, and checks what it holds of all that was acknowledged, refused and erased. */
  async audit(): Promise<LoadReport> {
    const answers = this.#all.flatMap(answersOf);
    const textsOf = (call: string, outcome: string): string[] =>
      answers.filter((one) => one.to === call && one.outcome === outcome).map(({ text }) => text);
    const store = await openFolderStore({
      folder: this.folder,
      clock: { now: () => Date.now() },
      report: () => undefined,
    });
    const page = await store.read.page('post', { order: 'oldest', limit: 10_000_000 });
    await store.close();
    const found = page.map(({ record }) => record.message).filter((message) => message.match(TEXT));
    const [there, posted, erased] = [new Set(found), textsOf('post', 'done'), textsOf('erase', 'done')];
    assert.equal(there.size, found.length, 'posts are stored twice');
    // The child may have been about to erase it when it ended.
    const kept = new Set(textsOf('erase', 'refused'));
    const mayBeErased = (text: string): boolean => isErasable(text) && !kept.has(text);
    const lost = posted.filter((text) => !there.has(text) && !mayBeErased(text));
    assert.deepEqual(lost, [], 'acknowledged posts are lost');
    const refused = textsOf('post', 'refused');
    assert.deepEqual(
      refused.filter((text) => there.has(text)),
      [],
      'refused posts are stored',
    );
    assert.deepEqual(textsOf('read', 'missing'), [], 'reads do not show what was acknowledged before');
    const remaining = textsInFiles(this.folder);
    const left = erased.filter((text) => remaining.has(text));
    assert.deepEqual(left, [], 'erased texts remain');
    return { acknowledged: posted.length + erased.length, refused: refused.length };
  }
}

const ANSWER = /^(post|erase|read) (done|refused|unknown|missing) (\S+) (\d+)$/;

const answersOf = ({ lines }: Child): Answer[] => answersIn(lines);

function answersIn(lines: readonly string[]): Answer[] {
  return lines.flatMap((line) => {
    const [, to, outcome, text, ms] = ANSWER.exec(line) ?? [];
    if (to === undefined || outcome === undefined || text === undefined) return [];
    return [{ to, outcome, text, ms: Number(ms) }];
  });
}

/** Whether a child erases the post once it is acknowledged. */
const isErasable = (text: string): boolean => Number(/\d+(?=\.)/.exec(text)) % 3 === 0;

function textsInFiles(folder: string): Set<string> {
  const files = readdirSync(folder).filter((name) => statSync(join(folder, name)).isFile());
  return new Set(files.flatMap((name) => readFileSync(join(folder, name), 'latin1').match(TEXT) ?? []));
}
