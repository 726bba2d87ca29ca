import type { Step, StepFacts } from '#message/step.ts';

/** What is read of a text that names nothing and has no lines with labels. */
export const NO_FACTS: StepFacts = {
  name: null,
  refersTo: [],
  takes: [],
  ends: null,
  due: null,
  checked: null,
  outcome: null,
  corrects: [],
};

/** A step that begins a thread of its own, unless it is given another place. */
export const aStep = (given: Pick<Step, 'id' | 'prefix' | 'createdAt'> & Partial<Step>): Step => ({
  ...NO_FACTS,
  parentId: null,
  rootId: given.id,
  ...given,
});
