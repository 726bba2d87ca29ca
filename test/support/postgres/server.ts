import { PostgresProcess, type PostgresSettings } from './process.ts';

/** Settings of a server that never meets a crash of the machine: no commit waits for the disk. */
export const NO_FSYNC: PostgresSettings = { fsync: 'off', full_page_writes: 'off' };

/** Starts a new and empty server. @returns its address, and a function that stops it and removes its files */
export async function startPostgres(
  settings: PostgresSettings = {},
): Promise<{ url: string; stop: () => Promise<void> }> {
  const server = await PostgresProcess.create({ settings });
  const stop = (): Promise<void> => server.stop();
  try {
    await server.start();
  } catch (error) {
    await stop();
    throw error;
  }
  return { url: server.url, stop };
}
