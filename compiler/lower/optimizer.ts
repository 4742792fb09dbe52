import {
  compareText,
  type EmbeddingPlan,
  type EmbeddingServer,
  formatEmbeddingServerUrl,
  type GatewayConfig,
  type OptimizerPlan,
  type VirtualMCPServerSpec,
} from '#schemas';
import type { Resource } from '../resolve/inventory.ts';
import type { Tracked } from '../resolve/tracked.ts';
import { parseDurationMs } from '../text/duration.ts';
import type { LoweringContext } from './context.ts';

type WrittenOptimizer = Tracked<NonNullable<GatewayConfig['optimizer']>>;

/** The variable with the key for an OpenAI-compatible service; many self-hosted services need none. */
const API_KEY_VARIABLE = 'OPENAI_API_KEY';

/** Defaults when only `embeddingServerRef` is set. */
const DEFAULTS = { maxTools: 8, semanticRatio: 0.5, distanceThreshold: 1 } as const;
const DEFAULT_TIMEOUT_MS = 30_000;

/** Undefined without an optimizer: clients then get the list of all tools in place of find_tool and call_tool. */
export function lowerOptimizer(
  context: LoweringContext,
  gateway: Resource<VirtualMCPServerSpec>,
  spec: Tracked<VirtualMCPServerSpec>,
  config: Tracked<GatewayConfig> | undefined,
): OptimizerPlan | undefined {
  const optimizer = config?.child('optimizer')?.countsByPresence();
  if (optimizer === undefined) return lowerOptimizerOfServer(context, gateway, spec);
  const semanticRatio = Number(optimizer.get('hybridSearchSemanticRatio'));
  const embeddings = lowerEmbeddings(context, gateway, spec, optimizer, semanticRatio);
  return {
    maxTools: optimizer.get('maxToolsToReturn') as number,
    semanticRatio,
    distanceThreshold: Number(optimizer.get('semanticDistanceThreshold')),
    ...(embeddings && { embeddings }),
  };
}

/** `embeddingServerRef` enables the optimizer even without an `optimizer` block. */
function lowerOptimizerOfServer(
  context: LoweringContext,
  gateway: Resource,
  spec: Tracked<VirtualMCPServerSpec>,
): OptimizerPlan | undefined {
  const url = findServerUrl(context, gateway, spec);
  return url === undefined
    ? undefined
    : { ...DEFAULTS, embeddings: { ...createTeiPlan(url), timeoutMs: DEFAULT_TIMEOUT_MS } };
}

function lowerEmbeddings(
  context: LoweringContext,
  gateway: Resource,
  spec: Tracked<VirtualMCPServerSpec>,
  optimizer: WrittenOptimizer,
  semanticRatio: number,
): EmbeddingPlan | undefined {
  if (semanticRatio === 0) {
    const because = 'hybridSearchSemanticRatio is 0, so tools are found by keywords only';
    spec.ignore('embeddingServerRef', because);
    ignoreEmbeddings(optimizer, because);
    return undefined;
  }
  const server = findServerUrl(context, gateway, spec);
  // A rule reports that the reference takes precedence over the URL.
  const url = server ?? optimizer.get('embeddingService') ?? '';
  if (server !== undefined) optimizer.get('embeddingService');
  if (url === '') {
    ignoreEmbeddings(optimizer, 'neither embeddingServerRef nor embeddingService is set');
    return undefined;
  }
  const timeoutMs = parseDurationMs(optimizer.get('embeddingServiceTimeout') as string);
  if (optimizer.get('embeddingProvider') !== 'openai') {
    optimizer.ignore('embeddingModel', 'a service of provider tei has one model');
    return { ...createTeiPlan(url), timeoutMs };
  }
  return {
    provider: 'openai',
    url: withoutSlash(url),
    model: optimizer.get('embeddingModel') || null,
    headers: Object.entries(optimizer.get('embeddingHeaders') ?? {})
      .map(([name, value]) => ({ name: name.toLowerCase(), value }))
      .sort((a, b) => compareText(a.name, b.name)),
    apiKey: { env: API_KEY_VARIABLE, file: null },
    timeoutMs,
    addresses: 'any',
  };
}

function ignoreEmbeddings(optimizer: WrittenOptimizer, because: string): void {
  for (const name of [
    'embeddingService',
    'embeddingServiceTimeout',
    'embeddingProvider',
    'embeddingModel',
    'embeddingHeaders',
  ] as const)
    optimizer.ignore(name, because);
}

/** The platform team chooses the service's address. */
function createTeiPlan(url: string): Omit<EmbeddingPlan, 'timeoutMs'> {
  return { provider: 'tei', url: withoutSlash(url), model: null, headers: [], apiKey: null, addresses: 'any' };
}

/** Undefined without a reference. */
function findServerUrl(
  { inventory }: LoweringContext,
  { namespace }: Resource,
  spec: Tracked<VirtualMCPServerSpec>,
): string | undefined {
  const name = spec.get('embeddingServerRef')?.name;
  if (name === undefined) return undefined;
  const server = inventory.find<NonNullable<EmbeddingServer['spec']>>('EmbeddingServer', namespace, name);
  return formatEmbeddingServerUrl(namespace, name, server?.spec.port);
}

function withoutSlash(url: string): string {
  return url.replace(/\/+$/, '');
}
