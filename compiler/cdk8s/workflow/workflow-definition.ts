import { type ApiObjectMetadata, Lazy } from 'cdk8s';
import type { Construct } from 'constructs';
import { API_GROUP, STORAGE_VERSION } from '#schemas';
import { LintelObject } from '../lintel-object.ts';
import { captureCall, noteOrigin } from '../origins.ts';
import type { InputSpec } from './fields.ts';
import { WorkflowBase, type WorkflowProps } from './workflow-base.ts';

export interface WorkflowDefinitionProps<I extends InputSpec> extends WorkflowProps<I> {
  /** The metadata of the object. `name` is the id of the construct when not given. */
  readonly metadata?: ApiObjectMetadata;
}

/**
 * A workflow as an object of its own (`VirtualMCPCompositeToolDefinition`), which several gateways can offer. Its steps refer to backends by
 * name, so each of these gateways must have backends with these names.
 *
 * @example
 * const triage = new WorkflowDefinition(this, 'triage', { description: 'Reports open issues', input: { repo: 'string' } });
 * triage.step('search', github.tools.search, { query: t`repo:${triage.input.repo} is:open` });
 */
export class WorkflowDefinition<const I extends InputSpec = Record<never, never>> extends WorkflowBase<I> {
  /** The name by which gateways refer to the object. */
  readonly objectName: string;

  constructor(scope: Construct, id: string, props: WorkflowDefinitionProps<I>) {
    const call = captureCall(WorkflowDefinition);
    super(scope, id, props, call);
    this.objectName = props.metadata?.name ?? id;
    const object = new DefinitionObject(this, { ...props.metadata, name: this.objectName }, () => {
      for (const { pointer, callSite } of this.origins()) noteOrigin(object, `/spec${pointer}`, callSite);
      return this.render();
    });
    noteOrigin(object, '', call.at(2));
    noteOrigin(object, '/metadata', call.at(2, 'metadata'));
    if (props.metadata?.name === undefined) noteOrigin(object, '/metadata/name', call.at(1));
  }

  /**
   * A VirtualMCPCompositeToolDefinition that is declared elsewhere, such as in YAML.
   *
   * @param toolName as clients see it
   * @example
   * gateway.addOwnTool(WorkflowDefinition.existing('triage', 'triage_issues'));
   */
  static existing(objectName: string, toolName: string): { readonly objectName: string; readonly toolName: string } {
    return { objectName, toolName };
  }
}

class DefinitionObject extends LintelObject {
  constructor(scope: Construct, metadata: ApiObjectMetadata, spec: () => object) {
    const type = { apiVersion: `${API_GROUP}/${STORAGE_VERSION}`, kind: 'VirtualMCPCompositeToolDefinition' };
    super(scope, 'Resource', type, { metadata, ...{ spec: Lazy.any({ produce: spec }) } });
  }
}
