import { PostgresProcess } from './process.ts';

/** Starts a new and empty server. @returns its address, and a function that stops it and removes its files */
export async function startPostgres(): Promise<{ url: string; stop: () => Promise<void> }> {
  const server = await PostgresProcess.create();
  const stop = (): Promise<void> => server.stop();
  try {
    await server.start();
  } catch (error) {
    await stop();
    throw error;
  }
  return { url: server.url, stop };
}
