import assert from 'node:assert/strict';
import { Log } from '#store/jsonl/log/log.ts';
import { segmentName } from '#store/jsonl/log/segment-names.ts';
import type { StoredOperation } from '#store/jsonl/log/line.ts';
import { LogView } from './log-view.ts';
import type { MachineModel } from './machine-model.ts';
import { ModelDisk } from './model-disk.ts';

export const FOLDER = '/data';

const CREATED_AT = '2026-11-21T10:49:32.123456Z';

/** What callers were answered so far. */
export class Outcomes {
  /** Posts that were acknowledged. */
  readonly stored = new Set<string>();
  /** Posts of which a caller was told that they are not stored. */
  readonly refused = new Set<string>();
  /** Posts whose erase was acknowledged. */
  readonly erased = new Set<string>();

  copy(): Outcomes {
    const copy = new Outcomes();
    for (const id of this.stored) copy.stored.add(id);
    for (const id of this.erased) copy.erased.add(id);
    // A power cut may come before the bytes of a refused post are overwritten, but never makes it count.
    for (const id of this.refused) copy.refused.add(id);
    return copy;
  }
}

/** Both ends of a text can be recognized in any file. Every seventh text spans several blocks. */
export function textOf(id: string): string {
  const length = Number(id.slice(-3)) % 7 === 0 ? 1500 : 40;
  return `BEGINNING-OF-${id}-${'x'.repeat(length)}-END-OF-${id}`;
}

export function addOf(id: string): StoredOperation {
  return { add: 'post', record: { id, createdAt: CREATED_AT, message: textOf(id) } };
}

/** @param reason makes the operation different from others on the same post */
export function eraseOf(id: string, at: number): StoredOperation {
  return { moderate: 'erase', id, at: `${CREATED_AT.slice(0, -1)}${at}Z`, reason: 'because' };
}

/**
 * Opens the log on a machine without faults and checks what was answered: every acknowledged post counts
 * once, no refused one does, no text of an erased one is in any file, and the log takes another post.
 */
export async function checkOutcomes(machine: MachineModel, outcomes: Outcomes): Promise<void> {
  const disk = new ModelDisk(
    machine,
    async () => 'made',
    () => true,
  );
  const view = new LogView();
  const context = {
    disk,
    folder: FOLDER,
    report: () => undefined,
    pause: async () => undefined,
    visitor: view,
    rows: undefined,
  };
  const log = await Log.open(context, segmentName(1));
  assert.deepEqual(view.repeated, [], 'posts that count more than once');
  for (const id of outcomes.stored) {
    const post = view.posts.get(id);
    assert.ok(post !== undefined, `the acknowledged ${id} is lost`);
    assert.ok(view.erased.has(id) || post.text === textOf(id), `the acknowledged ${id} has lost its text`);
  }
  for (const id of outcomes.refused) assert.ok(!view.posts.has(id), `the refused ${id} is stored`);
  for (const id of outcomes.erased) {
    assert.ok(view.erased.has(id), `the acknowledged erase of ${id} is lost`);
    assertNowhere(machine, id);
  }
  await log.catchUp();
  await log.prepareToAppend();
  assert.equal(await log.append([{ stored: addOf('post_last_000') }]), 1, 'the log takes no post any more');
  await log.close();
}

function assertNowhere(machine: MachineModel, id: string): void {
  for (const [name, bytes] of machine.contents()) {
    for (const part of [`BEGINNING-OF-${id}-`, `-END-OF-${id}`])
      assert.ok(!bytes.includes(part), `the erased text of ${id} is in ${name}`);
  }
}
