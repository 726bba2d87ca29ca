import { parseJson } from '#runtime/json.ts';
import { visitInSlices, nextSlice } from '#runtime/slice.ts';
import type { LogLine } from '#store/port/pages.ts';
import type { ExportedRecord, ModerationEntry, Timestamp } from '#store/port/records.ts';
import type { Store } from '#store/port/store.ts';
import { ExportLineError, validateEntry } from '#workspace/log/export-format.ts';
import type { MirrorPosition, PrivateStore } from '#private/private-store.ts';
import { decodeLogPage, LogPageError, MAX_MIRRORS, type OriginPage } from '#workspace/log/log-page.ts';
import { readLocalActions, toLocalReason, toOriginReason, type Mirror } from '#workspace/service/mirror.ts';
import { ProjectWithNotes } from '#workspace/schemas/porch.ts';
import type { Service } from '#workspace/service/service.ts';
import { textRefusal } from '#workspace/log/import-rules.ts';
import { CommandError } from './command.ts';
import { digest, ForeignRecords } from './foreign-records.ts';
import { importEntries, type ExportEntry } from './import-entries.ts';
import {
  CUT_OFF,
  describeRefusal,
  readProblem,
  requestService,
  RIGHT_URL,
  type TemporaryFailure,
  withQuery,
} from './service-request.ts';
import type { WaitContext } from './wait.ts';

const TIMEOUT_MS = 30_000;

/** A page of the log has up to 1 MB, a page of 100 notes less. */
const MAX_PAGE_BYTES = 1024 * 1024;

const NOTES_PER_PAGE = 100;

/** Entries that are read or written at once. They are few, since each read or write blocks the event loop. */
const ENTRIES_AT_ONCE = 100;

export interface MirrorContext extends WaitContext {
  readonly store: Store;
  readonly privateStore: Pick<PrivateStore, 'readMirrorPosition' | 'writeMirrorPosition'>;
  readonly service: Pick<Service, 'name'> & {
    /** The base URL of the mirror, without a trailing slash; null if it is not set. */
    readonly baseUrl: string | null;
  };
  readonly isStopped: () => boolean;
  readonly isFull: () => boolean;
  readonly logStatus: (line: string) => void;
}

/**
 * Follows the public log of an origin. Each page takes the same steps: request it, check the chain of mirrors
 * and the records, copy notes, add hides, store the entries, store the position.
 */
export class LogFollower {
  /** The state of the mirror, for the server that serves it. */
  readonly mirror: Mirror;
  #asOf: Timestamp | null = null;
  #mirrors: readonly string[] = [];
  readonly #origin: string;
  readonly #context: MirrorContext;
  #position: MirrorPosition;

