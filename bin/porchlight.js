#!/usr/bin/env node
// No static imports and no recent syntax, so that an old version of Node can parse this file and print the
// message.
const VERSION = process.versions.node;
const [MAJOR, MINOR] = VERSION.split('.').map(Number);

/**
 * Caches the compiled code for the next start, if this version of Node can. If the folder is not writable,
 * the program starts without a cache. Node itself reads NODE_COMPILE_CACHE, which takes precedence, and
 * NODE_DISABLE_COMPILE_CACHE.
 */
async function enableCompileCache() {
  const { default: module } = await import('node:module');
  // Absent in Node 20.
  if (module.enableCompileCache === undefined) return;
  const { homedir } = await import('node:os');
  const { join } = await import('node:path');
  try {
    // Node's default is the temporary folder, where other users could put compiled code that this user would
    // run.
    module.enableCompileCache(join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'porchlight'));
  } catch {
    // `homedir` throws for a user without a name, as in a container with any user id.
  }
}

/** The longest wait for the rest of the output, which a reader may never read. */
const LOG_TIMEOUT_MS = 1000;

/** Resolves once the stream is flushed or its reader has closed it, or after the timeout. */
function flush(stream, timeoutMs) {
  return new Promise((resolve) => {
    stream.once('error', resolve);
    stream.write('', resolve);
    if (timeoutMs !== undefined) setTimeout(resolve, timeoutMs);
  });
}

async function launch() {
  const { existsSync } = await import('node:fs');
  const source = new URL('../src/cli/cli.ts', import.meta.url);
  const isCheckout = existsSync(source);
  // Without `tsconfig: false` tsx would read the tsconfig.json of the current folder.
  if (isCheckout) (await import('tsx/esm/api')).register({ tsconfig: false });
  else await enableCompileCache();
  const { main } = await import(isCheckout ? source.href : '../dist/program/cli.js');
  let outputError;
  process.stdout.on('error', (error) => {
    // A reader such as `head` closes the pipe early: that is no failure.
    if (error.code !== 'EPIPE') outputError = error;
  });
  const exitCode = await main(process.argv.slice(2));
  // A pipe takes 64 KiB at once, and process.exit drops the rest.
  await Promise.all([flush(process.stdout), flush(process.stderr, LOG_TIMEOUT_MS)]);
  if (outputError !== undefined) console.error(`The output could not be written: ${outputError.message}.`);
  process.exit(outputError === undefined ? exitCode : exitCode || 1);
}

if (MAJOR > 20 || (MAJOR === 20 && MINOR >= 19)) {
  launch();
} else {
  console.error(`Porchlight needs Node 20.19 or later; this is v${VERSION}.`);
  process.exit(1);
}
