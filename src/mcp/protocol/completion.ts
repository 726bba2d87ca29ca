import type { AnyTool, Context } from '#tool/define-tool.ts';
import type { ResultCache } from '#tool/result-cache.ts';

/** The most values of a completion/complete result (MCP specification). */
const MAX_COMPLETIONS = 100;

/**
 * Completes an argument of a prompt or resource template with the ids in the newest page of the tool that
 * lists them.
 * @param name of the argument
 * @param prefix what the user has typed
 */
export async function complete(
  { tools, results }: { tools: readonly AnyTool[]; results: ResultCache },
  { name, prefix }: { name: string; prefix: string },
  { workspace, caller }: Context,
) {
  const tool = tools.find(({ completes }) => completes === name);
  // No text budget, because the result has ids only.
  const page = await (tool &&
    results.run(
      tool,
      { limit: MAX_COMPLETIONS },
      { workspace, caller: { ...caller, textBudget: Infinity } },
    ));
  const records = Object.values(page?.output ?? {}).find(Array.isArray) as { id: string }[] | undefined;
  const ids = (records ?? []).map(({ id }) => id).filter((id) => id.startsWith(prefix));
  return { completion: { values: ids, hasMore: false } };
}
