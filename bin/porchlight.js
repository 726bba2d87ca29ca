#!/usr/bin/env node
import { existsSync } from 'node:fs';
import module from 'node:module';

// Node 20 has no such cache.
module.enableCompileCache?.();
const source = new URL('../src/command-line.ts', import.meta.url);
const isCheckout = existsSync(source);
// Without tsconfig: false the settings of whatever folder a host starts us in would be read.
if (isCheckout) (await import('tsx/esm/api')).register({ tsconfig: false });
const { main } = await import(isCheckout ? source.href : '../dist/command-line.js');
process.exit(await main(process.argv.slice(2)));
