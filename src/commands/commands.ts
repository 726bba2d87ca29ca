import { check } from './check.ts';
import type { Command } from './command.ts';
import { allow, deny } from './deny.ts';
import { exportAll } from './export.ts';
import { forget } from './forget.ts';
import { freeze, thaw } from './freeze.ts';
import { importAll } from './import.ts';
import { erase, hide, moderation, unhide } from './moderate.ts';
import { keep, reports } from './reports.ts';

export const COMMANDS: Readonly<Record<string, Command>> = {
  reports,
  keep,
  deny,
  allow,
  hide,
  unhide,
  erase,
  moderation,
  freeze,
  thaw,
  forget,
  export: exportAll,
  import: importAll,
  check,
};
