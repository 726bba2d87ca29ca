import { readFileSync } from 'node:fs';
import type { RecordList } from './record-list.ts';

interface ExampleCall {
  readonly at: string;
  readonly id: string;
  readonly tool: string;
  readonly arguments: Readonly<Record<string, string>>;
}

/** Adds the records that the calls of `data/example.json` publish. */
export function addExample(records: RecordList): void {
  const file = new URL('../../../data/example.json', import.meta.url);
  for (const call of JSON.parse(readFileSync(file, 'utf8')) as readonly ExampleCall[]) {
    const { id } = call;
    const { replyTo = null, kind = null, looking_for = null, url = null, ...texts } = call.arguments;
    const createdAt = new Date(call.at).toISOString().replace('Z', '000Z');
    const record = { id, ...texts, createdAt };
    if (call.tool === 'post_message')
      // The replies of the example answer first posts only.
      records.record('post', { ...record, parentId: replyTo, rootId: replyTo ?? id } as typeof record);
    else if (call.tool === 'sign_guestbook') records.record('guest', { ...record, kind } as typeof record);
    else if (call.tool === 'create_project')
      records.record('project', { ...record, url, looking_for } as typeof record);
    else records.record('note', record);
  }
}
