import { copyOf } from '../postgres/databases.ts';
import type { Scribe } from '../postgres/publication.ts';
import { SCRIBES } from '../postgres/publishers.ts';
import type { Ask } from '../writers.ts';

const [who, server, template, name, size] = process.argv.slice(2) as [
  keyof typeof SCRIBES,
  string,
  string,
  string,
  string,
];
const MOST_WRITTEN = Number(size) / 2;

/** A new connection has its statements to prepare. */
const WARM_UP = 20;

/** Some connections are slower than others, as long as they last, by where the system put their two ends. */
const TURNS_OF_A_CONNECTION = 5;

let url: string | undefined;
let scribe: Scribe | undefined;
let written = 0;
let turns = 0;

async function write(by: Scribe): Promise<void> {
  await by.write(++written);
}

async function connected(): Promise<Scribe> {
  const isFresh = url !== undefined && written <= MOST_WRITTEN;
  if (scribe !== undefined && isFresh && ++turns < TURNS_OF_A_CONNECTION) return scribe;
  await scribe?.close();
  // A store that was written to for long is no longer of its size, so that it is begun again as it was.
  if (!isFresh) [url, written] = [await copyOf(server, template, name), 0];
  scribe = await SCRIBES[who](url!, ++written);
  turns = 0;
  for (let n = 0; n < WARM_UP; n++) await write(scribe);
  return scribe;
}

async function answer({ writers, each }: Ask): Promise<number[]> {
  const by = await connected();
  const all: number[] = [];
  const start = performance.now();
  await Promise.all(
    Array.from({ length: writers }, async () => {
      for (let n = 0; n < each; n++) {
        const begun = performance.now();
        await write(by);
        all.push(performance.now() - begun);
      }
    }),
  );
  return writers === 1 ? all : [performance.now() - start];
}

process.on('message', (ask: Ask) => {
  void answer(ask).then((times) => process.send!(times));
});
