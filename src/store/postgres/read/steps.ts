import {
  countsAsStep,
  MAX_STEPS,
  MAX_WINDOW,
  toHeld,
  windowOf,
  type Step,
  type StepFacts,
} from '#message/step.ts';
import { HOLD_PREFIX, type Timestamp } from '#store/port/records.ts';
import type { RunQuery } from './run-query.ts';

/** Rows that one statement returns while all steps are read. */
const PAGE_ROWS = 1000;
/** A list that changes during so many attempts is returned as it is. */
const MAX_TRIES = 3;

const STEP = `id, prefix, created_at as "createdAt", parent_id as "parentId", root_id as "rootId",
  step, hidden, case when root_id = id then lower(body ->> 'mark')
    else coalesce((select lower(root.body ->> 'mark') from entry as root where root.id = entry.root_id),
      (select lower(mark) from moderation where moderation.id = entry.root_id and action = 'erase'
        and mark is not null limit 1)) end as opener`;

/** Whether a post is visible, or hidden by reports and not by the operator. */
const VISIBLE_OR_HELD = `(not hidden or exists (
      select from (select action, reason from moderation
        where moderation.id = entry.id and action <> 'erase'
        order by at desc, arrival desc limit 1) as deciding
      where action = 'hide' and starts_with(reason, '${HOLD_PREFIX}')))`;

const OLDER = `select ${STEP} from entry
  where step is not null and ${VISIBLE_OR_HELD} and created_at < $1 order by created_at desc limit $2`;

// One statement, so that the counter and the rows are of one instant. A database that takes over may lack the
// newest step.
const LATER = `select rearranged::float8,
    $2 = '' or exists (select from entry where id = $2 and ${VISIBLE_OR_HELD}) as "hasNewest",
    (select coalesce(json_agg(later), '[]') from (
      select ${STEP} from entry where step is not null and ${VISIBLE_OR_HELD} and created_at > $1
        order by created_at limit ${PAGE_ROWS}
    ) as later) as steps
  from clock`;

interface StepRow extends Omit<Step, keyof StepFacts | 'opener'> {
  readonly step: StepFacts;
  /** Whether reports hide it. A post that the operator has hidden is not a step. */
  readonly hidden: boolean;
  /** Null if the first post of its thread has no mark. */
  readonly opener: string | null;
}

interface LaterRow {
  /** Counts the changes that do more than add a latest post. */
  readonly rearranged: number;
  readonly hasNewest: boolean;
  readonly steps: readonly StepRow[];
}

interface KnownSteps {
  readonly rearranged: number;
  readonly steps: Step[];
}

/** Caches the steps, and reads only newer ones. */
export class StepReader {
  readonly #runQuery: RunQuery;
  #known: KnownSteps | undefined;

  constructor(runQuery: RunQuery) {
    this.#runQuery = runQuery;
  }

  /** @throws StoreFailure */
  async read(): Promise<readonly Step[]> {
    for (let tries = 1; ; tries++) {
      const known = this.#known ?? (await this.#readAll());
      const { rearranged, hasNewest, steps } = await this.#readLater(known.steps.at(-1));
      const isCurrent = hasNewest && rearranged === known.rearranged;
      this.#known = isCurrent ? withLater(known, steps) : undefined;
      if (isCurrent && steps.length < PAGE_ROWS) return this.#known?.steps ?? [];
      if (!isCurrent && tries >= MAX_TRIES) return known.steps;
    }
  }

  async #readAll(): Promise<KnownSteps> {
    const { rearranged } = await this.#readLater(undefined, '~');
    const found: StepRow[] = [];
    for (let before: Timestamp = '~', left = MAX_STEPS; left > 0 && found.length < MAX_WINDOW; ) {
      const rows = await this.#runQuery<StepRow & Record<string, unknown>>('older steps', OLDER, [
        before,
        PAGE_ROWS,
      ]);
      found.push(...rows);
      left -= rows.filter((row) => countsAsStep(toStep(row))).length;
      if (rows.length < PAGE_ROWS) break;
      before = rows.at(-1)?.createdAt ?? '';
    }
    return { rearranged, steps: windowOf(found.reverse().map(toStep), countsAsStep) };
  }

  async #readLater(newest: Step | undefined, after = newest?.createdAt ?? ''): Promise<LaterRow> {
    const values = [after, newest?.id ?? ''];
    const [row] = await this.#runQuery<LaterRow & Record<string, unknown>>('later steps', LATER, values);
    if (row === undefined) throw new Error('the clock is missing');
    return row;
  }
}

function withLater(known: KnownSteps, later: readonly StepRow[]): KnownSteps {
  // Another read may have added some of them meanwhile.
  const newest = known.steps.at(-1)?.createdAt ?? '';
  known.steps.push(...later.filter(({ createdAt }) => createdAt > newest).map(toStep));
  const { steps } = known;
  return steps.length <= MAX_WINDOW + MAX_STEPS ? known : { ...known, steps: windowOf(steps, countsAsStep) };
}

function toStep({ step: facts, hidden, opener, ...head }: StepRow): Step {
  const step = Object.assign(head, facts, opener === null ? {} : { opener });
  return hidden ? toHeld(step) : step;
}
