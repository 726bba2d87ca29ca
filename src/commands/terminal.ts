import { createInterface } from 'node:readline/promises';
import { SingleBar } from 'cli-progress';
import { CommandError, type CommandOutput } from './command.ts';

/** @param interruption is aborted when the user interrupts the command */
export function createTerminal(interruption: AbortSignal): CommandOutput {
  return {
    printResult: (line) => {
      console.log(line);
    },
    logStatus: (line) => {
      console.error(line);
    },
    ask: async (question) => {
      if (!process.stdin.isTTY) return undefined;
      const lines = createInterface({ input: process.stdin, output: process.stderr });
      try {
        return await lines.question(question);
      } finally {
        lines.close();
      }
    },
    progress: async ({ unit, total, interrupted }, job) => {
      const format =
        total === undefined ? `{value} ${unit}` : `{bar} {value} of {total} ${unit}, {eta_formatted} left`;
      const bar = new SingleBar({ format, stream: process.stderr, hideCursor: true });
      // `stop` shows the cursor again, so it must also run if the process exits early.
      const stop = (): void => {
        bar.stop();
      };
      process.once('exit', stop);
      bar.start(total ?? 0, 0);
      let done = 0;
      try {
        return await job((by) => {
          bar.increment(by);
          done += by;
          if (interruption.aborted) throw new CommandError(interrupted(done), 'interrupted');
        });
      } finally {
        process.off('exit', stop);
        bar.stop();
      }
    },
  };
}
