import type { Construct } from 'constructs';
import { captureCall } from '../origins.ts';
import type { InputSpec } from './fields.ts';
import { WorkflowBase, type WorkflowProps } from './workflow-base.ts';

/** The construct that a workflow is added to: a gateway. */
export interface WorkflowHost extends Construct {
  addOwnTool(tool: Pick<WorkflowBase<InputSpec>, 'toolName' | 'render' | 'origins'>): void;
}

/**
 * Steps that call tools of backends; a gateway offers them as one tool. Permission to call it is granted as for any tool. Its steps may call
 * tools that the caller may not call, including hidden ones; the compiler reports where that gives a caller more access (`LNT5008`).
 *
 * @example
 * const triage = new Workflow(gateway, 'triage', { description: 'Reports open issues', input: { repo: 'string' } });
 * const found = triage.step('search', github.tools.search, { query: t`repo:${triage.input.repo} is:open` });
 * triage.step('create', github.tools.create_issue, { repo: triage.input.repo, title: t`${found.output.total} open` });
 * gateway.grant(Caller.group('eng')).call(triage);
 */
export class Workflow<const I extends InputSpec = Record<never, never>> extends WorkflowBase<I> {
  constructor(gateway: WorkflowHost, id: string, props: WorkflowProps<I>) {
    super(gateway, id, props, captureCall(Workflow));
    gateway.addOwnTool(this);
  }
}
