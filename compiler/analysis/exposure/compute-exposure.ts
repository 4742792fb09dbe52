/** Computes the exposure of a gateway, member by member. */
import { compareText, getMember } from '#schemas';
import type { WithheldItem } from '#shared/plan';
import { readEscapeHatches } from '../../resolve/escape-hatches.ts';
import { hasOptimizer } from '../gateway/has-optimizer.ts';
import type { GatewayModel, ResourceModel } from '../gateway/model.ts';
import { describeAuthentication, summarizeAuthorization } from './authentication.ts';
import { listExposedBackends } from './backends.ts';
import { listCallerClasses } from './callers.ts';
import { computeDefinitionDigest } from './definition-digest.ts';
import {
  EXPOSURE_FORMAT_VERSION,
  type ExposedPrompt,
  type ExposedResource,
  type Exposure,
  type Withheld,
} from './exposure.ts';
import { GATEWAY_LEAVES } from './plan/gateway-leaves.ts';
import { planView } from './plan/plan-view.ts';
import { getReach, type Reach } from './reach.ts';
import { readTitle } from './title.ts';
import { listExposedComposites, listExposedTools } from './tools.ts';
import { computeTotals } from './totals.ts';
import { describeResource } from './workload.ts';

/** The same gateway and the same catalog give the same exposure, member by member. */
export function computeExposure(gateway: GatewayModel): Exposure {
  const reach = getReach(gateway);
  const plan = planView(gateway.plan, GATEWAY_LEAVES);
  const offered = {
    tools: listExposedTools(gateway, reach),
    composites: listExposedComposites(reach, plan),
    prompts: listExposedPrompts(gateway, reach),
    resources: listExposedResources(gateway.resources, reach),
    resourceTemplates: listExposedResources(gateway.resourceTemplates, reach),
  };
  return {
    formatVersion: EXPOSURE_FORMAT_VERSION,
    kind: 'gateway',
    namespace: gateway.resource.namespace,
    name: gateway.resource.name,
    complete: gateway.isLocked,
    authentication: describeAuthentication(gateway),
    authorization: summarizeAuthorization(gateway, reach.authorization),
    listing: hasOptimizer(gateway) ? 'optimizer' : 'tools',
    callers: listCallerClasses(offered),
    backends: listExposedBackends(gateway),
    ...offered,
    withheld: listWithheld(gateway),
    totals: computeTotals(offered),
    ...describeEmbeddingServer(gateway),
    plan,
    ...escapeHatches(gateway),
  };
}

/** The embedding server as its object describes it. The plan only has the URL of the server. */
function describeEmbeddingServer({ resource, inventory, plan }: GatewayModel): Pick<Exposure, 'embeddingServer'> {
  const name = resource.spec.embeddingServerRef?.name;
  if (name === undefined || plan.optimizer?.embeddings === undefined) return {};
  const server = inventory.find('EmbeddingServer', resource.namespace, name);
  return server === undefined ? {} : { embeddingServer: { name, workload: describeResource(server, inventory) } };
}

function escapeHatches({ resource }: GatewayModel): Pick<Exposure, 'escapeHatches'> {
  const hatches = readEscapeHatches(resource.document.doc.value);
  return hatches === 'malformed' || hatches.length === 0 ? {} : { escapeHatches: hatches };
}

function listExposedPrompts({ prompts }: GatewayModel, { permits }: Reach): readonly ExposedPrompt[] {
  return prompts.map(({ name, backend, originalName, definition }) => ({
    name,
    backend,
    originalName,
    ...readTitle(definition),
    digest: computeDefinitionDigest(definition),
    direct: permits('get_prompt', name, definition),
  }));
}

/** Resources and templates with their callers. A gateway never rewrites a URI, so policies know an item by it. */
function listExposedResources(resources: readonly ResourceModel[], { permits }: Reach): readonly ExposedResource[] {
  return resources
    .map(({ uri, backend, definition }) => {
      const mimeType = getMember(definition, 'mimeType');
      return {
        uri,
        backend,
        ...readTitle(definition),
        digest: computeDefinitionDigest(definition),
        ...(typeof mimeType === 'string' ? { mimeType } : {}),
        direct: permits('read_resource', uri, definition),
      };
    })
    .sort((a, b) => compareText(a.uri, b.uri));
}

function listWithheld({ tools, withheld, shadowed }: GatewayModel): readonly Withheld[] {
  const named = (type: 'tool' | 'prompt', items: readonly WithheldItem[]) =>
    items.map(({ name, backend, originalName, reason }) => ({ type, name, backend, originalName, reason }));
  const faulty = tools.flatMap(({ name, backend, originalName, fault }): Withheld[] =>
    fault === undefined ? [] : [{ type: 'tool', name, backend, originalName, ...fault }],
  );
  const uris = shadowed.map(({ backend, uri }): Withheld => {
    return { type: 'resource', name: uri, backend, originalName: uri, reason: 'shadowed' };
  });
  return [...named('tool', withheld.tools), ...named('prompt', withheld.prompts), ...faulty, ...uris].sort(
    (a, b) =>
      compareText(a.type, b.type) ||
      compareText(a.name, b.name) ||
      compareText(a.backend, b.backend) ||
      compareText(a.originalName, b.originalName),
  );
}
