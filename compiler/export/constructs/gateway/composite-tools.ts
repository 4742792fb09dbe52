/** The composite tools of a gateway, inline and in objects of their own. */

import type { VirtualMCPServerSpec } from '#schemas';
import { getMember } from '#schemas';
import type { OwnToolDefinition, SharedToolDefinition } from '../../../cdk8s/gateway/draft.ts';
import type { Path } from '../../../source/source-document.ts';
import type { Line } from '../../statement.ts';
import { type Code, call, plain } from '../../typescript/code.ts';
import type { ValueWriter } from '../../value-code.ts';
import type { EmitContext } from '../construct.ts';
import { NotRepresentable } from '../not-representable.ts';
import { emitWorkflow } from '../workflow.ts';
import type { Backends } from './backends.ts';
import { emitText } from './gateway-statement.ts';

export interface EmittedTool {
  readonly toolName: string;
  /** The definition as the draft of the gateway gets it. */
  readonly definition: OwnToolDefinition | SharedToolDefinition;
  /** @param gateway the gateway's const */
  lines(gateway: string, writer: ValueWriter): { readonly constant: string; readonly lines: readonly Line[] };
}

/** @throws NotRepresentable */
export function emitTools(
  { config }: VirtualMCPServerSpec,
  backends: Backends,
  context: EmitContext,
): readonly EmittedTool[] {
  const { compositeTools = [], compositeToolRefs = [] } = config ?? {};
  return [
    ...compositeTools.map((tool, index): EmittedTool => {
      const path: Path = ['spec', 'config', 'compositeTools', index];
      const toToolCode = (reference: string) => emitTool(reference, backends);
      return {
        toolName: tool.name,
        definition: { toolName: tool.name, render: () => tool, origins: () => [] },
        lines: (host, writer) => {
          const above = index === 0 ? writer.comments.at(path.slice(0, -1)) : [];
          const [made, ...steps] = emitWorkflow(tool, path, {
            host,
            program: context.program,
            writer,
            findTool: toToolCode,
          });
          if (made?.constant === undefined) throw new Error(`the workflow ${tool.name} has no construct`);
          const comments = [...above, ...(made.comments ?? [])];
          return { constant: made.constant, lines: [{ ...made, comments }, ...steps] };
        },
      };
    }),
    ...compositeToolRefs.map(({ name }, index) => emitSharedTool(name, index, context)),
  ];
}

const KIND = 'VirtualMCPCompositeToolDefinition';

function emitSharedTool(objectName: string, index: number, { object, program }: EmitContext): EmittedTool {
  const target = program.findEarlier(object, KIND, objectName);
  const toolName = getMember(target?.value.spec, 'name');
  if (target === undefined || typeof toolName !== 'string')
    throw new NotRepresentable(
      `the program has no VirtualMCPCompositeToolDefinition \`${objectName}\` with the name of a tool.`,
    );
  const emitted = program.findConstant(object, KIND, objectName);
  const reference = plain(`${program.getConstant(target)}.name`);
  return {
    toolName,
    definition: { toolName, objectName },
    lines: (gateway, writer) => {
      const constant = emitted ?? program.reserveConstant(toolName, `${toolName}-workflow`);
      const existing: Line = {
        constant,
        code: call('WorkflowDefinition.existing', reference, emitText(toolName)),
      };
      const code = call(`${gateway}.addOwnTool`, plain(constant));
      const comments = writer.comments.at(['spec', 'config', 'compositeToolRefs', index]);
      return { constant, lines: [...(emitted === undefined ? [existing] : []), { code, comments }] };
    },
  };
}

/** The tool of a step: `github.search` becomes `github.tool('search')`. Names of backends may contain dots, too. */
function emitTool(reference: string, backends: Backends): Code | undefined {
  for (let dot = reference.indexOf('.'); dot !== -1; dot = reference.indexOf('.', dot + 1)) {
    const constant = backends.getConstant(reference.slice(0, dot));
    if (constant !== '') return call(`${constant}.tool`, emitText(reference.slice(dot + 1)));
  }
  return undefined;
}
