/** `lintel find`: searches tools as the gateway does, so that authors see whether their descriptions are found. */
import { listReachedTools } from '../analysis/access/index.ts';
import type { GatewayModel } from '../analysis/gateway/model.ts';
import { createEmbeddingService, type EmbeddingServiceOptions } from '../find/embedding-service.ts';
import { findTools } from '../find/found-tools.ts';
import { FIND_RENDERERS, type FindFormat } from '../find/render.ts';
import { findUrlProblem } from '../text/url-problem.ts';
import { UsageError } from '../usage-error.ts';
import { parseCallerClaims } from './caller-claims.ts';
import { findOnlyGateway } from './choose-gateways.ts';
import { formatObjectName, isServer } from './choose-objects.ts';
import { compilePaths, type ProjectOptions, printErrors } from './compile-paths.ts';
import { createEvaluationContext } from './evaluation-context.ts';

export interface FindCommandOptions extends ProjectOptions {
  /** The caller whose tools are searched, in the form of `parseCallerClaims`, or `anonymous`; default: every tool is searched. */
  readonly as: string | undefined;
  /** The gateway, as `name` or `namespace/name`; required when the sources describe several gateways. */
  readonly gateway: string | undefined;
  /** The URL of an embedding service compatible with text-embeddings-inference; default: keywords alone. */
  readonly embeddingUrl: string | undefined;
  readonly format: FindFormat;
}

/** The argument of `--as` for a caller without a token. */
const ANONYMOUS = 'anonymous';

/** Prints matches, best first. Returns the exit code: 0, 1 without a match, 3 when unknown. */
export async function find(words: string, paths: readonly string[], options: FindCommandOptions): Promise<number> {
  const { as, embeddingUrl, format, gateway: gatewayName } = options;
  if (as === '-' && paths.includes('-')) throw new UsageError('only one of --as and PATH can read standard input (-)');
  const problem = embeddingUrl === undefined ? undefined : findUrlProblem(embeddingUrl);
  if (problem !== undefined)
    throw new UsageError(
      `--embedding-url is not an http or https URL: ${problem}; give the URL of the service, such as http://127.0.0.1:8080`,
    );
  const claims = as === undefined || as === ANONYMOUS ? undefined : parseCallerClaims(as);
  const compiled = await compilePaths(paths, { ...options, purpose: 'language' });
  const { compilation } = compiled;
  const gateway = findOnlyGateway(compiled, gatewayName);
  if (isServer(gateway))
    throw new UsageError(
      `${formatObjectName(gateway)} has no optimizer: only a VirtualMCPServer has one that searches`,
    );
  const model = compilation.checked.complete ? gateway.model() : null;
  if (model === null) {
    printErrors(compiled);
    process.stderr.write('lintel: the specs have errors, so what the gateway would find is not known\n');
    return 3;
  }
  const isVisible = as === undefined ? undefined : createVisibilityTest(model, claims);
  const embed =
    embeddingUrl === undefined ? undefined : createEmbeddingService(embeddingUrl, readEmbeddingOptions(model));
  const found = await findTools(model, { description: words }, { isVisible, embed });
  process.stdout.write(FIND_RENDERERS[format](found));
  if (found.tools.length > 0) return 0;
  return found.isComplete ? 1 : 3;
}

/** The same settings with which the gateway queries its embedding service. */
function readEmbeddingOptions({ resource }: GatewayModel): EmbeddingServiceOptions {
  const { embeddingProvider: provider, embeddingModel, embeddingHeaders } = resource.spec.config?.optimizer ?? {};
  const key = process.env.OPENAI_API_KEY ?? '';
  return provider === 'openai'
    ? {
        provider,
        model: embeddingModel || undefined,
        headers: { ...embeddingHeaders, ...(key === '' ? {} : { authorization: `Bearer ${key}` }) },
      }
    : { provider: 'tei', model: undefined, headers: {} };
}

/**
 * Returns a function that says whether the caller may call a tool by its name.
 *
 * @throws UsageError when the policies are not in the sources
 */
function createVisibilityTest(
  model: GatewayModel,
  claims: Parameters<typeof listReachedTools>[1],
): (name: string) => boolean {
  const reached = listReachedTools(model, claims, createEvaluationContext());
  if (reached === undefined) {
    throw new UsageError('the policies of the gateway are not in the sources, so what the caller may see is not known');
  }
  return name => reached.ways.get(name) === name;
}
