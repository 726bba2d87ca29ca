/** Parameters of a `tools/call`. */
export interface CallParams {
  readonly name: string;
  readonly arguments?: Readonly<Record<string, unknown>>;
  readonly _meta?: Readonly<Record<string, unknown>>;
}

const REVISION = /"(?:io\.modelcontextprotocol\/)?protocolVersion":\s*"(\d{4}-\d\d-\d\d)"/g;

/** @returns the last protocol revision in recorded bytes, which is the negotiated one */
export const revisionIn = (recorded: string): string => [...recorded.matchAll(REVISION)].at(-1)?.[1] ?? '-';

/** What follows a body of HTTP stands on its line. */
function parseLine(line: string): { method?: string; params?: unknown } {
  try {
    return JSON.parse(line.slice(0, line.lastIndexOf('}') + 1)) as { method?: string };
  } catch {
    return {};
  }
}

/** @returns the parameters of each `tools/call` in recorded bytes, oldest first */
export const callsIn = (recorded: string): readonly CallParams[] =>
  recorded
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map(parseLine)
    .filter(({ method }) => method === 'tools/call')
    .map(({ params }) => params as CallParams);
