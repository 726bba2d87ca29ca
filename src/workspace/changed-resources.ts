import type { Change, Store } from '#store/store.ts';

/** Reads whose answer is another since a change: `feed`, `start`, `guestbook`, `projects`, `posts/{id}`, `projects/{id}`. */
export type ChangedResources = readonly string[];

const CHANGED_BY_KIND: Readonly<Record<Change['kind'], (change: Change) => ChangedResources>> = {
  post: ({ id, ancestors }) => ['feed', 'start', ...[id, ...ancestors].map((post) => `posts/${post}`)],
  guest: () => ['guestbook'],
  project: ({ id }) => ['projects', `projects/${id}`],
  note: ({ ancestors }) => ['projects', ...ancestors.map((project) => `projects/${project}`)],
};

/** Tells of every change, whoever made it, once a reader can see it. @returns how to stop */
export function watchResources(store: Store, listener: (touched: ChangedResources) => void): () => void {
  return store.watch((change) => {
    listener(CHANGED_BY_KIND[change.kind](change));
  });
}
