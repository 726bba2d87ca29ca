import assert from 'node:assert/strict';
import { StoreFailure } from '#store/port/store.ts';

/** Awaits a write. Any rejection but a `StoreFailure` fails the test. */
export async function writeOutcome(write: Promise<unknown>): Promise<'stored' | StoreFailure['stored']> {
  try {
    await write;
    return 'stored';
  } catch (error) {
    assert.ok(error instanceof StoreFailure, String(error));
    return error.stored;
  }
}
