import { LRUCache } from 'lru-cache';
import { refersTo } from '#message/references.ts';
import { toSigner } from '#message/step.ts';
import {
  ancestorsOf,
  isFreezeOperation,
  timestampOf,
  type AddOperation,
  type ErasedAddition,
  type Operation,
  moderated,
} from '#store/engine/operation.ts';
import { latest } from '#store/engine/timestamp.ts';
import { WriteHistory } from '#store/engine/write-history.ts';
import {
  HOLD_PREFIX,
  type Kind,
  kindOf,
  type ModerationEntry,
  parentIdOf,
  type Post,
  type Timestamp,
} from '#store/port/records.ts';
import type { Change, FreezeOperation, Totals } from '#store/port/store.ts';
import { isVisible, Item, lineageOf } from './item.ts';
import { StepList } from './step-list.ts';
import { withElement, withoutElement } from './time-order.ts';
import { WordFilters } from './word-filters.ts';

type LineSpan = Pick<Item, 'seq' | 'offset' | 'length'>;

export type OrderedModeration = ModerationEntry & { readonly createdAt: Timestamp };

/** The records in memory, without texts, which stay in the log. Those of recent posts are in `recent` too. */
export class State {
  /** Lists are in the order of time unless they say otherwise. */
  readonly visible: Record<Kind, Item[]> = { post: [], guest: [], project: [], note: [] };
  hidden: Item[] = [];
  moderations: OrderedModeration[] = [];
  /** By line number, the record or the moderation that the line adds; undefined for a freeze. */
  readonly lines: (Item | ModerationEntry | undefined)[] = [];
  readonly writeHistory = new WriteHistory();
  readonly steps = new StepList();
  readonly words = new WordFilters();
  /**
   * Texts of posts that arrived since the folder was opened; the ones read last stay. Receipts, waits and lists
   * read the same few posts again and again, and what is parsed from a text is cached by its object. The size
   * is in UTF-16 code units, and includes the memory for each post.
   */
  readonly recent = new LRUCache<Item, Post>({
    maxSize: 16_000_000,
    sizeCalculation: ({ message }) => 500 + message.length,
  });
  /** The latest timestamp of any operation; null in an empty store. */
  lastTimestamp: Timestamp | null = null;
  /** Posts whose words are not yet in `words`, in the order of arrival. */
  readonly withoutWords: Item[] = [];
  revision = 0;
  /** Whether the folder is open: `arrange` was called. Before that the lists of records are empty. */
  isArranged = false;
  readonly #items = new Map<string, Item>();
  /** Names and prefixes of posts, of which equal ones share one string. */
  readonly #texts = new Map<string, string>();
  /** Visible posts; `none` counts those without a prefix. */
  readonly #countByPrefix: Record<string, number> = {};
  #threads = 0;
  #lastFreeze: FreezeOperation | undefined;

  get frozen(): boolean {
    return this.#lastFreeze?.action === 'freeze';
  }

  find(id: string): Item | undefined {
    return this.#items.get(id);
  }

  findVisible(id: string): Item | undefined {
    const item = this.#items.get(id);
    return isVisible(item) ? item : undefined;
  }

