/** How the gateway names the tools when two backends have a tool of the same name, from `config.aggregation`. */
import type { AggregationConfig } from '#schemas';
import { Conflicts } from '../../../cdk8s/conflicts.ts';
import type { Path } from '../../../source/source-document.ts';
import { type Code, type CommentedMember, call, list, object } from '../../typescript/code.ts';
import type { ValueWriter } from '../../value-code.ts';
import { NotRepresentable } from '../not-representable.ts';
import { emitText, toUnlockedBackend } from './gateway-statement.ts';

export interface EmittedConflicts {
  readonly conflicts: Conflicts;
  /** The order of backends under the strategy `priority`. */
  readonly order: readonly string[];
  /** Whether this is the default of a gateway. */
  readonly isUsual: boolean;
  code(backend: (name: string) => Code): Code;
}

const USUAL_FORMAT = '{workload}_';

/** @throws NotRepresentable */
export function emitConflicts({
  conflictResolution = 'prefix',
  conflictResolutionConfig,
}: AggregationConfig): EmittedConflicts {
  const { prefixFormat = USUAL_FORMAT, priorityOrder = [] } = conflictResolutionConfig ?? {};
  if (!prefixFormat.includes('{workload}')) throw new NotRepresentable('`prefixFormat` does not contain `{workload}`.');
  const isUsualFormat = prefixFormat === USUAL_FORMAT;
  const options = isUsualFormat ? [] : [object({ prefixFormat: emitText(prefixFormat) })];
  const props = isUsualFormat ? {} : { prefixFormat };
  if (conflictResolution !== 'priority' && priorityOrder.length > 0)
    throw new NotRepresentable('`priorityOrder` has no effect without the strategy `priority`.');
  switch (conflictResolution) {
    case 'prefix':
      return {
        conflicts: Conflicts.prefix(prefixFormat),
        order: [],
        isUsual: isUsualFormat,
        code: () => call('Conflicts.prefix', ...(isUsualFormat ? [] : [emitText(prefixFormat)])),
      };
    case 'manual':
      return {
        conflicts: Conflicts.manual(props),
        order: [],
        isUsual: false,
        code: () => call('Conflicts.manual', ...options),
      };
    case 'priority': {
      const [first, ...others] = priorityOrder;
      if (first === undefined) throw new NotRepresentable('`priorityOrder` lists no backend.');
      return {
        conflicts: Conflicts.priority([toUnlockedBackend(first), ...others.map(toUnlockedBackend)], props),
        order: priorityOrder,
        isUsual: false,
        code: backend => call('Conflicts.priority', list(priorityOrder.map(backend)), ...options),
      };
    }
  }
}

const AT: Path = ['spec', 'config', 'aggregation'];

/** The props of `config.aggregation`. A default is only written if the document has a comment about it. */
export function emitAggregation(
  emitted: EmittedConflicts,
  { conflictResolution, defaultToolVisibility, excludeAllTools }: AggregationConfig,
  writer: ValueWriter,
  backend: (name: string) => Code,
): readonly CommentedMember[] {
  const at = (field: string) => writer.comments.at([...AT, field]);
  const above = conflictResolution === undefined ? [] : at('conflictResolution');
  const conflicts = { key: 'conflicts', comments: above, value: emitted.code(backend) };
  const isHidden = excludeAllTools === true;
  const about = defaultToolVisibility === undefined || isHidden ? [] : at('defaultToolVisibility');
  const isDenied = defaultToolVisibility === 'deny' || isHidden;
  const visibility = emitText(isDenied ? 'deny' : 'allow');
  return [
    ...(emitted.isUsual && above.length === 0 ? [] : [conflicts]),
    ...(isDenied && about.length === 0 ? [] : [{ key: 'defaultToolVisibility', comments: about, value: visibility }]),
    ...(isHidden ? [writer.field('excludeAllTools', true, [...AT, 'excludeAllTools'])] : []),
  ];
}
