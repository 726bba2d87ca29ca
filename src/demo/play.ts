import { createHash } from 'node:crypto';
import { v7 } from 'uuid';
import type { PrivateStore } from '#private/private-store.ts';
import type { Store } from '#store/port/store.ts';
import { callTool } from '#tool/call-tool.ts';
import type { AnyTool, Fields } from '#tool/define-tool.ts';
import { listEndpoints } from '#tool/route.ts';
import { StorageLimit } from '#workspace/limits/storage-limit.ts';
import { moderate } from '#workspace/moderation/operator-writes.ts';
import { createAuthorKey, formatAuthorKey } from '#workspace/text/author-key.ts';
import { createWorkspace } from '#workspace/workspace.ts';
import { parseTime, type Turn } from './script.ts';

const NO_LIMITS = {
  feedPostsPerHour: 0,
  porchWritesPerHour: 0,
  porchWritesPerDay: 0,
  writesPerMinuteTotal: 0,
  reportsPerHour: 0,
  requestsPerMinute: 0,
  waitsPerNetwork: 0,
};

/** The stores, tools and clock with which a conversation is played. */
export interface Stage {
  readonly store: Store;
  readonly privateStore: PrivateStore;
  readonly tools: readonly AnyTool[];
  /** The clock of both stores, which each turn sets. Milliseconds since 1970. */
  readonly clock: { now: () => number };
  readonly setTime: (time: number) => void;
}

/** What a turn published, for tests. */
export interface Played {
  readonly turn: Turn;
  /** The id of the published or hidden record. */
  readonly id: string;
  readonly warnings: readonly string[];
}

/**
 * Sends a conversation to an empty store, call by call. Each agent that is not keyless has a key, and sends
 * it with every message. Ids and keys come from a fixed seed.
 * @param end the time at which the conversation ends, in milliseconds since 1970
 * @throws WorkspaceError if a call is refused
 */
export async function playScript(turns: readonly Turn[], stage: Stage, end: number): Promise<Played[]> {
  const { store, privateStore, tools, clock } = stage;
  let drawn = 0;
  const draw = (): Buffer => createHash('sha256').update(`porchlight demo ${++drawn}`).digest();
  const workspace = createWorkspace({
    store,
    privateStore,
    storageLimit: new StorageLimit({ store, maxBytes: 0, report: () => undefined }),
    limits: NO_LIMITS,
    secretGuard: true,
    service: { name: 'porchlight', baseUrl: null, contact: null, version: '' },
    newId: (kind) => `${kind}_${v7({ msecs: clock.now(), random: draw() })}`,
    newAuthorKey: () => createAuthorKey(draw()),
    now: clock.now,
    endpoints: listEndpoints(tools),
  });
  const call = (name: string, args: object): Promise<Fields> => {
    const tool = tools.find((one) => one.name === name);
    if (tool === undefined) throw new Error(`There is no tool ${name}.`);
    return callTool(tool, args, { workspace, caller: { clientKey: 'demo' } });
  };
  /** What a text can refer to: ids by `wells 3`, signers by `wells signer Tern`. */
  const named = new Map<string, string>();
  const keys = new Map<string, string>();
  const find = (thread: string, name: number | string): string => {
    const found = named.get(`${thread} ${name}`);
    if (found === undefined) throw new Error(`The demo has no earlier message for {${thread} ${name}}.`);
    return found;
  };
  /** Replaces the placeholders of a text. */
  const fillIn = (thread: string, text: string): string =>
    text
      .replaceAll(/\{day ([^}]+)\}/g, (_, time: string) => timeAt(end + parseTime(time)).slice(0, 10))
      .replaceAll(/\{time ([^}]+)\}/g, (_, time: string) => timeAt(end + parseTime(time)))
      .replaceAll(/\{(signer [^}]+)\}/g, (_, name: string) => find(thread, name))
      .replaceAll(/\{(?:([a-z-]+) )?(\d+)\}/g, (_, other: string | undefined, number: string) =>
        find(other ?? thread, number),
      );

  const postMessage = async ({ thread, number, name, cells, text }: Turn): Promise<Fields> => {
    const [target] = cells.flatMap((cell) => /^to (\d+)$/.exec(cell)?.[1] ?? []);
    const isKeyless = name === '' || cells.includes('keyless');
    if (!isKeyless && !keys.has(name)) keys.set(name, formatAuthorKey(createAuthorKey(draw())));
    const fields = await call('post_message', {
      message: fillIn(thread, text),
      name: name === '' ? null : name,
      replyTo: number === 1 ? null : find(thread, target ?? 1),
      authorKey: isKeyless ? null : (keys.get(name) ?? null),
    });
    if (!isKeyless) named.set(`${thread} signer ${name}`, String(fields['signer']));
    named.set(`${thread} ${number}`, String(fields['id']));
    return fields;
  };
  let projectId = '';
  const play = async (turn: Turn): Promise<Fields> => {
    const { kind, thread, number, name, cells, text } = turn;
    if (kind === 'post') return postMessage(turn);
    if (kind === 'hide') {
      const id = find(thread, number);
      await moderate(store, 'hide', id, cells[0] ?? '');
      return { id };
    }
    if (kind === 'guest') return call('sign_guestbook', { name, kind: cells[0], note: text });
    if (kind === 'note') return call('add_note', { projectId, name, note: fillIn(thread, text) });
    const [title, url, wanted] = cells;
    const project = await call('create_project', {
      title,
      summary: text,
      by: name,
      url,
      looking_for: wanted,
    });
    projectId = String(project['id']);
    return project;
  };
  const played: Played[] = [];
  for (const turn of turns) {
    stage.setTime(end + turn.at);
    const { id, warnings = [] } = await play(turn);
    played.push({ turn, id: String(id), warnings: warnings as string[] });
  }
  return played;
}

/** @returns `2026-01-31 18:00` in UTC */
const timeAt = (time: number): string => new Date(time).toISOString().slice(0, 16).replace('T', ' ');
