import assert from 'node:assert/strict';
import type { BenchContext, RunningServer } from '../bench-context.ts';

/** With more posts a read takes so long that fifty connections time out. */
export const MAX_POSTS = 10_000;

const VERSIONS = [
  { name: 'json-server 0.17', file: 'json-server', path: '/posts?_sort=createdAt&_order=desc&_limit=50' },
  { name: 'json-server 1.0 beta', file: 'json-server-1', path: '/posts?_sort=-createdAt&_limit=50' },
];

export interface JsonServer {
  readonly name: string;
  readonly size: number;
  readonly server: RunningServer;
  readonly path: string;
}

/**
 * Starts both versions with posts that have the same fields as ours.
 * @param message one of our posts, as a template
 */
export async function jsonServers(
  context: BenchContext,
  sizes: readonly number[],
  message: object,
): Promise<JsonServer[]> {
  const servers: JsonServer[] = [];
  for (const size of sizes.filter((one) => one <= MAX_POSTS)) {
    const posts = Array.from({ length: size }, (_, n) => ({
      ...message,
      id: `post_${n}`,
      createdAt: new Date(n * 1000).toISOString(),
    }));
    for (const { name, file, path } of VERSIONS) {
      const server = await context.servePeer(file, context.writeJson({ posts }));
      const newest = (await (await fetch(server.url + path)).json()) as { id: string }[];
      assert.deepEqual([newest.length, newest[0]?.id], [50, `post_${size - 1}`]);
      servers.push({ name, size, server, path });
    }
  }
  return servers;
}
