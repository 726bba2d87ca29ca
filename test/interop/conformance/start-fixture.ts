import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { withTimeout } from '../../torture/support/time.ts';

const START_TIMEOUT_SECONDS = 60;

/**
 * Starts the fixture in a process of its own, since its timers run faster. It ends with this process.
 * @param dataDir an empty folder @returns the address, and what ends the fixture
 */
export async function startFixture(dataDir: string): Promise<{ url: string; stop: () => void }> {
  const child = fork(fileURLToPath(new URL('./fixture/serve.ts', import.meta.url)), [dataDir], {
    // The timers of node:test are experimental.
    execArgv: [...process.execArgv, '--disable-warning=ExperimentalWarning'],
  });
  const exit = once(child, 'exit').then(([code]) => {
    throw new Error(`the fixture did not start (${String(code)})`);
  });
  exit.catch(() => undefined);
  const started = Promise.race([once(child, 'message') as Promise<[string]>, exit]);
  const [url] = await withTimeout(START_TIMEOUT_SECONDS, 'the start of the fixture', started);
  return { url, stop: () => void child.kill() };
}
