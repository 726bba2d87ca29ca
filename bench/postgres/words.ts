import { openPostgresStore } from '#store/postgres/postgres-store.ts';
import type { Store, WriteOrigin } from '#store/port/store.ts';
import { publicationNames, type PublicationNames, type Publisher } from './publication.ts';

/** The number of words in an English text of this length. */
const WORDS = 75;
const VOCABULARY = 8000;

/**
 * Creates a text of about 450 characters, different for each n. Low numbers are as frequent as common words.
 */
function createText(n: number): string {
  const words = Array.from({ length: WORDS }, (_, index) => {
    const mixed = Math.imul(n * WORDS + index, 2654435761) >>> 0;
    return `w${Math.trunc(VOCABULARY ** (mixed / 2 ** 32))}`;
  });
  return words.join(' ').padEnd(450, '.');
}

type Add = (store: Store, names: PublicationNames, text: string) => Promise<unknown>;

const toOrigin = ({ clientKey, key, content }: PublicationNames): WriteOrigin => ({
  clientKey: clientKey,
  limitScope: 'feed',
  key,
  content,
});

const addPost: Add = (store, names, message) => {
  const { id } = names;
  return store.write({ added: { type: 'record', id } }, ({ timestamp: createdAt }) => ({
    answer: id,
    operation: {
      action: 'add',
      kind: 'post',
      record: { id, message, prefix: null, parentId: null, rootId: id, answers: [], createdAt },
      origin: toOrigin(names),
    },
  }));
};

/** Writes the same to the same indexes, except those of words. */
const addGuestNote: Add = (store, names, note) => {
  const id = names.id.replace('post', 'guest');
  const given = { prefix: null, parentId: null, rootId: id, answers: [] };
  return store.write({ added: { type: 'record', id } }, ({ timestamp: createdAt }) => ({
    answer: id,
    operation: {
      action: 'add',
      kind: 'guest',
      record: { id, note, name: '', kind: null, ...given, createdAt },
      origin: toOrigin(names),
    },
  }));
};

const open =
  (add: Add) =>
  async (url: string): Promise<Publisher> => {
    const store = await openPostgresStore({ url, report: () => undefined });
    return { publish: (n) => add(store, publicationNames(n), createText(n)), close: () => store.close() };
  };

/** Publish posts that a search finds by their words, and records of the same length without words. */
export const openWorded = open(addPost);
export const openWordless = open(addGuestNote);
