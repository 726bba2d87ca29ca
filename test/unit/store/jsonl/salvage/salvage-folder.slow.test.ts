import assert from 'node:assert/strict';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import test from 'node:test';
import { nodeDisk, type Disk } from '#store/jsonl/fs/disk.ts';
import { decodeLine, encodeLine, headerLine, type SegmentHeader } from '#store/jsonl/log/line.ts';
import { salvageFolder } from '#store/jsonl/salvage/salvage-folder.ts';
import type { Loss, Reader } from '#store/port/store.ts';
import { encodeExport } from '#workspace/export-format.ts';
import { Machine, post, postInNewSegment, type Process } from '../../../../support/store/machine.ts';
import { GatedDisk } from '../../../../support/store/gated-disk.ts';
import { erase, freeze, hide, unhide } from '../../../../support/store/writes.ts';

const FIRST = 'log-000001.jsonl';
const SECOND = 'log-000002.jsonl';
const THIRD = 'log-000003.jsonl';

async function exportOf(history: ReturnType<Reader['history']>): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of encodeExport(history)) lines.push(line);
  return lines;
}

interface Salvaged {
  readonly exported: readonly string[];
  readonly losses: readonly Loss[];
}

/** Salvages the folder, and checks that this changes nothing in it. */
async function salvage(machine: Machine): Promise<Salvaged> {
  const before = machine.files();
  const { history, losses } = await salvageFolder(nodeDisk, machine.folder);
  const exported = await exportOf(history());
  assert.deepEqual(machine.files(), before);
  return { exported, losses };
}

/** Fills a page, so that the next segment begins with a copy of this line, and of none before it. */
const PAGE = 'x'.repeat(5000);

/** The messages of an export, without those that fill pages. */
const textsOf = (exported: readonly string[]): string[] =>
  exported.flatMap((line) => /"message":"([^"]*)"/.exec(line)?.[1] ?? []).filter((text) => text !== PAGE);

/** Posts texts, and closes the store. */
async function fill(machine: Machine, texts: readonly string[]): Promise<void> {
  const a = await machine.start();
  for (const text of texts) await post(a, text);
  await a.store.close();
}

/** @returns byte and length of the line that holds a text */
function placeOf(machine: Machine, name: string, text: string): [at: number, length: number] {
  const bytes = readFileSync(machine.path(name), 'latin1');
  const found = bytes.indexOf(text);
  assert.ok(found >= 0, `${text} is not in ${name}`);
  const at = bytes.lastIndexOf('\n', found) + 1;
  return [at, bytes.indexOf('\n', at) - at];
}

function change(machine: Machine, name: string, edit: (bytes: Buffer) => Buffer): void {
  writeFileSync(machine.path(name), edit(readFileSync(machine.path(name))));
}

function flip(machine: Machine, name: string, at: number): void {
  change(machine, name, (bytes) => {
    bytes[at]! ^= 1;
    return bytes;
  });
}

/** Flips a bit in the text of a line. */
function flipText(machine: Machine, name: string, text: string): void {
  flip(machine, name, readFileSync(machine.path(name), 'latin1').indexOf(text));
}

/** Hidden, erased and shown records in three segments, and lines that do not count. */
async function eventful(machine: Machine): Promise<void> {
  const [a, b] = [await machine.start(), await machine.start()];
  const first = await post(a, 'first');
  a.disk.interpose('append', () => post(b, 'by b'), /^log/);
  await post(a, 'displaced once');
  b.disk.shortNext(40, /^log/);
  await assert.rejects(post(b, 'torn'));
  const erased = await post(a, 'erased');
  await hide(a.store, first.record.id);
  await post(a, PAGE);
  await postInNewSegment(a, 'in the second');
  await hide(a.store, erased.record.id);
  await erase(a.store, erased.record.id);
  await post(a, PAGE);
  await postInNewSegment(a, 'in the third');
  await unhide(a.store, first.record.id);
  await Promise.all([a.store.close(), b.store.close()]);
  assert.deepEqual(machine.segments(), [FIRST, SECOND, THIRD]);
}

/** @returns the export of the store */
async function exportOfStore(machine: Machine): Promise<string[]> {
  const a = await machine.start();
  const lines = await exportOf(a.store.read.history());
  await a.store.close();
  return lines;
}

