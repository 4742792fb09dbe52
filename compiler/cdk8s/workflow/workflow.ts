import type { Construct } from 'constructs';
import { captureCall } from '../origins.ts';
import type { InputSpec } from './fields.ts';
import { WorkflowBase, type WorkflowProps } from './workflow-base.ts';

/** What takes workflows in: a gateway. */
export interface WorkflowHost extends Construct {
  addOwnTool(tool: Pick<WorkflowBase<InputSpec>, 'toolName' | 'render' | 'origins'>): void;
}

/**
 * Steps over tools of backends that a gateway offers as one tool. Who may call it is granted as for every tool; its steps may call
 * tools that the caller cannot, hidden ones too, and the compiler reports where that lets a caller reach more (`LNT5008`).
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
