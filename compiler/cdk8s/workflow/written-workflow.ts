import { Construct } from 'constructs';
import { type CallSite, captureCall } from '../origins.ts';
import type { WorkflowHost } from './workflow.ts';
import type { CompositeTool } from './workflow-base.ts';

/**
 * A workflow field by field as manifests have it, for what {@link Workflow} has no word for. Nothing of it is typed by the tool
 * lock: what it says is checked when it is compiled.
 *
 * @example
 * new WrittenWorkflow(gateway, 'triage', {
 *   name: 'triage',
 *   description: 'Reports open issues',
 *   steps: [{ id: 'search', tool: 'github.search', arguments: { query: '{{ .params.repo | printf "repo:%s" }}' } }],
 * });
 */
export class WrittenWorkflow extends Construct {
  /** As clients see it. */
  readonly toolName: string;
  readonly #tool: CompositeTool;
  readonly #given: CallSite;

  constructor(gateway: WorkflowHost, id: string, tool: CompositeTool) {
    super(gateway, id);
    this.toolName = tool.name;
    this.#tool = tool;
    this.#given = captureCall(WrittenWorkflow).at(2);
    gateway.addOwnTool(this);
  }

  /** The composite tool as manifests have it. */
  render(): CompositeTool {
    return this.#tool;
  }

  /** Where it was given. */
  origins(): readonly { readonly pointer: string; readonly given: CallSite }[] {
    return [{ pointer: '', given: this.#given }];
  }
}