test('the salvage of an undamaged folder is its export', async (t) => {
  const machine = new Machine(t);
  await eventful(machine);
  const { exported, losses } = await salvage(machine);
  assert.deepEqual(losses, []);
  assert.deepEqual(exported, await exportOfStore(machine));
  assert.deepEqual(textsOf(exported), ['first', 'by b', 'displaced once', 'in the second', 'in the third']);
});

test('the salvage of a store without records is an empty export', async (t) => {
  const machine = new Machine(t);
  await fill(machine, []);
  const { exported, losses } = await salvage(machine);
  assert.deepEqual([exported.length, losses], [1, []]);
});

test('a frozen store is reported as frozen', async (t) => {
  const machine = new Machine(t);
  const a = await machine.start();
  await freeze(a.store);
  assert.equal((await salvageFolder(nodeDisk, machine.folder)).frozen, true);
});

test('a salvage opens files for reading only, and makes no other system call that changes something', async (t) => {
  const machine = new Machine(t);
  await eventful(machine);
  const disk = new GatedDisk();
  const modes = new Set<string>();
  const open: Disk['open'] = (path, mode) => {
    modes.add(mode);
    return disk.open(path, mode);
  };
  await salvageFolder({ ...nodeDisk, list: (folder) => disk.list(folder), open }, machine.folder);
  assert.deepEqual([...modes], ['read']);
  assert.equal(disk.openFiles, 0);
  assert.deepEqual(new Set(disk.calls.map((call) => call.split(' ')[0])), new Set(['list', 'open', 'read']));
});

test('a flipped bit in a text loses that record only, and names its bytes', async (t) => {
  const machine = new Machine(t);
  await fill(machine, ['one', 'two', 'three', 'four']);
  const [at, length] = placeOf(machine, FIRST, '"two"');
  const [before, lengthBefore] = placeOf(machine, FIRST, '"one"');
  const [behind] = placeOf(machine, FIRST, '"three"');
  flipText(machine, FIRST, 'two');
  const { exported, losses } = await salvage(machine);
  assert.deepEqual(textsOf(exported), ['one', 'three', 'four']);
  assert.deepEqual(losses, [
    { file: FIRST, bytes: [before + lengthBefore + 1, behind], what: '1 line is damaged or missing' },
  ]);
  assert.ok(at >= losses[0]!.bytes[0] && at + length <= losses[0]!.bytes[1]);
});

test('a flipped line feed loses the line that it ended, and not the next one of its batch', async (t) => {
  const machine = new Machine(t);
  const a = await machine.start();
  await Promise.all(['one', 'two', 'three'].map((text) => post(a, text)));
  await a.store.close();
  const [at, length] = placeOf(machine, FIRST, '"two"');
  flip(machine, FIRST, at + length);
  const { exported, losses } = await salvage(machine);
  assert.deepEqual(textsOf(exported), ['one', 'three']);
  assert.equal(losses.length, 1);
});

for (const [description, edit] of Object.entries<(bytes: Buffer, end: number) => Buffer>({
  'a flipped bit in the header': (bytes) =>
    Buffer.from(bytes.map((byte, index) => (index === 70 ? byte ^ 1 : byte))),
  'a header of zeros': (bytes, end) => Buffer.from(bytes).fill(0, 0, end - 1),
  'a header that runs into the next line': (bytes, end) => Buffer.from(bytes).fill(0, 0, end),
}))
  test(`${description} of any segment: its lines are found without it`, async (t) => {
    for (const name of [FIRST, SECOND, THIRD]) {
      const machine = new Machine(t);
      await eventful(machine);
      const undamaged = (await salvage(machine)).exported;
      change(machine, name, (bytes) => edit(bytes, bytes.indexOf('\n') + 1));
      const { exported, losses } = await salvage(machine);
      assert.deepEqual(exported, undamaged, name);
      assert.deepEqual(
        losses.map(({ file, what }) => [file, what]),
        [[name, 'the header is damaged']],
      );
    }
  });

