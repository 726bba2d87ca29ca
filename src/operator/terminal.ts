import { SingleBar } from 'cli-progress';
import type { Console } from './command.ts';

/** The operator's terminal. */
export const terminal: Console = {
  print: (line) => {
    console.log(line);
  },
  tell: (line) => {
    console.error(line);
  },
  progress: (what, total) => {
    const format =
      total === undefined ? `{value} ${what}` : `{bar} {value} of {total} ${what}, {eta_formatted} left`;
    const bar = new SingleBar({ format, stream: process.stderr, hideCursor: true });
    bar.start(total ?? 0, 0);
    return {
      advance: (by) => {
        bar.increment(by);
      },
      done: () => {
        bar.stop();
      },
    };
  },
};
