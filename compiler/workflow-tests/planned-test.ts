import type { RehearsalScript, WorkflowPlan, WorkflowTest } from '#schemas';
import type { CompositeModel } from '../analysis/gateway/composites.ts';
import type { GatewayModel } from '../analysis/gateway/model.ts';
import type { Path } from '../source/source-document.ts';
import type { TestFile } from './test-file.ts';

/** A workflow of a gateway that tests refer to. */
export interface TestedWorkflow {
  readonly gateway: GatewayModel;
  readonly composite: CompositeModel;
  readonly plan: WorkflowPlan;
}

/** A test with all data for its run. */
export interface PlannedTest {
  readonly file: TestFile;
  readonly test: WorkflowTest;
  /** The path of the test in its file. */
  readonly path: Path;
  readonly workflow: TestedWorkflow;
  readonly script: RehearsalScript;
}

/** `namespace/name` of the gateway and the workflow's name. */
export function formatTitle({ gateway, composite }: Pick<TestedWorkflow, 'gateway' | 'composite'>): string {
  return `${gateway.resource.namespace}/${gateway.resource.name} ${composite.name}`;
}
