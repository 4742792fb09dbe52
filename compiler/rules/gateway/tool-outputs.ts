import type { CatalogItem } from '#schemas';
import { isObject } from '#schemas';
import { findNearest } from '#shared/util';
import type { GatewayModel } from '../../analysis/gateway/model.ts';
import { describeMember } from '../../analysis/json-schema/describe-member.ts';
import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import { formatInGateway } from '../support/gateway-locations.ts';
import { diagnosePart, listReads, listTemplates } from '../support/template-locations.ts';
import { formatChoices } from '../support/texts.ts';

/** Output fields for content: `text`, `text_1`, `image_0`, numbered after the first. */
const CONTENT_FIELD = /^(text|image|audio|resource|resource_link)(_\d+)?$/;

interface Absence {
  readonly message: string;
  readonly severity: 'error' | 'warning';
  readonly fix?: string;
}

/**
 * Templates must read fields that the steps' tools provide.
 *
 * @holds config.compositeTools and VirtualMCPCompositeToolDefinition | templates | read fields of the output schemas of tools | LNT7006
 * @needs all backends
 */
export function toolOutputs(gateway: GatewayModel): Diagnostic[] {
  return gateway.composites.flatMap(composite => {
    const { resource, calls } = composite;
    const tools = new Map(
      calls.flatMap(({ step, target }) =>
        target.type === 'tool' && step.type !== 'forEach' ? [[step.id, target.tool] as const] : [],
      ),
    );
    if (tools.size === 0) return [];
    return listTemplates(composite).flatMap(template =>
      listReads(template).flatMap(({ path: [root, id = '', output, ...fields], at }) => {
        const tool = tools.get(id);
        if (root !== 'steps' || output !== 'output' || tool === undefined) return [];
        const absence = findAbsence(tool.definition, fields);
        if (absence === undefined) return [];
        const { message, ...details } = absence;
        const text = `the tool "${tool.originalName}" of "${tool.backend}" ${message}${formatInGateway(gateway, resource)}`;
        return [diagnosePart(resource, 'LNT7006', template, at, text, details)];
      }),
    );
  });
}

function findAbsence({ outputSchema }: CatalogItem, fields: readonly string[]): Absence | undefined {
  const [first] = fields;
  if (first === undefined) return undefined;
  if (!isObject(outputSchema)) {
    if (CONTENT_FIELD.test(first)) return undefined;
    const message = `has no output schema, so its result is probably text without the field "${first}"`;
    return { message, severity: 'warning', fix: 'read .output.text, with fromJson if the text is JSON' };
  }
  let schema: unknown = outputSchema;
  for (const [depth, field] of fields.entries()) {
    const member = describeMember(schema, field, outputSchema);
    const parent = depth === 0 ? 'the result' : `"${fields.slice(0, depth).join('.')}"`;
    switch (member.type) {
      case 'open':
        return undefined;
      case 'no-object':
        return {
          message: `gives ${parent} as ${member.types.join(' or ')}, which has no field "${field}"`,
          severity: 'error',
        };
      case 'absent':
        return {
          message: `${member.certain ? 'does not give' : 'does not promise'} "${field}" in ${parent}`,
          severity: member.certain ? 'error' : 'warning',
          ...formatChoices(findNearest(field, member.names), 'its fields', member.names),
        };
      case 'described':
        schema = member.schema;
    }
  }
  return undefined;
}
