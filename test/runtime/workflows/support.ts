/** Workflows in specs, and backends that report their calls. */

import { parse } from 'yaml';
import type { WorkflowTool } from '#schemas';
import { lowerWorkflowTool } from '../../../compiler/analysis/gateway/workflow.ts';
import { eventually, type TestGateway } from '../../support/gateway.ts';

/** Resolves when all workflows are listed: on a busy machine a backend may miss the start. */
export async function servesWorkflows(gateway: TestGateway): Promise<void> {
  await eventually(async () => (await gateway.status()).workflows?.every(({ listed }) => listed) === true);
}

/** A spec's workflow in YAML. */
export function workflow(yaml: string): WorkflowTool {
  const lowered = lowerWorkflowTool(parse(yaml));
  if (lowered === undefined) throw new Error('the workflow has mistakes');
  return lowered;
}

/** Echoes the client's text through two backends. */
export const CHAIN: WorkflowTool = workflow(`
name: chain
description: Echoes twice
parameters:
  type: object
  required: [text]
  properties: { text: { type: string }, count: { type: integer, default: 3 } }
steps:
  - { id: first, tool: one_echo, arguments: { said: "{{ .params.text }}", count: "{{ .params.count }}" } }
  - id: second
    tool: two.echo
    dependsOn: [first]
    arguments: { heard: "{{ (fromJson .steps.first.output.text).said }}", fixed: [1, 2] }
output:
  properties:
    heard: { type: object, description: What the second heard, value: "{{ .steps.second.output.text }}" }
    count: { type: integer, description: How often, value: "{{ .params.count }}" }
  required: [heard]
`);
