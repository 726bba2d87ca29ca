#!/usr/bin/env node
import { register } from 'tsx/esm/api';

// Without this the settings of whatever folder a host starts us in would be read.
register({ tsconfig: false });
const { main } = await import('../src/command-line.ts');
process.exit(await main(process.argv.slice(2)));
