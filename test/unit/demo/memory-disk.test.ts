import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createMemoryDisk } from '#demo/memory-disk.ts';
import { nodeDisk, type Disk } from '#store/folder/fs/disk.ts';
import { temporaryFolder } from '../../support/folder.ts';

/** What a program sees of a disk: results, error codes, sizes and content. */
async function visit(disk: Disk, folder: string): Promise<unknown[]> {
  const seen: unknown[] = [];
  const see = async (what: Promise<unknown>): Promise<void> => {
    seen.push(await what.catch((error: unknown) => (error as NodeJS.ErrnoException).code));
  };
  const [one, two] = [`${folder}/sub/one`, `${folder}/sub/two`];
  await see(disk.makeFolder(`${folder}/sub`));
  await see(disk.restrictFolder(`${folder}/sub`));
  await see(disk.open(one, 'append'));
  const file = await disk.open(one, 'create');
  await see(disk.open(one, 'create'));
  await see(file.append(Buffer.from('hello')));
  await see(file.append(Buffer.from(', world')));
  const other = await disk.open(one, 'overwrite');
  await see(other.overwrite(Buffer.from('HE'), 0));
  seen.push(file.size(), other.size());
  const into = Buffer.alloc(7);
  seen.push(file.readNow(into, 7), into.toString(), file.readNow(into, 100));
  await see(file.read(into, 0));
  seen.push(into.toString());
  await see(disk.link(one, two));
  await see(disk.link(one, two));
  await see(disk.link(`${folder}/none`, `${folder}/other`));
  await see(disk.link(`${folder}/none`, two));
  await see(disk.rename(one, one));
  await see(disk.rename(one, two));
  seen.push((await disk.list(`${folder}/sub`)).sort());
  await see(disk.setTime(two, 5000));
  seen.push(file.status().modified, (await disk.status(one))?.inode === file.status().inode);
  await see(disk.rename(`${folder}/none`, two));
  const third = await disk.open(`${folder}/third`, 'create');
  await see(disk.rename(`${folder}/third`, two));
  seen.push((await disk.status(two))?.inode === third.status().inode);
  await see(disk.status(`${folder}/third`));
  seen.push((await disk.list(`${folder}/sub`)).sort());
  await see(disk.unlink(one));
  await see(disk.unlink(one));
  // An open file outlives its name.
  await see(file.read(into, 0));
  await see(disk.syncFolder(folder));
  await see(file.sync());
  for (const open of [file, other, third]) await open.close();
  return seen;
}

describe('the disk in memory', () => {
  it('answers each call as the disk of this machine does', async (test) => {
    const folder = await temporaryFolder(test);
    assert.deepEqual(
      await visit(
        createMemoryDisk(() => 0),
        '/demo',
      ),
      await visit(nodeDisk, folder),
    );
  });

  it('gives a file the time of its last write by the clock', async () => {
    let time = 1;
    const disk = createMemoryDisk(() => time);
    const file = await disk.open('/demo/a', 'create');
    time = 2;
    await file.append(Buffer.from('x'));
    assert.equal((await disk.status('/demo/a'))?.modified, 2);
  });
});
