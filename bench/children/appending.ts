import { open } from 'node:fs/promises';
import { LINE, type Ask } from '../writers.ts';

const file = await open(process.argv[2]!, 'a');

async function answer({ each }: Ask): Promise<number[]> {
  const all: number[] = [];
  for (let n = 0; n < each; n++) {
    const begun = performance.now();
    await file.write(LINE);
    await file.datasync();
    all.push(performance.now() - begun);
  }
  return all;
}

process.on('message', (ask: Ask) => {
  void answer(ask).then((times) => process.send!(times));
});