  private constructor(context: MirrorContext, position: MirrorPosition) {
    this.#origin = position.origin;
    this.mirror = { origin: this.#origin, mirrors: () => this.#mirrors, asOf: () => this.#asOf };
    this.#context = context;
    this.#position = position;
  }

  /** @throws CommandError if the store is neither empty nor a mirror of this origin */
  static async open(origin: string, context: MirrorContext): Promise<LogFollower> {
    const { store, privateStore, logStatus } = context;
    const known = await privateStore.readMirrorPosition();
    if (known === undefined) {
      if ((await store.read.log(null, 1))?.newest !== 0)
        throw new CommandError(
          'The store is neither empty nor a mirror; name another one with DATA_DIR or DATABASE_URL.',
        );
      const position = { origin, line: null, moderation: null };
      // Written before the first record, since a store with records but no position is not a mirror.
      await privateStore.writeMirrorPosition(position);
      return new LogFollower(context, position);
    }
    if (known.origin !== origin)
      throw new CommandError(
        `The store is a mirror of ${known.origin}; name another one with DATA_DIR or DATABASE_URL.`,
      );
    if (await holdsLine(store, known)) return new LogFollower(context, known);
    logStatus('The store lacks the last line that this mirror followed; reading the log from the beginning.');
    return new LogFollower(context, { origin, line: null, moderation: null });
  }

  /**
   * Stores the next page of the log. After an error nothing of the page is stored.
   * @throws CommandError if no later request can succeed, or the origin has another history
   */
  async followPage(): Promise<{ readonly lines: number; readonly more: boolean } | TemporaryFailure> {
    const page = await this.#requestPage();
    if ('failure' in page) return page;
    this.#checkChain(page);
    await this.#check(
      page.lines.flatMap(({ n, added }) =>
        added === undefined ? [] : { place: `line ${n} of the log`, added },
      ),
    );
    for (const { moderation, added } of page.lines) {
      if (moderation?.action !== 'unhide' || added?.kind !== 'project') continue;
      const failure = await this.#copyNotes(moderation.id);
      if (failure !== undefined) return failure;
    }
    const entries = await this.#toEntries(page.lines);
    await importEntries(this.#context.store, entries, undefined, ENTRIES_AT_ONCE);
    await this.#moveTo(page, entries.at(-1));
    return { lines: page.lines.length, more: page.more };
  }

  async #requestPage(): Promise<OriginPage | TemporaryFailure> {
    const { line } = this.#position;
    const query = line === null ? {} : { after: String(line.n), id: line.id, at: line.at };
    const response = await this.#request('/api/log', query);
    if ('failure' in response) return response;
    const { status, type, text } = response;
    if (status === 409 && line !== null && readProblem(text).code === 'log_changed')
      throw new CommandError(
        `Line ${line.n} of the log of ${this.#origin} is no longer the one about "${line.id}" that this ` +
          'mirror has followed: the origin was restored from an older backup, or is another service. ' +
          'Nothing was changed. To start over, mirror it into an empty store.',
        'historyChanged',
      );
    if (status !== 200) throw new CommandError(describeRefusal(response, '/api/log'));
    if (type !== 'application/x-ndjson') throw new CommandError(`The response is not a log. ${RIGHT_URL}`);
    try {
      return (await decodeLogPage(text, line, this.#context.now())) ?? CUT_OFF;
    } catch (error) {
      if (!(error instanceof LogPageError)) throw error;
      throw new CommandError(
        `The page of the log of ${this.#origin} after line ${line?.n ?? 0} is refused: ${error.message}. ` +
          'None of it was stored.',
      );
    }
  }

  /** @throws CommandError if the origin follows this mirror, or too many others */
  #checkChain({ mirrors }: OriginPage): void {
    const { baseUrl } = this.#context.service;
    const own = [this.#origin, baseUrl ?? this.#origin].map((address) => new URL(address).host);
    if (mirrors.some((host) => own.includes(host)))
      throw new CommandError(
        `${this.#origin} is a mirror of this mirror or of itself, so neither would ever get a record. ` +
          'Name a service that accepts writes.',
      );
    if (mirrors.length === MAX_MIRRORS)
      throw new CommandError(
        `${this.#origin} is the last in a chain of ${MAX_MIRRORS} mirrors, the longest that is allowed. ` +
          'Name a mirror that is nearer to the service that accepts writes.',
      );
    this.#mirrors = mirrors;
  }

  /** @throws CommandError if the store may not grow, since it could not store the response */
  #request(path: string, query: Readonly<Record<string, string | undefined>>) {
    if (this.#context.isFull())
      throw new CommandError(
        'The store has reached STORE_MAX_BYTES, and the mirror cannot follow its origin.',
      );
    const address = withQuery(`${this.#origin}${path}`, query);
    return requestService(this.#context.fetch, address, {
      timeoutMs: TIMEOUT_MS,
      maxBytes: MAX_PAGE_BYTES,
    });
  }

  /** @throws CommandError if the store has another record with the same id, or for wrong links */
  async #check(placed: readonly { readonly place: string; readonly added: ExportedRecord }[]): Promise<void> {
    const ids = placed.flatMap(({ added: { record } }) =>
      'rootId' in record ? [record.id, record.rootId, record.parentId ?? record.id] : [record.id],
    );
    const known = new Map<string, ExportedRecord>();
    const checked = new ForeignRecords();
    const unknown = [...new Set(ids)];
    while (unknown.length > 0) {
      for (const one of await this.#context.store.read.records(unknown.splice(0, ENTRIES_AT_ONCE))) {
        known.set(one.record.id, one);
        checked.add(one);
      }
      await nextSlice();
    }
    await visitInSlices(placed.entries(), ([index, { place, added }]) => {
      const { id } = added.record;
      const here = known.get(id);
      if (here !== undefined) this.#compare(place, here, added);
      known.set(id, added);
      checked.add(added, index);
    });
    const wrong = checked.firstFault();
    if (wrong === undefined) return;
    throw new CommandError(
      `The log of ${this.#origin} is refused: ${placed[wrong.line]?.place} ${wrong.fault}. None of the ` +
        'page was stored.',
    );
  }