test('a segment that was cut in the middle loses what stood behind the cut', async (t) => {
  const machine = new Machine(t);
  await eventful(machine);
  const [at] = placeOf(machine, FIRST, '"by b"');
  change(machine, FIRST, (bytes) => bytes.subarray(0, at + 30));
  const { exported, losses } = await salvage(machine);
  const texts = textsOf(exported);
  assert.ok(!texts.includes('by b') && texts.includes('first') && texts.includes('in the third'));
  assert.equal(losses[0]!.file, FIRST);
  assert.deepEqual(losses[0]!.bytes![1], at + 30);
});

for (const [what, inserted] of [
  ['a byte order mark', '\uFEFF'],
  ['a byte', 'x'],
  ['lines', 'one\n{"at":0,\n#\n'],
] as const)
  for (const name of [FIRST, SECOND, THIRD])
    test(`${what} before ${name} loses no line, and places behind are those of the file`, async (t) => {
      const machine = new Machine(t);
      await eventful(machine);
      const { exported: all } = await salvage(machine);
      const bytes = Buffer.from(inserted);
      change(machine, name, (file) => Buffer.concat([bytes, file]));
      const whole = await salvage(machine);
      assert.deepEqual(whole.exported, all);
      assert.deepEqual(whole.losses, [
        { file: name, bytes: [0, bytes.length], what: 'bytes were inserted before the header' },
      ]);
      if (name !== FIRST) return;
      flipText(machine, FIRST, 'by b');
      const [, loss] = (await salvage(machine)).losses;
      const [from, to] = loss!.bytes!;
      const text = readFileSync(machine.path(FIRST)).subarray(from, to).toString('latin1');
      assert.match(text, /"message":"[^"]y b"/);
    });

test('a last line that is cut off is listed, unless it was removed or only began', async (t) => {
  const machine = new Machine(t);
  await eventful(machine);
  const { exported: all } = await salvage(machine);
  const { length } = readFileSync(machine.path(THIRD));
  for (const harmless of ['#', '   ']) {
    change(machine, THIRD, (bytes) => Buffer.concat([bytes.subarray(0, length), Buffer.from(harmless)]));
    assert.deepEqual((await salvage(machine)).losses, []);
  }
  const fragment = '{"at":1,"seq"';
  change(machine, THIRD, (bytes) => Buffer.concat([bytes.subarray(0, length), Buffer.from(fragment)]));
  assert.deepEqual(await salvage(machine), {
    exported: all,
    losses: [
      {
        file: THIRD,
        bytes: [length, length + fragment.length],
        what: 'the last line is cut off, by a crash before it was acknowledged or by damage',
      },
    ],
  });
  const opened = await exportOfStore(machine);
  assert.deepEqual(opened, all);
});

for (const [name, left] of [
  [FIRST, ['in the second', 'in the third']],
  [SECOND, ['first', 'by b', 'displaced once', 'in the third']],
  // The third begins with a copy of the line whose sync failed in the second.
  [THIRD, ['first', 'by b', 'displaced once', 'in the second', 'in the third']],
] as const)
  test(`without ${name} the records of the other segments are saved`, async (t) => {
    const machine = new Machine(t);
    await eventful(machine);
    const { exported: all } = await salvage(machine);
    rmSync(machine.path(name));
    const { exported, losses } = await salvage(machine);
    assert.ok(exported.every((line) => all.includes(line)));
    assert.deepEqual(textsOf(exported), left);
    const [{ file, what } = { file: '', what: '' }] = losses;
    if (name === FIRST) assert.match(what, /^\d lines are damaged or missing$/);
    else assert.deepEqual([file, what], [name, 'the segment is missing']);
  });

test('an overwritten block of 4096 bytes loses the lines in it', async (t) => {
  const machine = new Machine(t);
  const texts = Array.from({ length: 100 }, (_, index) => `post ${String(index).padStart(3, '0')}`);
  await fill(machine, texts);
  const touched = texts.filter((text) => {
    const [at, length] = placeOf(machine, FIRST, `"${text}"`);
    return at + length >= 8192 && at < 12_288;
  });
  for (const block of [Buffer.alloc(4096), Buffer.alloc(4096, ' '), Buffer.alloc(4096, '\n')]) {
    change(machine, FIRST, (bytes) => {
      block.copy(bytes, 8192);
      return bytes;
    });
    const { exported, losses } = await salvage(machine);
    assert.deepEqual(
      textsOf(exported),
      texts.filter((text) => !touched.includes(text)),
    );
    assert.deepEqual(
      losses.map(({ what }) => what),
      [`${touched.length} lines are damaged or missing`],
    );
  }
});

