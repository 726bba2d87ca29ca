import type { Kind, Post } from '#store/port/records.ts';
import type { Store } from '#store/port/store.ts';
import { aPost, newId } from '../../support/store/records.ts';
import { addRecord, erase, hide, importEntries, unhide } from '../../support/store/writes.ts';
import type { SeededRandom } from './random.ts';

const PREFIXES = ['', 'IDEA: ', 'WORK: ', 'RESULT: ', 'REVIEW: '];

/** What all writers of a run have written. */
export class WrittenRecords {
  readonly ids: string[] = [];
  readonly posts: Pick<Post, 'id' | 'rootId'>[] = [];
  readonly projects: string[] = [];
  /** By id, a word that no other record has. */
  readonly words = new Map<string, string>();
  readonly erased = new Set<string>();
  readonly #firstOld = Date.parse('2020-01-01T00:00:00Z');
  #old = 0;

  newWord(id: string): string {
    const word = `word${this.words.size}of${process.pid}end`;
    this.words.set(id, word);
    this.ids.push(id);
    return word;
  }

  /** @returns a timestamp of the past that no other record has */
  newOldTimestamp(): string {
    return new Date(this.#firstOld + (this.#old += 1000)).toISOString().replace('Z', '000Z');
  }
}

/** Writes records of every kind, imports older ones, hides, unhides and erases, at random. */
export async function writeAtRandom(
  store: Store,
  random: SeededRandom,
  written: WrittenRecords,
): Promise<void> {
  const pick = <Item>(items: readonly Item[]): Item | undefined => items[random.below(items.length)];
  const add = async <K extends Exclude<Kind, 'post'>>(kind: K, fields: object): Promise<void> => {
    const id = newId(kind);
    const word = written.newWord(id);
    const text = kind === 'project' ? { title: word, summary: word } : { note: word };
    await addRecord(store, kind, { id, ...fields, ...text } as never);
    if (kind === 'project') written.projects.push(id);
  };
  const roll = random.below(100);
  const id = pick(written.ids);
  if (roll < 45 || id === undefined) {
    const parent = roll < 25 ? pick(written.posts) : undefined;
    const post = aPost('');
    post.message = `${pick(PREFIXES)}${written.newWord(post.id)} about ${id ?? 'nothing'}`;
    const prefix = /^([A-Z]+):/.exec(post.message)?.[1] ?? null;
    const links = parent === undefined ? {} : { parentId: parent.id, rootId: parent.rootId };
    const record = { ...post, prefix, ...links };
    if (roll < 35) await addRecord(store, 'post', record);
    else
      await importEntries(store, [
        { kind: 'post', record: { ...record, createdAt: written.newOldTimestamp() } },
      ]);
    written.posts.push(record);
  } else if (roll < 50) await add('guest', { name: 'a guest', kind: null });
  else if (roll < 54 || written.projects.length === 0)
    await add('project', { by: 'a guest', url: null, looking_for: null });
  else if (roll < 66) await add('note', { projectId: pick(written.projects), name: 'a guest' });
  else if (roll < 80) await hide(store, id);
  else if (roll < 94)
    await unhide(store, pick(written.projects.length > 0 && roll < 84 ? written.projects : written.ids)!);
  else if (await erase(store, id)) written.erased.add(id);
}
