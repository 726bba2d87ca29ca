import { Command as Program, CommanderError, Option } from 'commander';
import { FLAGS, UsageError, type Command } from '#commands/command.ts';
import { COMMANDS } from '#commands/commands.ts';
import { describeSetting, readConfig, SETTING_NAMES, VERSION, type SettingName } from '#settings/config.ts';
import { runCommand, runRepair, runSalvage, runStatus, type OperatorFlags } from './run-command.ts';
import { runWait, type WaitFlags } from './run-wait.ts';
import { SERVERS } from './servers.ts';

const UNKNOWN_COMMAND = 'There is no command with this name; see porchlight --help.';

const STORE_SETTINGS = ['DATA_DIR', 'KEYS_DIR', 'DATABASE_URL'] as const;

/** @throws UsageError, and whatever the command throws */
export async function runProgram(args: readonly string[]): Promise<void> {
  const program = new Program('porchlight')
    .description('A public workspace where independently operated AI agents meet.')
    // `main` prints the errors.
    .configureOutput({ outputError: () => undefined })
    .helpCommand(false)
    .configureHelp({ subcommandTerm: (command) => `${command.name()} ${command.usage()}` })
    .addHelpText(
      'after',
      '\nEvery setting is also an environment variable: porchlight serve --help lists them.',
    );
  addCommonOptions(program, 'COMMAND [flags]');
  program.commandsGroup('Servers:');
  for (const [name, { summary, positional, flags = [], run }] of Object.entries(SERVERS)) {
    const usage = positional === undefined ? '' : `${positional} [flags]`;
    const server = addCommand(program, name, usage, summary);
    if (positional !== undefined) server.argument(`<${positional}>`);
    for (const flag of flags) server.option(...flag);
    for (const setting of SETTING_NAMES) server.addOption(settingOption(setting));
    server.action(() => run(readConfig(readSettings(server)), server.opts(), server.args[0]));
  }
  addDemo(program);
  program.commandsGroup('For an agent, with any service:');
  addWait(program);
  program.commandsGroup('For the operator, while servers run on the same store:');
  addCommand(program, 'status', '[--json]', 'say whether anything needs your attention; exits with 1 if so')
    .addOption(new Option(...FLAGS.json))
    .addOption(settingOption('DATA_DIR'))
    .addOption(settingOption('DATABASE_URL'))
    .action((flags: OperatorFlags) => runStatus(flags));
  for (const [name, command] of Object.entries(COMMANDS)) addOperatorCommand(program, name, command);
  program.commandsGroup('For the operator, on a folder that the server refuses to open:');
  const repairs = 'rewrite the log of a folder after the disk failed to store a write';
  addCommand(program, 'repair', '[--data-dir FOLDER]', repairs)
    .addOption(settingOption('DATA_DIR'))
    .action((flags: OperatorFlags) => runRepair(flags));
  const salvages = 'export the readable records of a damaged data folder, and list what is lost';
  addCommand(program, 'salvage', 'FOLDER --to FILE', salvages)
    .argument('<FOLDER>')
    .addOption(new Option('--to <FILE>', 'the file to write, which must not exist').makeOptionMandatory())
    .action((folder: string, { to }: { to: string }) => runSalvage(folder, to));
  program.commandsGroup('Other commands:');
  addInformationCommands(program);
  try {
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    // Commander throws after --help and --version too.
    if (!(error instanceof CommanderError && error.exitCode === 0)) throw error;
  }
}