test('a block that the disk cannot read loses the lines in it', async (t) => {
  const machine = new Machine(t);
  const texts = Array.from({ length: 60 }, (_, index) => `post ${String(index).padStart(3, '0')}`);
  await fill(machine, texts);
  const disk: typeof nodeDisk = {
    ...nodeDisk,
    open: async (path, mode) => {
      const file = await nodeDisk.open(path, mode);
      return {
        ...file,
        read: async (into, at) => {
          if (at < 8192 && at + into.length > 4096) throw Object.assign(new Error('no'), { code: 'EIO' });
          return file.read(into, at);
        },
      };
    },
  };
  const { history, losses } = await salvageFolder(disk, machine.folder);
  const left = texts.filter((text) => {
    const [at, length] = placeOf(machine, FIRST, `"${text}"`);
    return at + length < 4096 || at >= 8192;
  });
  assert.deepEqual(textsOf(await exportOf(history())), left);
  assert.equal(losses.length, 1);
});

/** Posts a secret and erases it, but the process dies before it overwrites the text. */
async function eraseWithoutOverwriting(machine: Machine, a: Process): Promise<void> {
  await post(a, 'one');
  const { record } = await post(a, 'a secret');
  await post(a, 'two');
  a.disk.failNext('overwrite', 'EIO', /^log/);
  await assert.rejects(erase(a.store, record.id));
  assert.match(readFileSync(machine.path(FIRST), 'latin1'), /a secret/);
}

test('a record whose text an interrupted erase left is not saved', async (t) => {
  const machine = new Machine(t);
  await eraseWithoutOverwriting(machine, await machine.start());
  const { exported, losses } = await salvage(machine);
  assert.deepEqual(losses, []);
  assert.deepEqual(textsOf(exported), ['one', 'two']);
  assert.match(exported.at(-1)!, /"erase"/);
});

test('damage between a record and its erase line does not bring the record back', async (t) => {
  const machine = new Machine(t);
  await eraseWithoutOverwriting(machine, await machine.start());
  flipText(machine, FIRST, 'two');
  const { exported, losses } = await salvage(machine);
  assert.deepEqual(textsOf(exported), ['one']);
  assert.match(exported.at(-1)!, /"erase"/);
  assert.equal(losses.length, 1);
});

test('a damaged erase line erases what it still names', async (t) => {
  const machine = new Machine(t);
  const a = await machine.start();
  await eraseWithoutOverwriting(machine, a);
  await a.store.close();
  const [at, length] = placeOf(machine, FIRST, '"moderate":"erase"');
  // A proof of it follows.
  change(machine, FIRST, (bytes) => {
    const { log } = decodeLine(bytes.subarray(0, bytes.indexOf('\n')), 0) as unknown as {
      log: SegmentHeader;
    };
    const proof = encodeLine({ at: bytes.length, seq: 4, base: 4 }, '"proof":1', log.seed);
    return Buffer.concat([bytes, proof]);
  });
  flip(machine, FIRST, at + length - 1);
  const { exported, losses } = await salvage(machine);
  assert.deepEqual(textsOf(exported), ['one', 'two']);
  assert.equal(losses.length, 2);
});

test('a text that is half overwritten counts as erased', async (t) => {
  const machine = new Machine(t);
  await eraseWithoutOverwriting(machine, await machine.start());
  change(machine, FIRST, (bytes) => {
    const at = bytes.indexOf('a secret');
    return Buffer.from(bytes).fill(' ', at, at + 4);
  });
  const { exported, losses } = await salvage(machine);
  assert.deepEqual(textsOf(exported), ['one', 'two']);
  assert.deepEqual(
    losses.map(({ what }) => what),
    ['the line of an erased record is damaged'],
  );
});

