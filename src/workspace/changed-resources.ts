import type { Change, Store } from '#store/store.ts';

/** Reads whose answer is another since a change: `feed`, `start`, `guestbook`, `projects`, `posts/{id}`, `projects/{id}`. */
export type Touched = readonly string[];

const TOUCHED: Readonly<Record<Change['kind'], (change: Change) => Touched>> = {
  post: ({ id, above }) => ['feed', 'start', ...[id, ...above].map((post) => `posts/${post}`)],
  guest: () => ['guestbook'],
  project: ({ id }) => ['projects', `projects/${id}`],
  note: ({ above }) => ['projects', ...above.map((project) => `projects/${project}`)],
};

/** Tells of every change, whoever made it, once a reader can see it. @returns how to stop */
export function watchNews(store: Store, listener: (touched: Touched) => void): () => void {
  return store.watch((change) => {
    listener(TOUCHED[change.kind](change));
  });
}
