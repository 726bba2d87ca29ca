// Preloaded into a process under test. Each connection to the socket at MEMORY_PROBE gets the figures of the
// process after a collection.
import { readdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const path = process.env['MEMORY_PROBE'];
setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');

/** Finalizers run between two collections, and may release more. */
async function figures() {
  for (let n = 0; n < 2; n++) {
    collect();
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  const { rss, heapUsed, external } = process.memoryUsage();
  const descriptors = process.platform === 'linux' ? readdirSync('/proc/self/fd').length : 0;
  return JSON.stringify({ rss, used: heapUsed + external, descriptors });
}

createServer((socket) => {
  socket.on('error', () => undefined);
  void figures().then((text) => socket.end(text));
})
  .listen(path)
  .unref();
