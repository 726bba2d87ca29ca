// Preloaded into a server: on SIGUSR2 collects garbage and prints the bytes in use.
process.on('SIGUSR2', () => {
  globalThis.gc();
  globalThis.gc();
  const { heapUsed, external } = process.memoryUsage();
  process.stdout.write(`in use: ${heapUsed + external}\n`);
});
