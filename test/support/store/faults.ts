import assert from 'node:assert/strict';
import { StoreFailure } from '#store/store.ts';

/** @returns whether it came about; a failure has to be one that the port knows. */
export async function writeOutcome(write: Promise<unknown>): Promise<'stored' | StoreFailure['stored']> {
  try {
    await write;
    return 'stored';
  } catch (error) {
    assert.ok(error instanceof StoreFailure, String(error));
    return error.stored;
  }
}
