import type { Target } from '../service.ts';

/** How a host is started once, with one server and the scripted model. */
export interface HostLaunch {
  /** Contents by paths below its home folder. */
  readonly files?: Readonly<Record<string, string>>;
  /** Arguments of a command that adds the server before. */
  readonly add?: readonly string[];
  readonly args: readonly string[];
  readonly settings?: Readonly<Record<string, string>>;
}

/** A program with an agent that calls tools for a model. */
export interface Host {
  readonly name: string;
  readonly package: string;
  readonly bin: string;
  /** @param model address of the scripted model, without a path @param prompt of the user */
  launch(target: Target, model: string, prompt: string): HostLaunch;
}

/** The name of the server in the settings of hosts. */
export const SERVER = 'porchlight';

/** No host may need a real key. */
export const FAKE_KEY = 'sk-fake';

/** @param separator before the command of a stdio server, for hosts that need one */
export const mcpAdd = (target: Target, ...separator: readonly string[]): readonly string[] => [
  'mcp',
  'add',
  ...('url' in target
    ? ['--transport', 'http', SERVER, target.url]
    : [SERVER, ...separator, target.command, ...target.args]),
];
