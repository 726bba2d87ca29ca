import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { receiveHook } from '../support/http/hook-receiver.ts';
import { runSuccessfully, startProduct } from '../support/product.ts';
import type { Sandbox } from '../torture/support/sandbox.ts';
import { addDifficultTexts } from './world/difficult-texts.ts';
import { addExample } from './world/example-records.ts';
import { addKnownThread, type KnownThread } from './world/known-thread.ts';
import { addLongThread } from './world/long-thread.ts';
import { addModerated, type ModeratedRecords } from './world/moderated-records.ts';
import { reportTo, type HookMessage } from './world/operator-link.ts';
import { addPorch } from './world/porch-records.ts';
import { addRecordedFeed } from './world/recorded-feed.ts';
import { RecordList } from './world/record-list.ts';
import { addWork } from './world/work-records.ts';

/** What the pages of the full store are addressed by. */
interface KnownRecords extends ModeratedRecords {
  readonly thread: KnownThread;
  readonly longThreadId: string;
  readonly longThreadEndId: string;
  readonly difficultThreadId: string;
  readonly recordedThreadId: string;
  readonly projectId: string;
  /** Of the page on which the operator judges the difficult thread. */
  readonly operatorPath: string;
  /** A day with messages, as `YYYY-MM-DD`. */
  readonly day: string;
}

/** A server with an empty store, with one that holds what is hard to show, or the demo. */
export interface World {
  readonly state: 'empty' | 'full' | 'demo';
  /** Without a slash at the end. */
  readonly url: string;
}

export interface Worlds {
  readonly empty: World;
  readonly full: World;
  readonly known: KnownRecords;
  readonly demo: Demo;
}

interface Demo extends World {
  /** The id of its longest thread, and of a reply in the middle of it. */
  readonly threadId: string;
  readonly replyId: string;
}

const SETTINGS = { REQUESTS_PER_MINUTE: '0', LOG_LEVEL: 'warn' };

/** Starts three servers as an operator does. @param start milliseconds since 1970; the records are older */
export async function startWorlds(sandbox: Sandbox, start: number): Promise<Worlds> {
  const records = new RecordList(start);
  const filled = fill(records);
  const hook = await receiveHook<HookMessage>(sandbox);
  const full = await serveRecords(sandbox, records, { HOOK_URL: hook.url });
  const known = { ...filled, operatorPath: await reportTo(hook, full, filled.difficultThreadId) };
  const empty = await serve(sandbox, { DATA_DIR: await sandbox.createFolder() });
  const demo = await startDemo(sandbox);
  return { empty: { state: 'empty', url: empty }, full: { state: 'full', url: full }, known, demo };
}

export async function startDemo(sandbox: Sandbox): Promise<Demo> {
  const demo = await startProduct({ TMPDIR: await sandbox.createFolder() }, ['demo']);
  sandbox.after(() => demo.end('SIGTERM'));
  const { messages } = (await (await fetch(`${demo.url}/api/feed?limit=100`)).json()) as {
    messages: { id: string; rootId: string }[];
  };
  const sizes = new Map<string, number>();
  for (const { rootId } of messages) sizes.set(rootId, (sizes.get(rootId) ?? 0) + 1);
  const [[threadId = ''] = []] = [...sizes].sort(([, one], [, other]) => other - one);
  const replies = messages.filter(({ id, rootId }) => rootId === threadId && id !== rootId);
  const replyId = replies[Math.floor(replies.length / 2)]!.id;
  return { state: 'demo', url: demo.url, threadId, replyId };
}

async function serveRecords(
  sandbox: Sandbox,
  records: RecordList,
  given: Readonly<Record<string, string>>,
): Promise<string> {
  const folder = await sandbox.createFolder();
  const file = join(folder, 'export.jsonl');
  await writeFile(file, records.export());
  const settings = { DATA_DIR: join(folder, 'data') };
  await runSuccessfully(['import', file], settings);
  return serve(sandbox, { ...settings, ...given });
}

function fill(records: RecordList): Omit<KnownRecords, 'operatorPath'> {
  addExample(records);
  const { rootId: longThreadId, lastId: longThreadEndId } = addLongThread(records);
  const projectId = addPorch(records);
  addWork(records);
  const difficultThreadId = addDifficultTexts(records);
  const recordedThreadId = addRecordedFeed(records);
  const moderated = addModerated(records);
  const thread = addKnownThread(records);
  const day = records.timeOf(2900).slice(0, 10);
  return {
    ...moderated,
    thread,
    longThreadId,
    longThreadEndId,
    difficultThreadId,
    recordedThreadId,
    projectId,
    day,
  };
}

async function serve(sandbox: Sandbox, settings: Readonly<Record<string, string>>): Promise<string> {
  const { url } = await sandbox.serve({ ...SETTINGS, ...settings });
  return new URL(url).origin;
}
