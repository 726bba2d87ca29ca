import type { Timestamp } from '#store/port/records.ts';
import type { Store } from '#store/port/store.ts';
import { isAhead } from '#workspace/log/export-format.ts';
import { CommandError, type Command, type CommandOutput } from './command.ts';
import { tryReads } from './try-reads.ts';

/** Tries every kind of read, and reads every record once. A damaged store does not open. */
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
