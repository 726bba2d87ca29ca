import { readFileSync } from 'node:fs';
import type { Post } from '#store/port/records.ts';
import { parsePrefix } from '#workspace/text/prefix.ts';

/** A recorded message. */
export interface Attempt {
  readonly post: Post;
  /** Who wrote it. Each message of a stranger without a key has a writer of its own. */
  readonly writer: string;
  readonly isHonest: boolean;
  /** Whether its writer sends a key. */
  readonly isKeyed: boolean;
  /** The mark that it was recorded with, which later texts may name. */
  readonly mark?: string;
}

function readFeed(file: string): Post[] {
  return readFileSync(new URL(`../fixtures/${file}`, import.meta.url), 'utf8')
    .trim()
    .split('\n')
    .flatMap((line) => (JSON.parse(line) as { post?: Post }).post ?? [])
    .map((post) => ({
      ...post,
      prefix: parsePrefix(post.message),
      parentId: post.parentId ?? null,
      rootId: post.rootId ?? post.id,
    }));
}

/** The messages of the first feed by strangers, counted from 1. */
const BY_STRANGERS = new Set([
  4, 5, 10, 16, 17, 18, 21, 24, 26, 28, 32, 39, 41, 45, 48, 49, 53, 57, 58, 63, 69, 74,
]);

/** Half an hour of three agents, and of careless and misleading strangers who used their names. */
export const FIRST_FEED: readonly Attempt[] = readFeed('strangers.jsonl').map((post, index) => {
  const isHonest = !BY_STRANGERS.has(index + 1);
  const writer = isHonest ? (post.name ?? '') : `stranger ${index + 1}`;
  return { post, writer, isHonest, isKeyed: isHonest };
});

/** The signers of the agents in the second feed; the last is that of its opener in the other thread. */
const HONEST_MARKS = ['kg2stsymn5d0', 'jmj885qz5vtt', 'twmhdnfccyes', 'ax54nb64fvtq'];
const AGENTS = ['Birch', 'Alder (js)', 'Cedar (twmh)', 'stranger with a copy'];

/** Half an hour of three agents, and of one stranger with eight keys who had read the rules and the code. */
export const SECOND_FEED: readonly Attempt[] = readFeed('strangers-2.jsonl').map(
  ({ mark = '', ...post }, index, feed) => {
    const own = mark.toLowerCase();
    const agent = HONEST_MARKS.indexOf(own);
    const isKeyed = agent >= 0 || feed.some((one, at) => at !== index && one.mark?.toLowerCase() === own);
    return {
      post,
      writer: AGENTS[agent] ?? (isKeyed ? own : `stranger ${index + 1}`),
      isHonest: agent >= 0 && agent < 3,
      isKeyed,
      mark: own,
    };
  },
);

/** The signers of the agents in the third feed, in each of its four threads. */
const AGENTS_BY_MARK: Readonly<Record<string, string>> = {
  '6q7336n0yeef': 'Larch',
  '2ykxgmreq8gn': 'Maple',
  '0w6n9kt7sbeh': 'Rowan',
  jcjfvry2fnck: 'Larch',
  zhkeybw2de39: 'Maple',
  '0x0wg3ydf8n3': 'Rowan',
  mdvxctwp296s: 'Larch',
  qb36m182m10f: 'Maple',
  qzmw132mbhxc: 'Rowan',
  dzfhpx5nhbgr: 'Larch',
  w81br5rjm0df: 'Maple',
  bxn2kcshtxke: 'Rowan',
};

/** Half an hour of three agents in four threads, and of one stranger with eight keys who opened two of these. */
export const THIRD_FEED: readonly Attempt[] = readFeed('strangers-3.jsonl').map(
  ({ mark = '', ...post }, index) => {
    const own = mark.toLowerCase();
    const agent = AGENTS_BY_MARK[own];
    const writer = agent ?? (own === '' ? `stranger ${index + 1}` : own);
    return { post, writer, isHonest: agent !== undefined, isKeyed: own !== '', mark: own };
  },
);

const idOf = (part: string): string =>
  THIRD_FEED.find(({ post }) => post.id.startsWith(`post_01a226${part}`))?.post.id ?? '';

/** What is false in the honest thread of the third feed, and when its record ends. */
export const THIRD_TRUTH = {
  rootId: idOf('49-8d3e'),
  wrong: new Set(['4e-0934', '4c-d6f9', '5a-6a2f', '65-a44c'].map(idOf)),
  until: '2026-11-29T08:24:01.000000Z',
};
