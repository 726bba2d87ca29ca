import { LARGE } from '../data.ts';
import { longest, timed } from '../measure.ts';
import { readPeakMemory } from '../programs.ts';
import type { Bench } from '../rows.ts';

const LOOK_EVERY_MS = 50;

/** The first copy of a mirror. */
export const mirror: Bench = async ({ data, programs, row }) => {
  const { url } = await programs.serveFolder(await data.copyFolder(LARGE));
  const program = programs.porchlight(['mirror', url, '--once'], { DATA_DIR: programs.path('mirror') });
  const peaks: number[] = [];
  let timer: NodeJS.Timeout | undefined;
  const milliseconds = await timed(() =>
    programs.run(program, (pid) => {
      timer = setInterval(() => {
        // NaN once the process has ended.
        peaks.push(readPeakMemory(pid) || 0);
      }, LOOK_EVERY_MS);
    }),
  );
  clearInterval(timer);
  row('mirror', milliseconds / 1000);
  row('mirrorMemory', longest(peaks) / 1e6);
};