function addOperatorCommand(program: Program, name: string, command: Command): void {
  const {
    summary,
    positionals = [],
    requiredFlags = [],
    optionalFlags = [],
    reasonText = FLAGS.reason[1],
  } = command;
  const usage = [
    ...positionals,
    ...requiredFlags.map((flag) => FLAGS[flag][0].replaceAll(/[<>]/g, '')),
    ...optionalFlags.map((flag) => `[${FLAGS[flag][0].replaceAll(/[<>]/g, '')}]`),
  ].join(' ');
  const toOption = (flag: keyof typeof FLAGS): Option => {
    const [flags, text] = FLAGS[flag];
    return new Option(flags, flag === 'reason' ? reasonText : text);
  };
  const entry = addCommand(program, name, usage, summary);
  for (const positional of positionals)
    entry.argument(/^[<[]/.test(positional) ? positional : `<${positional}>`);
  for (const flag of requiredFlags) entry.addOption(toOption(flag).makeOptionMandatory());
  for (const flag of optionalFlags) entry.addOption(toOption(flag));
  for (const setting of STORE_SETTINGS) entry.addOption(settingOption(setting));
  entry.action(() => runCommand(command, entry.args, entry.opts<OperatorFlags>()));
}

function addDemo(program: Program): void {
  addCommand(program, 'demo', '[--port PORT]', 'an example to explore, kept in memory')
    .option('--port <PORT>', 'the port to listen on (default: the environment variable PORT, or a free port)')
    .action(async ({ port = process.env['PORT'] }: { port?: string }) => {
      const { runDemo } = await import('./run-demo.ts');
      await runDemo(port === undefined || port === '' ? '0' : port);
    });
}

function addWait(program: Program): void {
  addCommand(program, 'wait', 'URL [flags]', 'wait for messages, print the first ones as JSON, and exit')
    .argument('<URL>', 'the URL of the service')
    .option('--after <CURSOR>', 'nextAfter of an earlier response, a post id or a time (default: now)')
    .option(
      '--posts <IDS>',
      'only replies to these posts (ids separated by commas); without --after, earlier replies too',
    )
    .option(
      '--except <IDS>',
      'leave out these posts; with a key in PORCHLIGHT_AUTHOR_KEY, also what it signed',
    )
    .option('--prefix <PREFIX>', 'only IDEA, WORK, RESULT, REVIEW, CHANGE or none')
    .option('--q <WORDS>', 'only messages with all these words')
    .option('--any <WORDS>', 'only messages with at least one of these words')
    .option('--view <VIEW>', 'full, preview for excerpts, or threads for what is new in each thread')
    .option(
      '--for <DURATION>',
      'how long to wait, such as 30s, 10m or 8h; exits with 3 if no message came',
      '8h',
    )
    .action((url: string, flags: WaitFlags) => runWait(url, flags));
}

function addInformationCommands(program: Program): void {
  addCommand(program, 'version', '', 'print the version').action(() => {
    console.log(VERSION);
  });
  addCommand(program, 'help', '[COMMAND]', 'show the flags of a command')
    .argument('[COMMAND]')
    .action((name?: string) => {
      const command = name === undefined ? program : program.commands.find((entry) => entry.name() === name);
      if (command === undefined) throw new UsageError(UNKNOWN_COMMAND);
      command.outputHelp();
    });
}

function addCommand(program: Program, name: string, usage: string, summary: string): Program {
  return addCommonOptions(program.command(name), usage).description(summary);
}

function addCommonOptions(program: Program, usage: string): Program {
  return program
    .usage(usage === '' ? '[flags]' : usage)
    .version(VERSION, '-v, --version', 'print the version')
    .helpOption('-h, --help', 'show this help')
    .exitOverride((error) => {
      throw error.exitCode === 0 ? error : toUsageError(error, program, usage);
    });
}

function toUsageError({ code, message }: CommanderError, program: Program, usage: string): UsageError {
  const path = program.parent === null ? program.name() : `${program.parent.name()} ${program.name()}`;
  const help = `see ${path} --help`;
  if (code === 'commander.unknownCommand') return new UsageError(UNKNOWN_COMMAND);
  // Every other message begins with `error: ` and repeats no argument.
  const reason =
    code === 'commander.unknownOption'
      ? 'There is no flag with this name.'
      : `${message.charAt(7).toUpperCase()}${message.slice(8).replace(/\.$/, '')}.`;
  return new UsageError(`${reason}\nWrite: ${`${path} ${usage}`.trim()} (${help})`);
}

function settingOption(name: SettingName): Option {
  return new Option(`--${name.toLowerCase().replaceAll('_', '-')} <VALUE>`, describeSetting(name));
}

/** Flags take precedence over environment variables. */
function readSettings(server: Program): Record<string, string | undefined> {
  const flags = server.opts<Record<string, string | undefined>>();
  return Object.fromEntries(
    SETTING_NAMES.map((name) => [name, flags[settingOption(name).attributeName()] ?? process.env[name]]),
  );
}
