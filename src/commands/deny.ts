import type { DenialData } from '#private/private-store.ts';
import { classifyRange } from '#store/port/network.ts';
import { LOOPBACK_CLIENT } from '#workspace/service/caller.ts';
import { reasonField } from '#workspace/schemas/fields.ts';
import { DAY_MS, dayAt } from '#workspace/text/time.ts';
import {
  confirm,
  CommandError,
  parseDuration,
  UsageError,
  type Command,
  type CommandArgs,
  type CommandOutput,
} from './command.ts';
import { printable } from './printable.ts';
import type { Store } from '#store/port/store.ts';

const DEFAULT_RANGE_MS = 7 * DAY_MS;

export const deny: Command = {
  summary:
    'refuse writes from the network behind a post, or from a range; without arguments, list what is denied',
  positionals: ['[RANGE]'],
  optionalFlags: ['behind', 'wide', 'for', 'reason', 'yes'],
  reasonText: 'why; only the list of denials shows it',
  run: async (store, args, output) => {
    const { positionals, behind, wide, privateStore, now } = args;
    if (wide === true && behind === undefined) throw new UsageError('--wide needs --behind.');
    if (positionals.length === 0 && behind === undefined) return list(args, output);
    if (positionals.length > 0 && behind !== undefined)
      throw new UsageError('Give a range or --behind, not both.');
    const denial = behind === undefined ? denyRange(args) : await denyBehind(store, behind, args, output);
    const n = await privateStore.addDenial(denial);
    await privateStore.append({ type: 'denied', day: dayAt(now()) });
    output.logStatus(
      `Denied as number ${n} until ${formatTime(denial.until)}. porchlight allow ${n} lifts it.`,
    );
  },
};

export const allow: Command = {
  summary: 'lift a denial, by its number',
  positionals: ['N'],
  run: async (_, { positionals: [text = ''], privateStore }, { logStatus }) => {
    if (!/^[1-9]\d{0,8}$/.test(text)) throw new UsageError('Give a number that porchlight deny lists.');
    if (!(await privateStore.removeDenial(Number(text))))
      throw new CommandError('There is no denial with this number.');
    logStatus('Allowed: every server accepts writes from there within a second.');
  },
};

async function list(
  { privateStore, now }: CommandArgs,
  { printResult, logStatus }: CommandOutput,
): Promise<void> {
  const denials = (await privateStore.denials()).filter(({ until }) => until > now());
  for (const { n, range, behind, until, reason } of denials) {
    const network = `behind ${behind?.id ?? ''}${behind?.isWide === true ? ', widened' : ''}`;
    printResult(printable(`${n}  ${range ?? network}  until ${formatTime(until)}  ${reason}`));
  }
  if (denials.length === 0) logStatus('No network is denied.');
}

function denyRange({ positionals: [range = ''], now, ...args }: CommandArgs): DenialData {
  const extent = classifyRange(range);
  if (extent === 'none')
    throw new UsageError(
      'That would deny no one: no agent has such an IP address, or only agents on this machine, which are exempt.',
    );
  if (extent !== 'some')
    throw new UsageError('Give an IP address or a range such as 203.0.113.0/24, but not 0.0.0.0/0.');
  const at = now();
  return { at, until: at + toDuration(args, DEFAULT_RANGE_MS), reason: toReason(args), range };
}

async function denyBehind(
  store: Store,
  id: string,
  args: CommandArgs,
  output: CommandOutput,
): Promise<DenialData> {
  const reason = toReason(args);
  const writer = await store.findWriteSource(id);
  if (writer === undefined)
    throw new CommandError('There is no record with this id that was written in the last 24 hours.');
  if (writer.isFrom(LOOPBACK_CLIENT))
    throw new CommandError(
      'It was written on this machine: all local agents share that network, and so does everyone behind ' +
        'a proxy that TRUSTED_PROXIES does not list.',
    );
  const isWide = args.wide === true;
  const { writes, allWrites } = writer;
  if (isWide || (writes * 2 > allWrites && allWrites > 1)) {
    const reach = isWide ? 'This denies everyone in its /24 or /48. ' : '';
    const share = `${reach}${writes} of the ${allWrites} writes of that day came from this network`;
    const proxy = 'If this is your proxy, everyone is behind it: set TRUSTED_PROXIES first.';
    await confirm(`${share}. ${proxy} Deny it? (y/N) `, args, output);
  }
  const at = args.now();
  // Until then servers have the key of the record's day.
  const end = (Math.floor(writer.at / DAY_MS) + 2) * DAY_MS;
  const until = Math.min(end, at + toDuration(args, Infinity));
  const sealed = (isWide ? writer.sealedNetwork : undefined) ?? writer.sealed;
  return { at, until, reason, behind: { id, at: writer.at, sealed, isWide } };
}

function toDuration({ for: duration }: Pick<CommandArgs, 'for'>, standard: number): number {
  return duration === undefined ? standard : parseDuration(duration, '--for');
}

function toReason({ reason }: Pick<CommandArgs, 'reason'>): string {
  const { error } = reasonField.safeParse(reason);
  if (error !== undefined) throw new UsageError(`--reason ${error.issues[0]?.message ?? 'is invalid'}.`);
  return reason ?? '';
}

const formatTime = (at: number): string => `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
