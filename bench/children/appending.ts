import { open } from 'node:fs/promises';
import { LINE, type WriteBatch } from '../writers.ts';

const file = await open(process.argv[2]!, 'a');

async function measure({ each }: WriteBatch): Promise<number[]> {
  const times: number[] = [];
  for (let n = 0; n < each; n++) {
    const start = performance.now();
    await file.write(LINE);
    await file.datasync();
    times.push(performance.now() - start);
  }
  return times;
}

process.on('message', (batch: WriteBatch) => {
  void measure(batch).then((times) => process.send!(times));
});
