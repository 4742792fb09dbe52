import { isObject } from '#schemas';
import { findNearest } from '#shared/util';
import type { CompositeModel, StepCall } from '../../analysis/gateway/composites.ts';
import type { GatewayModel, ToolModel } from '../../analysis/gateway/model.ts';
import { describeMember } from '../../analysis/json-schema/describe-member.ts';
import { resolveSchema } from '../../analysis/json-schema/schema.ts';
import { findValueProblem } from '../../analysis/json-schema/value-problem.ts';
import { type DiagnoseDetails, diagnose } from '../../check/diagnose.ts';
import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import type { Path } from '../../source/source-document.ts';
import { formatInGateway } from '../support/gateway-locations.ts';
import { listPossibleValues } from '../support/list-possible-values.ts';
import { formatChoices } from '../support/texts.ts';

/**
 * Steps must pass the arguments that the tool's input schema requires.
 *
 * @holds config.compositeTools and VirtualMCPCompositeToolDefinition | `arguments` | fit the input schema of the tool | LNT7007
 * @needs all backends
 */
export function argumentsAgainstSchema(gateway: GatewayModel): Diagnostic[] {
  return gateway.composites.flatMap(composite =>
    composite.calls.flatMap(call =>
      call.target.type === 'tool' ? check(gateway, composite, call, call.target.tool) : [],
    ),
  );
}

function check(gateway: GatewayModel, { resource }: CompositeModel, step: StepCall, tool: ToolModel): Diagnostic[] {
  const { inputSchema } = tool.definition;
  const schema = resolveSchema(inputSchema, inputSchema);
  const passedArguments: unknown = step.call.arguments ?? {};
  if (schema === undefined || !isObject(passedArguments)) return [];
  const path = [...step.callPath, 'arguments'];
  const report = (at: Path, message: string, details: DiagnoseDetails = {}) => {
    const text = `${message}${formatInGateway(gateway, resource)}`;
    return diagnose(resource.document, 'LNT7007', [...path, ...at], text, details);
  };
  const title = `"${tool.originalName}" of "${tool.backend}"`;
  return [
    ...listMissingNames(schema.required, passedArguments).map(name =>
      report([], `${title} needs the argument "${name}"`, { at: 'key' }),
    ),
    ...Object.entries(passedArguments).flatMap(([name, value]) => {
      const member = describeMember(schema, name, inputSchema);
      if (member.type === 'absent') {
        const close = findNearest(
          name,
          member.names.filter(other => !Object.hasOwn(passedArguments, other)),
        );
        // If a tool allows additional arguments, only a likely misspelling is reported.
        if (!member.certain && close === undefined) return [];
        const severity = member.certain ? 'error' : 'warning';
        const details = { at: 'key', severity, ...formatChoices(close, 'its arguments', member.names) } as const;
        return [report([name], `${title} has no argument "${name}"`, details)];
      }
      if (member.type !== 'described') return [];
      const problem = findValueProblem(value, member.schema, listPossibleValues, inputSchema);
      if (problem === undefined) return [];
      return [
        report([name, ...problem.path], `${formatArgument([name, ...problem.path])} of ${title} ${problem.message}`),
      ];
    }),
  ];
}

function listMissingNames(required: unknown, passedArguments: Readonly<Record<string, unknown>>): readonly string[] {
  if (!Array.isArray(required)) return [];
  return required.filter((name): name is string => typeof name === 'string' && !Object.hasOwn(passedArguments, name));
}

/** `argument "labels[0].name"` */
function formatArgument(path: Path): string {
  const text = path.map((step, index) => (typeof step === 'number' ? `[${step}]` : index === 0 ? step : `.${step}`));
  return `argument "${text.join('')}"`;
}
