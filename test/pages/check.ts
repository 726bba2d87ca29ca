import type { Commands } from '../interop/commands.ts';
import type { Sandbox } from '../torture/support/sandbox.ts';
import type { Browser } from './browser/chromium.ts';
import type { Faults } from './faults.ts';
import type { Worlds } from './world.ts';

export interface CheckContext {
  readonly worlds: Worlds;
  /** Starts Chromium at the first call. */
  readonly browser: () => Promise<Browser>;
  readonly commands: Commands;
  /** Everything started or created here is removed afterwards. */
  readonly sandbox: Sandbox;
  readonly faults: Faults;
}

/** One property of the pages or feeds, or one program that reads them. */
export interface PageCheck {
  readonly name: string;
  /** For --help. */
  readonly description: string;
  /** @returns why the check cannot run here; undefined if it can */
  missing?(): string | undefined;
  /** @returns a remark for the table, such as the version of the program */
  run(context: CheckContext): Promise<string>;
}