test('an erase line in a later segment erases a record whose text still stands in an earlier one', async (t) => {
  const machine = new Machine(t);
  const a = await machine.start();
  const { record } = await post(a, 'a secret');
  await post(a, 'two');
  await post(a, PAGE);
  const before = readFileSync(machine.path(FIRST));
  await postInNewSegment(a, 'in the second');
  await erase(a.store, record.id);
  await a.store.close();
  change(machine, FIRST, (bytes) => Buffer.concat([before, bytes.subarray(before.length)]));
  assert.match(readFileSync(machine.path(FIRST), 'latin1'), /a secret/);
  flipText(machine, SECOND, 'in the second');
  const { exported, losses } = await salvage(machine);
  assert.deepEqual(textsOf(exported), ['two']);
  assert.equal(losses.length, 1);
});

test('lines that lost a race are not saved, also behind damage', async (t) => {
  const machine = new Machine(t);
  const [a, b] = [await machine.start(), await machine.start()];
  await post(a, 'one');
  await post(a, 'two');
  b.disk.interpose('append', () => post(a, 'by a'), /^log/);
  await assert.rejects(
    b.store.write({ added: { type: 'record', id: 'post_x' } }, ({ timestamp }) => {
      if (readFileSync(machine.path(FIRST), 'latin1').includes('displaced')) throw new Error('refused');
      const record = {
        id: 'post_x',
        message: 'displaced',
        prefix: null,
        parentId: null,
        rootId: 'post_x',
        answers: [],
      };
      const operation = { action: 'add', kind: 'post', record: { ...record, createdAt: timestamp } } as const;
      return { answer: undefined, operation };
    }),
  );
  await post(a, 'three');
  await Promise.all([a.store.close(), b.store.close()]);
  assert.match(readFileSync(machine.path(FIRST), 'latin1'), /displaced/);
  for (const text of ['two', 'by a']) {
    const bytes = readFileSync(machine.path(FIRST));
    flipText(machine, FIRST, `"${text}"`);
    const { exported } = await salvage(machine);
    assert.deepEqual(
      textsOf(exported),
      ['one', 'two', 'by a', 'three'].filter((other) => other !== text),
    );
    writeFileSync(machine.path(FIRST), bytes);
  }
});

const SEED = 7;

/** Writes a segment of lines, given as their text, number and base; null text: a line with a wrong checksum. */
function writeSegment(
  machine: Machine,
  lines: readonly [text: string, seq: number, base: number, isWhole?: boolean][],
): void {
  let bytes = headerLine({ format: 2, number: 1, from: 1, upto: 0, seed: SEED });
  for (const [index, [message, seq, base, isWhole = true]] of lines.entries()) {
    const id = `post_${index}`;
    const createdAt = `2026-11-21T10:00:00.${String(index).padStart(6, '0')}Z`;
    const record = { id, parentId: null, rootId: id, createdAt, message, prefix: null, answers: [] };
    const body = message === 'proof' ? '"proof":1' : `"do":${JSON.stringify({ add: 'post', record })}`;
    const line = encodeLine({ at: bytes.length, seq, base }, body, isWhole ? SEED : SEED + 1);
    bytes = Buffer.concat([bytes, line]);
  }
  writeFileSync(machine.path(FIRST), bytes);
}

test('a line that a power cut left alone is saved only if the lines before it were synced', async (t) => {
  const machine = new Machine(t);
  // Nothing shows that line 2 was ever synced: it may have been cut off, and line 3 does not count then.
  writeSegment(machine, [
    ['1', 1, 0],
    ['2', 2, 1, false],
    ['3', 3, 1],
  ]);
  assert.deepEqual(textsOf((await salvage(machine)).exported), ['1']);
  writeSegment(machine, [
    ['1', 1, 0],
    ['2', 2, 1, false],
    ['3', 3, 1],
    ['proof', 3, 3],
  ]);
  assert.deepEqual(textsOf((await salvage(machine)).exported), ['1', '3']);
  // The numbers 2 and 3 were given to other lines.
  writeSegment(machine, [
    ['1', 1, 0],
    ['2', 2, 1, false],
    ['3', 3, 1],
    ['2 anew', 2, 1],
    ['3 anew', 3, 2],
    ['proof', 3, 3],
  ]);
  assert.deepEqual(textsOf((await salvage(machine)).exported), ['1', '2 anew', '3 anew']);
  // The same, and the first of them is damaged; or the other.
  writeSegment(machine, [
    ['1', 1, 0],
    ['2', 2, 1, false],
    ['3', 3, 1],
    ['2 anew', 2, 1, false],
    ['3 anew', 3, 2],
    ['proof', 3, 3],
  ]);
  assert.deepEqual(textsOf((await salvage(machine)).exported), ['1', '3 anew']);
  writeSegment(machine, [
    ['1', 1, 0],
    ['2', 2, 1, false],
    ['3', 3, 1],
    ['2 anew', 2, 1, false],
    ['3 anew', 3, 2, false],
    ['proof', 3, 3],
  ]);
  assert.deepEqual(textsOf((await salvage(machine)).exported), ['1']);
});

