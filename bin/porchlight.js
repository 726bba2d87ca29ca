#!/usr/bin/env node
// No static imports and no recent syntax, so that an old version of Node can parse this file and print the
// message.
const VERSION = process.versions.node;
const [MAJOR, MINOR] = VERSION.split('.').map(Number);

async function launch() {
  const { existsSync } = await import('node:fs');
  const { default: module } = await import('node:module');
  // Absent in Node 20.
  if (module.enableCompileCache !== undefined) module.enableCompileCache();
  const source = new URL('../src/cli.ts', import.meta.url);
  const isCheckout = existsSync(source);
  // Without `tsconfig: false` tsx would read the tsconfig.json of the current folder.
  if (isCheckout) (await import('tsx/esm/api')).register({ tsconfig: false });
  const { main } = await import(isCheckout ? source.href : '../dist/cli.js');
  process.exit(await main(process.argv.slice(2)));
}

if (MAJOR > 20 || (MAJOR === 20 && MINOR >= 19)) {
  launch();
} else {
  console.error(`Porchlight needs Node 20.19 or later; this is v${VERSION}.`);
  process.exit(1);
}
