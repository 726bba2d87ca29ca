import { copyDatabase } from '../postgres/databases.ts';
import type { Publisher } from '../postgres/publication.ts';
import { PUBLISHERS } from '../postgres/publishers.ts';
import type { WriteBatch } from '../writers.ts';

const [target, server, template, name, size] = process.argv.slice(2) as [
  keyof typeof PUBLISHERS,
  string,
  string,
  string,
  string,
];
const MAX_WRITTEN = Number(size) / 2;

/** A new connection first prepares its statements. */
const WARM_UP = 20;

/** Connections differ in speed, depending on the cores of their two processes, so they are replaced. */
const BATCHES_PER_CONNECTION = 5;

let url: string | undefined;
let publisher: Publisher | undefined;
let written = 0;
let batches = 0;

async function publish(by: Publisher): Promise<void> {
  await by.publish(++written);
}

async function connect(): Promise<Publisher> {
  const isReusable = url !== undefined && written <= MAX_WRITTEN;
  if (publisher !== undefined && isReusable && ++batches < BATCHES_PER_CONNECTION) return publisher;
  await publisher?.close();
  // After many writes the store has outgrown its size, so it is replaced by a new copy.
  if (!isReusable) [url, written] = [await copyDatabase(server, template, name), 0];
  publisher = await PUBLISHERS[target](url!, ++written);
  batches = 0;
  for (let n = 0; n < WARM_UP; n++) await publish(publisher);
  return publisher;
}

async function measure({ writers, each }: WriteBatch): Promise<number[]> {
  const current = await connect();
  const times: number[] = [];
  const start = performance.now();
  await Promise.all(
    Array.from({ length: writers }, async () => {
      for (let n = 0; n < each; n++) {
        const begin = performance.now();
        await publish(current);
        times.push(performance.now() - begin);
      }
    }),
  );
  return writers === 1 ? times : [performance.now() - start];
}

process.on('message', (batch: WriteBatch) => {
  void measure(batch).then((times) => process.send!(times));
});
