// Loaded into a server: on SIGUSR2 it collects garbage and prints the bytes that are still in use.
process.on('SIGUSR2', () => {
  globalThis.gc();
  globalThis.gc();
  const { heapUsed, external } = process.memoryUsage();
  process.stdout.write(`in use: ${heapUsed + external}\n`);
});
