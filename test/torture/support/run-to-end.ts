const EXIT_CODES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129, uncaughtException: 1 };

interface Program {
  /** @returns the exit code */
  readonly main: () => Promise<number>;
  /** Ends processes and removes files. */
  readonly cleanUp: () => Promise<void>;
  /** Follows the message of an error. */
  readonly help: string;
}

/** Runs a program, and cleans up however this process ends. npm forwards Ctrl+C, so the signal arrives twice. */
export async function runToEnd({ main, cleanUp, help }: Program): Promise<never> {
  let cleaningUp: Promise<void> | undefined;
  for (const [event, exitCode] of Object.entries(EXIT_CODES))
    process.on(event, (reason: unknown) => {
      if (cleaningUp !== undefined) return;
      console.error(reason);
      cleaningUp = cleanUp().finally(() => process.exit(exitCode));
    });
  let code = 2;
  try {
    code = await main();
  } catch (error) {
    if (cleaningUp === undefined)
      console.error(`${error instanceof Error ? error.message : String(error)}\n\n${help}`);
  }
  await cleaningUp;
  await cleanUp();
  process.exit(code);
}
