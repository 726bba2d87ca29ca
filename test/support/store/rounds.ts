import { setTimeout as sleep } from 'node:timers/promises';
import type { Load } from './load.ts';

/** A source of whole numbers below a bound. */
type Below = (bound: number) => number;

/** Kills one of the processes of a load again and again, at a random moment, and starts another. */
export async function killInTurn(load: Load, rounds: number, below: Below): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    await load.progress();
    await sleep(below(200));
    await load.kill(load.children[below(load.children.length)]!);
    await load.start(1);
  }
  await load.progress();
}

/** Stops the first process of a load again and again. @returns the longest wait of the others, in ms */
export async function stopFirst(load: Load, rounds: number, ms: number, below: Below): Promise<number> {
  const [first, ...others] = load.children;
  for (let round = 0; round < rounds; round++) {
    await load.progress();
    await sleep(below(100));
    first?.signal('SIGSTOP');
    await sleep(ms);
    first?.signal('SIGCONT');
  }
  await load.progress();
  return load.waits(others).at(-1) ?? 0;
}

/** Stops all processes of a load at once for longer than a lock lives, and lets them go on. */
export async function stopAll(load: Load, rounds: number, ms: number): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    await load.progress();
    for (const child of load.children) child.signal('SIGSTOP');
    await sleep(ms);
    for (const child of load.children) child.signal('SIGCONT');
  }
  await load.progress();
}

/**
 * An import in one process beside others that post one after the other.
 * @returns waits of their posts, in ms
 */
export async function importBeside(load: Load, records: number): Promise<number[]> {
  await load.start(3, 'post 1000000000');
  const posters = [...load.children];
  await load.start(1, `import ${records}`);
  const before = posters.map((child) => child.lines.length);
  const importer = load.children.at(-1)!;
  await importer.waitForLines((line) => line === `imported ${records}`);
  return load.waits(posters, before);
}
