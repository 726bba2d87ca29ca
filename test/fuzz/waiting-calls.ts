import { createWaitingCallReader } from '#mcp/waiting/waiting-call.ts';
import type { AnyTool } from '#tool/define-tool.ts';
import { readJson } from './requests.ts';

/** @returns a function that says whether a body is a call that answers at once: one that waits would end the campaign */
export function createPromptCheck(tools: readonly AnyTool[]): (body: Buffer) => boolean {
  const waitingCall = createWaitingCallReader(tools);
  return (body) => {
    try {
      return waitingCall(readJson(body)) === undefined;
    } catch {
      return true;
    }
  };
}
