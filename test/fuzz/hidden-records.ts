import assert from 'node:assert/strict';
import { callTool } from '#tool/call-tool.ts';
import type { TestWorkspace } from '../support/context.ts';
import { HIDDEN_IDS } from './corpus.ts';
import { hide } from '../support/store/writes.ts';

/** Creates a hidden post and a hidden project, which no request may read. */
export async function createHiddenRecords({ tools, workspace, store }: TestWorkspace): Promise<void> {
  const context = { workspace, caller: { clientKey: 'earlier' } };
  const inputs = {
    post_message: { message: 'soon hidden' },
    create_project: { title: 'soon', summary: 'hidden', by: 'x' },
  };
  for (const [name, input] of Object.entries(inputs)) {
    const { id } = await callTool(tools.find((tool) => tool.name === name)!, input, context);
    assert.ok(HIDDEN_IDS.includes(String(id)), String(id));
    await hide(store, String(id), 'a test');
  }
}
