import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nameLack } from '#store/folder/fs/disk.ts';
import { systemError } from '../../../../support/store/plans.ts';

test('a call that a file system does not support names what it lacks, with the code, and another failure does not', () => {
  const refused = nameLack(systemError('EPERM'), ['EPERM'], 'hard links') as NodeJS.ErrnoException;
  assert.match(
    refused.message,
    /^EPERM.*\. The data folder's file system does not seem to support hard links/,
  );
  assert.equal(refused.code, 'EPERM');
  const full = systemError('ENOSPC');
  const { message } = full;
  assert.equal((nameLack(full, ['EPERM'], 'hard links') as Error).message, message);
});