test('what hides a record that is lost is left out, so that the export can be imported', async (t) => {
  const machine = new Machine(t);
  const a = await machine.start();
  const { record } = await post(a, 'lost');
  await post(a, 'left');
  await hide(a.store, record.id);
  await a.store.close();
  flipText(machine, FIRST, '"lost"');
  const { exported, losses } = await salvage(machine);
  assert.deepEqual([exported.length, textsOf(exported)], [2, ['left']]);
  assert.equal(losses.length, 2);
});

test('the next segment of a process that died before it gave it its name is read', async (t) => {
  const machine = new Machine(t);
  const a = await machine.start();
  await post(a, 'one');
  a.disk.failNext('sync', 'EIO', /^log/);
  a.disk.failNext('link', 'EIO', /./);
  await post(a, 'two').catch(() => undefined);
  const names = Object.keys(machine.files());
  assert.ok(names.some((name) => name.startsWith('.tmp-')) && !names.includes(SECOND), names.join());
  const { exported, losses } = await salvage(machine);
  assert.deepEqual(losses, []);
  assert.deepEqual(textsOf(exported), ['one', 'two']);
});

test('a folder without a log is refused', async (t) => {
  const machine = new Machine(t);
  await assert.rejects(salvageFolder(nodeDisk, machine.folder), /there is no store in this folder/);
  writeFileSync(machine.path('notes.txt'), 'something else');
  await assert.rejects(salvageFolder(nodeDisk, machine.folder), /there is no store in this folder/);
  await assert.rejects(salvageFolder(nodeDisk, machine.path('missing')), { code: 'ENOENT' });
  assert.ok(!existsSync(machine.path('missing')));
});

test('a log that holds something else loses everything in it, and none of its text shows', async (t) => {
  const machine = new Machine(t);
  writeFileSync(machine.path(FIRST), 'a secret\n'.repeat(9));
  const { exported, losses } = await salvage(machine);
  assert.equal(exported.length, 1);
  assert.deepEqual(losses, [{ file: FIRST, bytes: [0, 81], what: 'the header is damaged' }]);
});

for (const [description, make] of Object.entries<(path: string, machine: Machine) => void>({
  'an empty file': (path) => {
    writeFileSync(path, '');
  },
  'a folder': (path) => {
    mkdirSync(path);
  },
  'a link to another file': (path, machine) => {
    symlinkSync(machine.path(FIRST), path);
  },
  'a copy of another segment': (path, machine) => {
    copyFileSync(machine.path(FIRST), path);
  },
  'a segment of a newer format': (path) => {
    writeFileSync(path, headerLine({ format: 3, number: 4, from: 1, upto: 0, seed: 1 }));
  },
}))
  test(`${description} that has the name of a segment is reported, and the others are saved`, async (t) => {
    const machine = new Machine(t);
    await eventful(machine);
    const { exported: all } = await salvage(machine);
    const name = 'log-000004.jsonl';
    make(machine.path(name), machine);
    const { exported, losses } = await salvage(machine);
    assert.deepEqual(exported, all);
    assert.deepEqual(
      losses.map(({ file }) => file),
      [name],
    );
  });

test('a log of another format is refused', async (t) => {
  const machine = new Machine(t);
  const refusals: [number, RegExp][] = [
    [1, /an earlier version of this program wrote it; export the store with that version/],
    [3, /a newer version of this program wrote it/],
  ];
  for (const [format, refusal] of refusals) {
    writeFileSync(machine.path(FIRST), headerLine({ format, number: 1, from: 1, upto: 0, seed: 1 }));
    await assert.rejects(salvageFolder(nodeDisk, machine.folder), refusal);
  }
});
