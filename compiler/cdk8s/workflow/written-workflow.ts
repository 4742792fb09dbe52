import { Construct } from 'constructs';
import { type CallSite, captureCall } from '../origins.ts';
import type { WorkflowHost } from './workflow.ts';
import type { CompositeTool } from './workflow-base.ts';

/**
 * A workflow in manifest form, for settings that {@link Workflow} does not cover. The tool lock does not type it; the compiler checks it.
 *
 * @example
 * new WrittenWorkflow(gateway, 'triage', {
 *   name: 'triage',
 *   description: 'Reports open issues',
 *   steps: [{ id: 'search', tool: 'github.search', arguments: { query: '{{ .params.repo | printf "repo:%s" }}' } }],
 * });
 */
export class WrittenWorkflow extends Construct {
  /** The name of the workflow's tool, as clients see it. */
  readonly toolName: string;
  readonly #tool: CompositeTool;
  readonly #callSite: CallSite;

  constructor(gateway: WorkflowHost, id: string, tool: CompositeTool) {
    super(gateway, id);
    this.toolName = tool.name;
    this.#tool = tool;
    this.#callSite = captureCall(WrittenWorkflow).at(2);
    gateway.addOwnTool(this);
  }

  /** The composite tool in manifest form. */
  render(): CompositeTool {
    return this.#tool;
  }

  /** Where in the program the parts of the workflow come from. */
  origins(): readonly { readonly pointer: string; readonly callSite: CallSite }[] {
    return [{ pointer: '', callSite: this.#callSite }];
  }
}
