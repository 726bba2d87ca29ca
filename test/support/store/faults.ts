import assert from 'node:assert/strict';
import { StoreFailure } from '#store/store.ts';

/** @returns whether it came about; a failure has to be one that the port knows. */
export async function tried(write: Promise<unknown>): Promise<'kept' | StoreFailure['kept']> {
  try {
    await write;
    return 'kept';
  } catch (error) {
    assert.ok(error instanceof StoreFailure, String(error));
    return error.kept;
  }
}
