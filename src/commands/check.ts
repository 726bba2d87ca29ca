import type { Kind, Timestamp } from '#store/port/records.ts';
import type { Reader, Store } from '#store/port/store.ts';
import { isAhead } from '#workspace/log/export-format.ts';
import { CommandError, type Command, type CommandOutput } from './command.ts';

/** Tries every kind of read, and reads every record once. A damaged store cannot be opened. */
export const check: Command = {
  summary: 'verify the store',
  optionalFlags: ['json'],
  run: async (store, { json, now }, output) => {
    const failures = await tryReads(store.read);
    if (failures.length > 0)
      throw new CommandError(`The store is damaged; these reads fail:\n${failures.join('\n')}`);
    const report = await countAll(store, now(), output);
    if (json === true) {
      output.printResult(JSON.stringify(report));
      return;
    }
    const { posts, guestNotes, projects, projectNotes, moderations, frozen, writable, reason } = report;
    const { newest, aheadOfClock } = report;
    output.printResult(
      `The store is intact: ${posts.total} posts (${posts.visible} visible), ${guestNotes.total} guest ` +
        `book notes (${guestNotes.visible} visible), ${projects.total} projects (${projects.visible} ` +
        `visible), ${projectNotes} project notes, ${moderations} moderations. ` +
        (writable
          ? `Writes are ${frozen ? 'frozen' : 'open'}.`
          : `It rejects writes: ${reason ?? 'unknown'}.`),
    );
    if (aheadOfClock)
      output.printResult(
        `The newest timestamp, ${newest ?? 'none'}, is ahead of the clock of this machine. New records ` +
          'continue from it, and import rejects an export of this store until then.',
      );
  },
};

/** @returns what `--json` prints; `newest` is null in an empty store */
async function countAll(store: Store, now: number, { progress }: CommandOutput) {
  const counts = { post: 0, guest: 0, project: 0, note: 0, moderation: 0 };
  const interrupted = (done: number): string => `Interrupted after ${done} records.`;
  const newest = await progress({ unit: 'records', interrupted }, async (advance) => {
    let last: Timestamp | null = null;
    for await (const entry of store.read.history()) {
      const at = 'action' in entry ? entry.at : entry.record.createdAt;
      if (last === null || at > last) last = at;
      counts['action' in entry ? 'moderation' : entry.kind] += 1;
      advance(1);
    }
    return last;
  });
  const { posts, guests, projects } = await store.read.totals();
  const { writable, reason } = await store.health();
  return {
    posts: { total: counts.post, visible: posts },
    guestNotes: { total: counts.guest, visible: guests },
    projects: { total: counts.project, visible: projects },
    projectNotes: counts.note,
    moderations: counts.moderation,
    newest,
    aheadOfClock: newest !== null && isAhead(newest, now),
    frozen: await store.read.frozen(),
    writable,
    reason,
  };
}

const KINDS = Object.keys({ post: 0, guest: 0, project: 0, note: 0 } satisfies Record<Kind, 0>) as Kind[];

const A_TIMESTAMP = '2000-01-01T00:00:00.000000Z';

const OLDER = { before: A_TIMESTAMP, limit: 1, maxCandidates: 1 };
const NEWER = { after: A_TIMESTAMP, limit: 1, maxCandidates: 1 };

/** Every kind of read, in each form for which an engine has a separate statement. */
const READS: { readonly [Name in keyof Reader]: (read: Reader) => readonly Promise<unknown>[] } = {
  find: (read) => KINDS.map((kind) => read.find(kind, `${kind}_0`)),
  page: (read) =>
    KINDS.flatMap((kind) => [
      read.page(kind, { order: 'newest', before: A_TIMESTAMP, limit: 1 }),
      read.page(kind, { order: 'oldest', after: A_TIMESTAMP, limit: 1 }),
      read.page(kind, { within: `${kind}_0`, order: 'oldest', limit: 1 }),
    ]).concat([read.page('post', { thread: 'post_0', order: 'oldest', limit: 1 })]),
  feed: (read) => [read.feed({ words: ['a'] }, OLDER), read.feed({ prefix: null, threads: true }, OLDER)],
  news: (read) => [read.news({ words: ['a'] }, NEWER), read.news({ posts: ['post_0'], prefix: null }, NEWER)],
  newsOfThreads: (read) => [
    read.newsOfThreads({ prefix: null }, NEWER),
    read.newsOfThreads({ posts: ['post_0'] }, NEWER),
  ],
  threads: (read) => [
    read.threads({ order: 'newest', before: A_TIMESTAMP, limit: 1 }),
    read.threads({ order: 'oldest', after: A_TIMESTAMP, limit: 1 }),
    read.threads({ order: 'newest', before: A_TIMESTAMP, tail: 1, limit: 1 }),
  ],
  related: (read) => [read.related({ posts: ['post_0'] })],
  referrersOf: (read) => [read.referrersOf('post_0', 1)],
  dayCounts: (read) => [read.dayCounts({ before: A_TIMESTAMP })],
  firstPosts: (read) => [read.firstPosts(1)],
  steps: (read) => [read.steps()],
  posts: (read) => [read.posts(['post_0'])],
  countPosts: (read) => [read.countPosts({ after: A_TIMESTAMP }, 1)],
  totals: (read) => [read.totals()],
  recentWriteAges: (read) =>
    (['feed', 'porch'] as const).map((scope) => read.recentWriteAges('', scope, 1, 1)),
  records: (read) => [read.records(['post_0'])],
  moderations: (read) => [read.moderations(1)],
  history: (read) => [readFirst(read.history())],
  log: (read) => [read.log(null, 1), read.log({ n: 1, id: 'post_0' }, 1)],
  frozen: (read) => [read.frozen()],
  timestampsAround: (read) => [read.timestampsAround(A_TIMESTAMP)],
};

/** Tries every kind of read. @returns one line for each kind that fails: its name and the reason */
async function tryReads(read: Reader): Promise<string[]> {
  const failures: string[] = [];
  for (const [name, run] of Object.entries(READS)) {
    const results = await Promise.allSettled(run(read));
    const failed = results.find((result) => result.status === 'rejected');
    if (failed === undefined) continue;
    const reason: unknown = failed.reason;
    failures.push(`${name}: ${reason instanceof Error ? reason.message : String(reason)}`);
  }
  return failures;
}

async function readFirst(entries: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of entries) return;
}