  totals(): Totals {
    const { post, guest, project } = this.visible;
    return {
      posts: post.length,
      threads: this.#threads,
      byPrefix: { ...this.#countByPrefix },
      guests: guest.length,
      projects: project.length,
    };
  }

  /** @returns the change that readers see; undefined if there is none */
  apply(operation: Operation | ErasedAddition, span: LineSpan): Change | undefined {
    this.revision += 1;
    this.lines[span.seq] = undefined;
    this.lastTimestamp = latest(this.lastTimestamp, timestampOf(operation));
    if (operation.action === 'erased-add') {
      this.lines[span.seq] = Object.assign(this.#item(operation.id), span, { presence: 'erased' });
      return undefined;
    }
    if (isFreezeOperation(operation)) {
      this.#lastFreeze = operation;
      return undefined;
    }
    const { action } = operation;
    if (operation.action === 'add') return toChange(action, this.#add(operation, span), true);
    const wasThere = this.find(operation.id)?.presence === 'there';
    return toChange(action, this.#moderate(operation, span.seq), wasThere);
  }

  /** Fills the lists once all lines are read. Until then, inserts into long lists would take much time. */
  arrange(): void {
    this.isArranged = true;
    const items = [...this.#items.values()].filter(({ presence }) => presence === 'there');
    items.sort((a, b) => compare(a.createdAt, b.createdAt) || a.seq - b.seq);
    for (const item of items) this.#list(item);
  }

  #item(id: string): Item {
    const item = this.#items.get(id) ?? new Item(id);
    this.#items.set(id, item);
    return item;
  }

  #add({ kind, record }: AddOperation, span: LineSpan): Item {
    const isKnown = this.#items.has(record.id);
    const item = Object.assign(this.#item(record.id), span);
    const parentId = parentIdOf(record);
    item.presence = 'there';
    item.createdAt = record.createdAt;
    item.parent = parentId === null ? null : this.#item(parentId);
    if (kind === 'post') {
      item.root = this.#item(record.rootId);
      item.prefix = this.#shared(record.prefix);
      item.name = this.#shared(record.name ?? null);
      item.signer = record.mark === undefined ? null : toSigner(record.mark);
      const named = refersTo(record).filter((id) => id !== parentId);
      if (named.length > 0) item.named = named.map((id) => this.#item(id));
      this.withoutWords.push(item);
      this.steps.add(item, record);
      if (isKnown) this.steps.updateOpener(item);
    }
    this.lines[span.seq] = item;
    // Each prefix has a count, of 0 too.
    if (kind === 'post' && !item.isHidden) this.#countByPrefix[item.prefix ?? 'none'] ??= 0;
    if (this.isArranged) this.#list(item, kind === 'post' ? record : undefined);
    return item;
  }

  #list(item: Item, post?: Post): void {
    if (item.isHidden) this.hidden = withElement(this.hidden, item);
    else this.#show(item, 1);
    if (post !== undefined) this.recent.set(item, post);
    this.steps.place(item, post);
  }

  #moderate(moderation: ModerationEntry, seq: number): Item {
    const { action, id, at, reason, mark } = moderation;
    const item = this.#item(id);
    const entry = { action, id, at, reason, ...(mark !== undefined && { mark }) };
    this.lines[seq] = entry;
    this.moderations = withElement(this.moderations, { ...entry, createdAt: at });
    if (item.presence === 'erased') {
      this.#keepSigner(item, mark);
      return item;
    }
    const { isHidden, moderatedAt } = item;
    const after = moderated({ status: isHidden ? 'hidden' : 'visible', moderatedAt }, moderation);
    item.isHidden = after.status === 'hidden';
    item.moderatedAt = after.moderatedAt;
    const isListed = this.isArranged && item.presence === 'there';
    if (action === 'erase' || item.moderatedAt === at)
      this.steps.update(item, action === 'hide' && reason.startsWith(HOLD_PREFIX), isListed);
    if (isListed && item.isHidden !== isHidden) {
      this.hidden = item.isHidden ? withElement(this.hidden, item) : withoutElement(this.hidden, item);
      this.#show(item, item.isHidden ? -1 : 1);
    }
    if (action !== 'erase') return item;
    if (isListed) this.hidden = withoutElement(this.hidden, item);
    this.words.remove(item);
    this.recent.delete(item);
    // Its line and its ancestors are kept.
    Object.assign(item, { presence: 'erased', prefix: null, name: null, signer: null });
    this.#keepSigner(item, mark);
    return item;
  }

  #keepSigner(item: Item, mark: string | undefined): void {
    if (mark !== undefined) item.signer = toSigner(mark);
    this.steps.updateOpener(item);
  }

  #show(item: Item, sign: 1 | -1): void {
    const change = sign === 1 ? withElement<Item> : withoutElement<Item>;
    const { parent, root, named } = item;
    const kind = kindOf(item.id);
    this.visible[kind] = change(this.visible[kind], item);
    if (parent !== null) parent.replies = change(parent.replies, item);
    if (root === null) return;
    root.thread = change(root.thread, item);
    for (const other of named) other.namedBy = change(other.namedBy, item);
    this.#countByPrefix[item.prefix ?? 'none'] = (this.#countByPrefix[item.prefix ?? 'none'] ?? 0) + sign;
    if (parent === null) this.#threads += sign;
  }

  #shared(text: string | null): string | null {
    if (text === null) return null;
    const shared = this.#texts.get(text);
    if (shared === undefined) this.#texts.set(text, text);
    return shared ?? text;
  }
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

function toChange(action: Change['action'], item: Item, isKnown: boolean): Change {
  const { id } = item;
  return { action, kind: kindOf(id), id, ancestors: isKnown ? ancestorsOf(lineageOf(item)) : [] };
}
