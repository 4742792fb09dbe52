/** Brings specs into a canonical form: if two specs mean the same, they have the same form. */

import type { AggregationConfig, GatewayConfig, VirtualMCPServerSpec, WorkloadTools } from '#schemas';
import { isObject } from '#schemas';
import { withDefaults } from '../../../check/defaults.ts';
import { type ChosenPolicies, chooseIncomingAuth } from '../../../resolve/choose-incoming-auth.ts';
import { KINDS } from '../../../source/kinds.ts';

/** @param spec valid under its schema, with one of the two authentication blocks */
export function normalizeSpec(spec: VirtualMCPServerSpec): unknown {
  const schema = KINDS.get('VirtualMCPServer')?.spec ?? {};
  const { incomingAuth: _, outgoingAuth, config = {}, ...rest } = withDefaults(schema, spec) as VirtualMCPServerSpec;
  const { aggregation = {}, incomingAuth: __, ...others } = config;
  const { source = 'discovered', default: fallback, backends = {} } = outgoingAuth ?? {};
  return canonicalize({
    ...rest,
    incoming: normalizeIncoming(spec),
    outgoing: { source, fallback, backends },
    aggregation: normalizeAggregation(aggregation),
    config: others satisfies Omit<GatewayConfig, 'aggregation' | 'incomingAuth'>,
  });
}

function normalizeIncoming(spec: VirtualMCPServerSpec): unknown {
  const { type, oidc, policies } = chooseIncomingAuth(spec);
  const overruled = spec.incomingAuth === undefined ? undefined : spec.config?.incomingAuth;
  return {
    type,
    oidc: oidc?.type === 'reference' ? oidc.ref : oidc?.oidc,
    policies: normalizePolicies(policies),
    overruled,
  };
}

function normalizePolicies(chosen: ChosenPolicies | undefined): unknown {
  if (chosen === undefined || chosen.type === 'shared') return chosen && { type: chosen.type, name: chosen.name };
  const { groupClaimName, roleClaimName, groupEntityType = 'Group' } = chosen.claims;
  const claims = { groupClaimName, roleClaimName, groupEntityType };
  if (chosen.type === 'configMap') return { type: chosen.type, name: chosen.name, key: chosen.key, claims };
  const { policies, entitiesJson = '[]', primaryUpstreamProvider } = chosen;
  return { type: chosen.type, policies, entities: parseJsonOrKeep(entitiesJson), primaryUpstreamProvider, claims };
}

function parseJsonOrKeep(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function normalizeAggregation(aggregation: AggregationConfig): unknown {
  const { conflictResolution = 'prefix', conflictResolutionConfig = {}, tools = [] } = aggregation;
  const { prefixFormat = '{workload}_', priorityOrder } = conflictResolutionConfig;
  const hidesAll = aggregation.excludeAllTools === true;
  const visibility = hidesAll ? 'none' : (aggregation.defaultToolVisibility ?? 'allow');
  return {
    strategy: conflictResolution,
    prefixFormat,
    order: conflictResolution === 'priority' ? [...new Set(priorityOrder)] : [],
    visibility,
    // An entry that states the default has no effect.
    tools: tools
      .map(entry => normalizeEntry(entry, hidesAll))
      .filter(entry => entry.shown !== DEFAULTS[visibility] || entry.overrides.length > 0 || entry.config !== undefined)
      .toSorted((a, b) => (a.workload < b.workload ? -1 : 1)),
  };
}

const DEFAULTS = { allow: 'all', deny: 'none', none: 'none' } as const;

function normalizeEntry(
  { workload, toolConfigRef, excludeAll, filter = [], overrides = {} }: WorkloadTools,
  hidesAll: boolean,
) {
  const isHidden = hidesAll || excludeAll === true;
  const config = toolConfigRef?.name;
  const shown = isHidden ? 'none' : config === undefined && filter.length > 0 ? filter.toSorted() : 'all';
  return {
    workload,
    shown: config === undefined || isHidden ? shown : 'by config',
    config,
    overrides: Object.entries(overrides).toSorted(([a], [b]) => (a < b ? -1 : 1)),
  };
}

/** A value with its members sorted, and without undefined values and empty blocks. */
function canonicalize(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonicalize);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value)
    .map(([key, member]) => [key, canonicalize(member)] as const)
    .filter(([, member]) => member !== undefined && !isEmpty(member));
  return Object.fromEntries(members.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function isEmpty(value: unknown): boolean {
  return isObject(value) && Object.keys(value).length === 0;
}
