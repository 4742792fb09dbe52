/**
 * The whole compiler as one pure function: classify, check, resolve, rules, lower. Every stage adds diagnostics, and none throws for a user's
 * mistake. Rules also check an object with errors, in the parts that the errors do not affect, but no bundle is built from such an object.
 * `lintel check`, the controller and `lintel dev` call this same function, so a check in CI finds what the controller will find.
 */
import type { Compilation, CompileOptions } from './compile/compilation.ts';
import { compileEmbeddingServers } from './compile/embedding-servers.ts';
import { splitErrorsByNamespace } from './compile/errors-by-namespace.ts';
import { compileGateways, createGatewayFinder } from './compile/gateways.ts';
import { createHiddenTargets } from './compile/hidden-targets.ts';
import { checkObjects, classifySources, runObjectRules } from './compile/objects.ts';
import { compileRegistries } from './compile/registries.ts';
import { compileServers } from './compile/servers.ts';
import { asLanguage } from './diagnostics/is-error.ts';
import { listNotChecked } from './diagnostics/not-checked.ts';
import { Report } from './diagnostics/report.ts';
import { DEFAULT_LINT_OPTIONS, review } from './lint/index.ts';
import { NO_QUERY_CACHE, type QueryCache } from './resolve/query-cache.ts';
import type { Sources } from './source/read-sources.ts';

/** @param memory - Results of earlier compilations with equal options, for speed; see `createCompiler`. */
export function compile(sources: Sources, options: CompileOptions, memory: QueryCache = NO_QUERY_CACHE): Compilation {
  const { project = DEFAULT_LINT_OPTIONS, purpose, origin, today, denial } = options;
  const classified = classifySources(sources, project.apiGroups, options.defaultNamespace, memory);
  const { resources: ours, targets, registryConfigs, rejected, foreign } = classified;
  const objects = checkObjects(classified, options, memory);
  const { inventory, broken } = objects;
  const byRules = runObjectRules(objects, options, memory);
  const checked = [...objects.diagnostics, ...byRules.diagnostics];
  const errors = [...sources.diagnostics, ...classified.diagnostics, ...checked];
  const errorsFor = splitErrorsByNamespace(errors);

  const { gateways, diagnostics: ofGateways, open } = compileGateways(ours, objects, options, errorsFor, memory);
  const { servers, diagnostics: ofServers } = compileServers(objects, options, errorsFor, memory);
  const findGateway = createGatewayFinder(gateways);
  const registryContext = { inventory, broken, files: sources, memory, denial, findGateway };
  const { registries, diagnostics: ofRegistries } = compileRegistries(classified, registryContext, origin, errors);
  const embeddingServers = compileEmbeddingServers(objects, errorsFor);

  const report = new Report();
  report.addAll([...errors, ...ofGateways, ...ofServers]);
  report.addAll(purpose === 'language' ? ofRegistries.map(asLanguage) : ofRegistries);
  // Sources that could not be read or checked never pass: a rule could not be evaluated, or a configuration inside of an MCPRegistry is too large.
  const isOpen = checked.some(({ code }) => code === 'LNT1020') || ofRegistries.some(({ code }) => code === 'LNT1017');
  if (!sources.complete || isOpen) report.markIncomplete();
  const { complete, hasErrors } = report;
  const isHidden = createHiddenTargets(sources, classified);
  const references = errors.filter(isHidden).length;
  const [hasLock, isForPods] = [options.catalog?.isWhole === true, options.target === 'pods'];
  const documents = [...ours, ...targets, ...registryConfigs, ...rejected];
  const { texts, wasRun } = sources;
  return {
    gateways,
    servers,
    registries,
    embeddingServers,
    objects: [...ours, ...targets.filter(({ kind }) => kind === 'ConfigMap')],
    hasErrors,
    findings: report.findings(found =>
      review(
        found.filter(diagnostic => !isHidden(diagnostic)),
        { memory, project, purpose, texts, wasRun, documents, hasLock, isForPods, complete, today },
      ),
    ),
    broken: broken.map(({ object }) => object),
    checked: {
      files: texts.size,
      objects: ours.length + registryConfigs.length,
      foreign,
      complete,
      notChecked: gateways.length + servers.length === 0 ? [] : listNotChecked(hasLock, isForPods),
      open: { ...byRules.open, gateways: open, ...(references > 0 && { references }) },
    },
  };
}