  /** @param place of `there` in the log of the origin @throws CommandError if the records differ */
  #compare(place: string, here: ExportedRecord, there: ExportedRecord): void {
    const [digestHere, digestThere] = [digest(here), digest(there)];
    if (digestHere === digestThere) return;
    throw new CommandError(
      `"${there.record.id}" of ${this.#origin} is not the record that this mirror has (${place}; SHA-256 ` +
        `there ${digestThere}, here ${digestHere}). Nothing was changed.`,
      'historyChanged',
    );
  }

  /** The log has no lines for notes that were added while their project was hidden. */
  async #copyNotes(projectId: string): Promise<TemporaryFailure | undefined> {
    const path = `/api/projects/${projectId}`;
    for (let after: Timestamp | undefined; ; ) {
      const response = await this.#request(path, { limit: String(NOTES_PER_PAGE), after });
      if ('failure' in response) return response;
      // The project was hidden again.
      if (response.status === 404) return undefined;
      if (response.status !== 200) throw new CommandError(describeRefusal(response, path));
      const body = parseJson(response.text);
      if (body === undefined) return CUT_OFF;
      const { notes, nextAfter } = this.#parseNotes(body, projectId, after);
      await this.#check(notes.map((added) => ({ place: path, added })));
      const entries = notes.flatMap((note) => this.#withHide(note));
      await importEntries(this.#context.store, entries, undefined, ENTRIES_AT_ONCE);
      if (nextAfter === null) return undefined;
      after = nextAfter;
    }
  }

  /** @throws CommandError */
  #parseNotes(body: unknown, projectId: string, after: Timestamp = '') {
    const { data } = ProjectWithNotes.safeParse(body);
    const { notes = [], nextAfter = null } = data ?? {};
    const found = notes.map((record): ExportedRecord => ({ kind: 'note', record }));
    try {
      for (const note of found) validateEntry(note, this.#context.now());
    } catch (error) {
      if (!(error instanceof ExportLineError)) throw error;
      throw new CommandError(
        `A note of "${projectId}" of ${this.#origin} ${error.message}. It was not stored.`,
      );
    }
    const isOther = notes.some((note) => note.projectId !== projectId);
    if (
      data === undefined ||
      isOther ||
      (nextAfter !== null && !(nextAfter > after && notes.at(-1)?.createdAt === nextAfter))
    )
      throw new CommandError(
        `The response from ${this.#origin} does not contain the notes of "${projectId}". None of it was stored.`,
      );
    return { notes: found, nextAfter };
  }

  /** Adds hides for records that the rules refuse, and omits the unhides of records that stay hidden. */
  async #toEntries(lines: readonly LogLine[]): Promise<ExportEntry[]> {
    const staysHidden = await this.#findHidden(lines);
    return lines.flatMap(({ added, moderation }): ExportEntry[] => [
      ...(added === undefined ? [] : this.#withHide(added)),
      ...(moderation === undefined || (moderation.action === 'unhide' && staysHidden(moderation.id))
        ? []
        : [{ ...moderation, reason: this.#toReason(moderation) }]),
    ]);
  }

  #toReason(moderation: ModerationEntry): string {
    const isRefused = textRefusal(moderation, this.#context.service) !== null;
    return toOriginReason(isRefused ? 'its reason is not allowed here' : moderation.reason);
  }

  /** Creates a check whether a record stays hidden: by the last action of the operator, else by the rules. */
  async #findHidden(lines: readonly LogLine[]): Promise<(id: string) => boolean> {
    const unhidden = lines.flatMap(({ moderation }) =>
      moderation?.action === 'unhide' ? [moderation.id] : [],
    );
    if (unhidden.length === 0) return () => false;
    const { read } = this.#context.store;
    const actions = await readLocalActions(read);
    const records = [...(await read.records(unhidden)), ...lines.flatMap(({ added }) => added ?? [])];
    const refused = records.filter((one) => textRefusal(one, this.#context.service) !== null);
    const ids = new Set(refused.map(({ record }) => record.id));
    return (id) => (actions.get(id) ?? (ids.has(id) ? 'hide' : undefined)) === 'hide';
  }

  /** The hide comes before its record, so that no read finds the record between the two. */
  #withHide(added: ExportedRecord): ExportEntry[] {
    const refusal = textRefusal(added, this.#context.service);
    if (refusal === null) return [added];
    const { id, createdAt: at } = added.record;
    return [{ action: 'hide', id, at, reason: toLocalReason(refusal) }, added];
  }

  async #moveTo({ at, next }: OriginPage, last: ExportEntry | undefined): Promise<void> {
    if (next?.n !== this.#position.line?.n) {
      const moderation = last !== undefined && 'action' in last && last.id === next?.id ? last : null;
      this.#position = { origin: this.#origin, line: next, moderation };
      await this.#context.privateStore.writeMirrorPosition(this.#position);
    }
    if (at !== null) this.#asOf = at;
  }
}

/** In a backup the position may be later than the store. */
function holdsLine(store: Store, { line, moderation }: MirrorPosition): Promise<boolean> {
  if (line === null) return Promise.resolve(true);
  if (moderation === null)
    return store.write({ record: { type: 'record', id: line.id } }, ({ record }) => ({
      result: record !== undefined,
    }));
  const { at, id, action } = moderation;
  return store.write({ isKnown: { type: 'moderation', at, id, action } }, ({ isKnown }) => ({
    result: isKnown,
  }));
}
