/** Compiles a checkout on disk: the worker's task without the process around it. */
import {
  type CompiledEmbeddingServer,
  ConfigurationError,
  compileSources,
  createCompiler,
  type Diagnostic,
  loadProject,
  readOutside,
  SEVERITY_RANK,
  SourceText,
  UsageError,
} from '#compiler';
import { computeDigest } from '#schemas';
import { isOfCluster } from './cluster-file.ts';
import { createUnits } from './compiled-units.ts';
import { createFailedOutcome } from './failed-outcome.ts';
import { listGravest, toFoundDiagnostics } from './findings.ts';
import { checkNamespaces } from './namespace-findings.ts';
import { createObjects } from './objects.ts';
import { createOrigins } from './origins.ts';
import type { CompileOutcome, EmbeddingUnit, FoundDiagnostic } from './outcome.ts';
import { findPrograms } from './programs.ts';
import type { CompileRequest } from './request.ts';

export type TreeCompiler = (request: Omit<CompileRequest, 'key'>) => CompileOutcome;

/**
 * An incremental compiler: unchanged parts are the same objects in the next outcome. It reads nothing outside of the checkout and executes
 * nothing in it.
 */
export function createTreeCompiler(): TreeCompiler {
  const compiler = createCompiler();
  const listUnits = createUnits();
  const listObjects = createObjects();
  const listOrigins = createOrigins();
  return request => {
    const { folder, defaultNamespace, clusterTexts } = request;
    // Relative to the checkout, even with a leading slash.
    const path = request.path.replace(/^\/+/, '') || '.';
    const programs = findPrograms(folder, path);
    try {
      const project = loadProject(undefined, folder, [path], folder);
      const denial = request.denial ?? project.denial;
      const { compilation } = compileSources([path], project, {
        cwd: folder,
        purpose: 'build',
        sourceRevision: null,
        target: request.manifests === undefined ? undefined : 'pods',
        denial,
        compiler,
        confinedTo: folder,
        defaultNamespace,
        additionalTexts: [...clusterTexts].map(([file, text]) => new SourceText(file, text)),
      });
      const units = listUnits(compilation, {
        ...request,
        manifests: request.manifests && { ...request.manifests, denial },
      });
      // A mistake in a cluster object does not fail the repository: only gateways that use the object get no bundle.
      const own = compilation.findings.all.filter(({ file }) => !isOfCluster(file));
      const denied = checkNamespaces(compilation.objects, request.targetNamespace);
      const embeddingServers =
        request.manifests === undefined ? [] : compilation.embeddingServers.flatMap(listRepositoryUnits);
      const counts = {
        errors: compilation.findings.counts.error + denied.length,
        warnings: compilation.findings.counts.warning,
        hints: compilation.findings.counts.hint,
      };
      const { servers } = compilation;
      const objectsOfRepository = compilation.objects.filter(({ doc }) => !isOfCluster(doc.file));
      const isGrave = ({ severity }: Diagnostic) =>
        severity === 'error' || SEVERITY_RANK[severity] >= SEVERITY_RANK[project.failOn];
      return {
        isGood:
          compilation.checked.complete &&
          denied.length === 0 &&
          !own.some(isGrave) &&
          units.every(({ digest }) => digest !== null),
        units,
        embeddingServers,
        objects: listObjects(compilation.objects),
        origins: listOrigins(compilation.objects),
        diagnostics: listGravest([...denied, ...toFoundDiagnostics(compilation.findings.all)]),
        counts,
        digest: computeDigest(
          units.map(({ kind, namespace, name, digest }) => `${kind}/${namespace}/${name} ${digest}\n`).join(''),
        ),
        ignored: compilation.checked.foreign,
        programs,
        outside: request.withExposure ? readOutside({ denial, servers, objects: objectsOfRepository }) : undefined,
        documentation: project.documentation,
      };
    } catch (error) {
      return { ...createFailedOutcome(listMistakes(error, path)), programs };
    }
  };
}

/** The workloads of embedding servers in the repository; another controller runs those that are only in the cluster. */
const embeddingUnits = new WeakMap<CompiledEmbeddingServer['manifests'], EmbeddingUnit>();

function listRepositoryUnits({ object, document, manifests }: CompiledEmbeddingServer): EmbeddingUnit[] {
  if (manifests.length === 0 || isOfCluster(document.doc.file)) return [];
  const { namespace, name } = object;
  const unit = embeddingUnits.get(manifests) ?? { namespace, name, manifests };
  embeddingUnits.set(manifests, unit);
  return [unit];
}

/** @throws any error that is not a user's mistake */
function listMistakes(error: unknown, path: string): readonly FoundDiagnostic[] {
  if (error instanceof ConfigurationError) return toFoundDiagnostics(error.diagnostics);
  if (error instanceof UsageError) return [{ code: 'LNT1018', severity: 'error', message: error.message, file: path }];
  throw error;
}
