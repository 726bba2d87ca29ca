import type { Store } from '#store/store.ts';
import type { Command, CommandOutput } from './command.ts';

interface Count {
  readonly total: number;
  readonly visible: number;
}

interface CheckReport {
  readonly posts: Count;
  readonly guestNotes: Count;
  readonly projects: Count;
  readonly projectNotes: number;
  readonly moderations: number;
  readonly frozen: boolean;
  readonly writable: boolean;
  /** Why the store rejects writes; null if it accepts them. */
  readonly reason: string | null;
}

/** Opening a damaged store already fails; the command then reads every record once. */
export const check: Command = {
  summary: 'verify the store',
  optionalFlags: ['json'],
  run: async (store, { json }, output) => {
    const report = await countAll(store, output);
    if (json) {
      output.printResult(JSON.stringify(report));
      return;
    }
    const { posts, guestNotes, projects, projectNotes, moderations, frozen, writable, reason } = report;
    output.printResult(
      `The store is whole: ${posts.total} posts (${posts.visible} visible), ${guestNotes.total} guest book notes ` +
        `(${guestNotes.visible} visible), ${projects.total} projects (${projects.visible} visible), ` +
        `${projectNotes} project notes, ${moderations} moderations. Writing is ${frozen ? 'frozen' : 'open'}.`,
    );
    if (!writable) output.printResult(`It rejects writes: ${reason ?? 'unknown'}.`);
  },
};

async function countAll(store: Store, { progress }: CommandOutput): Promise<CheckReport> {
  const bar = progress({ unit: 'records', interrupted: (done) => `Interrupted after ${done} records.` });
  const counts = { post: 0, guest: 0, project: 0, note: 0, moderation: 0 };
  try {
    for await (const entry of store.read.history()) {
      counts['action' in entry ? 'moderation' : entry.kind] += 1;
      bar.advance(1);
    }
  } finally {
    bar.done();
  }
  const { posts, guests, projects } = await store.read.totals();
  const { writable, reason } = await store.health();
  return {
    posts: { total: counts.post, visible: posts },
    guestNotes: { total: counts.guest, visible: guests },
    projects: { total: counts.project, visible: projects },
    projectNotes: counts.note,
    moderations: counts.moderation,
    frozen: await store.read.frozen(),
    writable,
    reason,
  };
}
