import assert from 'node:assert/strict';
import type { Lab, Served } from '../bench-context.ts';

/** Beyond, a single read takes so long that fifty connections run into their timeouts. */
export const MOST_POSTS = 10_000;

const VERSIONS = [
  { name: 'json-server 0.17', file: 'json-server', path: '/posts?_sort=createdAt&_order=desc&_limit=50' },
  { name: 'json-server 1.0 beta', file: 'json-server-1', path: '/posts?_sort=-createdAt&_limit=50' },
];

export interface JsonServer {
  readonly name: string;
  readonly size: number;
  readonly served: Served;
  readonly path: string;
}

/** Both versions with posts of the same fields as ours. @param message one of ours, of which all are made */
export async function jsonServers(
  lab: Lab,
  sizes: readonly number[],
  message: object,
): Promise<JsonServer[]> {
  const servers: JsonServer[] = [];
  for (const size of sizes.filter((one) => one <= MOST_POSTS)) {
    const posts = Array.from({ length: size }, (_, n) => ({
      ...message,
      id: `post_${n}`,
      createdAt: new Date(n * 1000).toISOString(),
    }));
    for (const { name, file, path } of VERSIONS) {
      const served = await lab.peer(file, lab.file({ posts }));
      const newest = (await (await fetch(served.url + path)).json()) as { id: string }[];
      assert.deepEqual([newest.length, newest[0]?.id], [50, `post_${size - 1}`]);
      servers.push({ name, size, served, path });
    }
  }
  return servers;
}
