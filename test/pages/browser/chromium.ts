import { existsSync } from 'node:fs';
import { chromium, type Browser } from 'playwright-core';

export type { Browser };

/** Where Debian, Fedora, snap, Homebrew and Google put it. */
const USUAL_PATHS = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/snap/bin/chromium',
  '/opt/homebrew/bin/chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];

const chromePath = (): string | undefined =>
  process.env['CHROME_PATH'] ?? USUAL_PATHS.find((path) => existsSync(path));

/** @returns why no browser can be started; undefined if one was found */
export function missingChromium(): string | undefined {
  const path = chromePath();
  if (path === undefined) return 'no Chromium found: install the package chromium, or set CHROME_PATH';
  return existsSync(path) ? undefined : 'CHROME_PATH names no file';
}

/** Starts Chromium with an empty profile and without the requests of its own that a closed network refuses. */
export async function launchChromium(): Promise<Browser> {
  return chromium.launch({
    executablePath: chromePath()!,
    args: [
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
    // Chromium refuses to run its sandbox as root.
    chromiumSandbox: process.getuid?.() !== 0,
  });
}
