import { call } from '#tool/call.ts';
import type { AnyTool } from '#tool/define.ts';
import { fillIn, routeOf } from '#tool/route.ts';
import type { Caller } from '#workspace/caller.ts';
import type { House } from './house.ts';
import { quotaHeadersOf } from './quota-headers.ts';

export const JSON_TYPE = 'application/json; charset=utf-8';

/** What goes back to whoever published something. */
export interface Written {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Calls a tool that writes. @throws WorkspaceError */
export type Write = (args: unknown, caller: Caller) => Promise<Written>;

export function writeOf(house: House, tool: AnyTool): Write {
  const { workspace } = house;
  const { status } = routeOf(tool);
  const quotas = quotasOf(house, tool);
  return async (args, caller) => {
    const output = await call(tool, args, { workspace, caller });
    const location =
      tool.location && workspace.service.baseUrl + fillIn(tool.location, (name) => String(output[name]));
    return {
      status,
      headers: {
        // It stands, whether or not anybody can say how many may follow.
        ...(await quotas(caller).catch(() => ({}))),
        ...(location !== undefined && { Location: location }),
        ...(output['duplicate'] === true && { 'Idempotency-Replayed': 'true' }),
        'Cache-Control': 'no-store',
        'Content-Type': JSON_TYPE,
      },
      body: JSON.stringify(output),
    };
  };
}

/** @returns the headers that tell a caller how many calls of the tool are left. */
export function quotasOf(
  { workspace }: House,
  { budget }: AnyTool,
): (caller: Caller) => Promise<Record<string, string>> {
  return async (caller) =>
    budget === undefined ? {} : quotaHeadersOf(await workspace.quotas(budget, caller));
}
