/** `expose`, `hide`, `rename` and similar statements, from the entries of `config.aggregation.tools`. */
import type { AggregationConfig, ToolOverride, WorkloadTools } from '#schemas';
import type { Path } from '../../../source/source-document.ts';
import { call, object, plain } from '../../typescript/code.ts';
import { formatStringLiteral } from '../../typescript/literal.ts';
import type { EmitContext } from '../construct.ts';
import { NotRepresentable } from '../not-representable.ts';
import {
  emitBackendReference,
  emitText,
  emitToolReference,
  type GatewayStatement,
  NO_CALL,
  toUnlockedBackend,
  UNKNOWN_CALL_SITE,
} from './gateway-statement.ts';

const AT: Path = ['spec', 'config', 'aggregation', 'tools'];

/**
 * @param granted whether a policy grants the tool by name; a grant offers the tool as well
 * @throws NotRepresentable
 */
export function emitOffers(
  { tools = [], excludeAllTools, defaultToolVisibility }: AggregationConfig,
  granted: (backend: string, tool: string) => boolean,
  { object: exported, program }: EmitContext,
): readonly GatewayStatement[] {
  const names = tools.map(({ workload }) => workload);
  if (new Set(names).size < names.length) throw new NotRepresentable('`tools` has two entries for the same backend.');
  const isAllowed = defaultToolVisibility !== 'deny';
  return tools.flatMap((entry, index): readonly GatewayStatement[] => {
    const { workload, overrides = {}, filter = [], toolConfigRef } = entry;
    const at = [...AT, index];
    const named = Object.entries(overrides).map(([tool, override]) => overrideStatement(workload, tool, override, at));
    if (toolConfigRef !== undefined) {
      const config = program.findEarlier(exported, 'MCPToolConfig', toolConfigRef.name);
      return emitConfigStatements(entry, at, config && program.getConstant(config));
    }
    if (excludeAllTools === true) {
      if (entry.excludeAll !== undefined || filter.length > 0)
        throw new NotRepresentable('`filter` and `excludeAll` have no effect together with `excludeAllTools`.');
      return named;
    }
    if (entry.excludeAll === true) {
      if (filter.length > 0) throw new NotRepresentable('`filter` has no effect together with `excludeAll`.');
      return [hideStatement(workload, at), ...named];
    }
    if (filter.length === 0)
      return isAllowed && named.length > 0 ? named : [exposeAllStatement(workload, at), ...named];
    const originals = filter.map(name => findOriginal(name, overrides));
    // If the backend's other tools are shown by default, `expose` hides them. So every tool of the filter has to be named, even if a grant also
    // offers it.
    const exposed = isAllowed ? originals : originals.filter(tool => !granted(workload, tool));
    return [...(exposed.length === 0 ? [] : [exposeStatement(workload, exposed, filter, at)]), ...named];
  });
}

/** The backend's own name of a tool: filters contain the names that overrides give. */
function findOriginal(name: string, overrides: NonNullable<WorkloadTools['overrides']>): string {
  return Object.entries(overrides).find(([, override]) => override.name === name)?.[0] ?? name;
}

function exposeAllStatement(backend: string, at: Path): GatewayStatement {
  return {
    apply: draft => draft.offer.exposeAll(toUnlockedBackend(backend), UNKNOWN_CALL_SITE),
    code: words => call(`${words.gateway}.expose`, emitBackendReference(backend, words)),
    about: [at],
  };
}

function exposeStatement(
  backend: string,
  tools: readonly string[],
  filter: readonly string[],
  at: Path,
): GatewayStatement {
  return {
    apply: draft => {
      for (const name of tools) draft.offer.expose({ backend, name }, UNKNOWN_CALL_SITE);
    },
    code: words => call(`${words.gateway}.expose`, ...tools.map(name => emitToolReference({ backend, name }, words))),
    about: [at, [...at, 'filter'], ...filter.map((_, index) => [...at, 'filter', index])],
  };
}

function hideStatement(backend: string, at: Path): GatewayStatement {
  return {
    apply: draft => draft.offer.hideAll(toUnlockedBackend(backend), UNKNOWN_CALL_SITE),
    code: words => call(`${words.gateway}.hide`, emitBackendReference(backend, words)),
    about: [at, [...at, 'excludeAll']],
  };
}

function overrideStatement(backend: string, tool: string, override: ToolOverride, entry: Path): GatewayStatement {
  const at = [...entry, 'overrides', tool];
  const of = { backend, name: tool };
  const { name, ...presentation } = override;
  return {
    apply: draft => draft.offer.override(of, override, UNKNOWN_CALL_SITE),
    code: words => {
      const emitted = { type: 'object', members: words.writer.members(presentation, at) } as const;
      if (name === undefined) return call(`${words.gateway}.describe`, emitToolReference(of, words), emitted);
      const others = emitted.members.length === 0 ? [] : [emitted];
      return call(`${words.gateway}.rename`, emitToolReference(of, words), emitText(name), ...others);
    },
    about: [entry, [...entry, 'overrides'], at, [...at, 'name']],
  };
}

/** @param constant the const of the MCPToolConfig, if the program has one */
function emitConfigStatements(
  { workload, toolConfigRef, filter, overrides, excludeAll }: WorkloadTools,
  at: Path,
  constant: string | undefined,
): readonly GatewayStatement[] {
  const { name } = toolConfigRef ?? { name: '' };
  if (filter !== undefined || overrides !== undefined)
    throw new NotRepresentable('`filter` and `overrides` have no effect together with `toolConfigRef`.');
  const config = constant === undefined ? object({ name: plain(formatStringLiteral(name)) }) : plain(constant);
  const apply: GatewayStatement = {
    apply: draft => draft.offer.applyConfig(toUnlockedBackend(workload), name, NO_CALL.at()),
    code: words => call(`${words.gateway}.applyToolConfig`, emitBackendReference(workload, words), config),
    about: [at, [...at, 'toolConfigRef'], [...at, 'toolConfigRef', 'name']],
  };
  return excludeAll === true ? [apply, hideStatement(workload, at)] : [apply];
}
