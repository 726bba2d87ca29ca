import type { Command } from './command.ts';

/** A store that does not open says itself what is wrong; what opens was read whole, line by line. */
export const check: Command = {
  summary: 'verify the store, and say what is wrong',
  usage: '',
  words: 0,
  run: async (store, _, { print, progress }) => {
    const bar = progress('records');
    const counts: Record<string, number> = {
      post: 0,
      guest: 0,
      project: 0,
      note: 0,
      hide: 0,
      unhide: 0,
      erase: 0,
    };
    for await (const entry of store.read.history()) {
      const name = 'action' in entry ? entry.action : entry.kind;
      counts[name] = (counts[name] ?? 0) + 1;
      bar.advance(1);
    }
    bar.done();
    const { posts, guests, projects } = await store.read.totals();
    print(
      `The store is whole: ${counts['post']} posts (${posts} visible), ${counts['guest']} guest book notes ` +
        `(${guests} visible), ${counts['project']} projects (${projects} visible), ${counts['note']} project notes, ` +
        `${(counts['hide'] ?? 0) + (counts['unhide'] ?? 0) + (counts['erase'] ?? 0)} moderations. ` +
        `Writing is ${(await store.read.frozen()) ? 'frozen' : 'open'}.`,
    );
    const { writable, reason } = await store.health();
    if (!writable) print(`It does not take writes: ${reason ?? 'unknown'}.`);
  },
};
