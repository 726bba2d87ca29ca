import { REASONS, type ReportReason } from '#private/private-store.ts';
import { findVisible, Reports } from '#workspace/moderation/reports.ts';
import type { ReportedItem } from '#workspace/moderation/reported-item.ts';
import { chooseRecords, doToEach } from './chosen-records.ts';
import { checkReason, UsageError, type Command } from './command.ts';
import { describeRecord, printable } from './printable.ts';

export const reports: Command = {
  summary: 'list what was reported to you, illegal first',
  optionalFlags: ['json', 'reason', 'networks'],
  reasonText: `only records reported as this: ${REASONS.join(', ')}`,
  run: async ({ read }, args, { printResult, logStatus }) => {
    const { privateStore, now, reason, networks: min = '1', json } = args;
    if (reason !== undefined && !REASONS.includes(reason as ReportReason))
      throw new UsageError(`--reason must be one of ${REASONS.join(', ')}.`);
    if (!/^[1-9]\d{0,8}$/.test(min)) throw new UsageError('--networks needs a number such as 3.');
    const queue = (await new Reports({ privateStore, read, now }).state())
      .items(({ networksOnADay }) => networksOnADay >= Number(min))
      .filter(({ reasons }) => reason === undefined || reasons.has(reason as ReportReason));
    const found = await Promise.all(
      queue.map(async (item) => ({ item, record: await findVisible(read, item.id) })),
    );
    const visible = found.flatMap(({ item, record }) => (record === undefined ? [] : [{ item, record }]));
    if (json === true) {
      const items = visible.map(({ item: { id, networks, reasons, first, last } }) => ({
        id,
        networks,
        reasons: Object.fromEntries(reasons),
        first,
        last,
      }));
      printResult(JSON.stringify({ items }));
      return;
    }
    for (const { item, record } of visible) printResult(describeRecord(record, describeReports(item)));
    if (visible.length === 0) logStatus('There are no reports.');
  },
};

function describeReports({ networks, reasons, first, last }: ReportedItem): string {
  const counts = [...reasons].map(([name, count]) => `${name} ${count}`).join(', ');
  const days = first === last ? first : `${first} to ${last}`;
  return `${networks} ${networks === 1 ? 'network' : 'networks'}  ${counts}  ${days}  `;
}

/** Removes records from the queue. They stay visible. */
export const keep: Command = {
  summary: 'decide that reported records may stay; reports from three more networks bring a record back',
  positionals: ['<ID...>'],
  requiredFlags: ['reason'],
  reasonText: 'why; it is not published',
  optionalFlags: ['yes'],
  run: async (store, args, output) => {
    const { privateStore, now, reason = '' } = args;
    checkReason(reason);
    const queue = new Reports({ privateStore, read: store.read, now });
    const state = await queue.state();
    const ids = await chooseRecords(store, args, output, 'Keep');
    await doToEach(
      ids,
      async (id) => {
        if (state.item(id) === undefined) return 'No one has reported a record with this id.';
        await queue.append({ type: 'keep', at: now(), id, reason: printable(reason) });
        return undefined;
      },
      'Kept: it is no longer in the list of reports.',
      output,
    );
  },
};
