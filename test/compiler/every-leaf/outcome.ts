/** Computes which effect another value of a leaf (a field without fields of its own) has. */
import {
  type Compilation,
  type Diagnostic,
  diffExposure,
  type Exposure,
  generateManifests,
  type RegistryExposure,
} from '#compiler';
import { formatCanonicalJson, type StructuralSchema } from '#schemas';
import type { Path } from '../../support/sample.ts';
import { otherValues } from './other-values.ts';
import { REGISTRY_FILE, replaced, type Subject, valueAt } from './subjects.ts';

/**
 * `diff`: `lintel diff` reports the change. `bundle`: the bundle changes, and `lintel diff` does not report it. `manifests`: only the manifests
 * change. `findings`: only the findings change. `refused`: the compiler reports an error. `ignored`: nothing changes, and a finding reports
 * that. `silent`: nothing changes and no finding reports it, which must not happen. `unserved`: the spec has an error before the change.
 */
export type Outcome = 'diff' | 'bundle' | 'manifests' | 'findings' | 'refused' | 'ignored' | 'silent' | 'unserved';

/** The compiler's output for a spec. */
interface Made {
  /** The exposures by kind, namespace and name. */
  readonly exposures: ReadonlyMap<string, Exposure | RegistryExposure>;
  readonly bundles: string;
  readonly manifests: string;
  readonly findings: string;
  readonly errors: number;
  readonly compilation: Compilation;
}

function make(compilation: Compilation): Made {
  const { gateways, servers, registries, embeddingServers, findings } = compilation;
  const compiled = [...gateways, ...servers, ...registries];
  const exposures = compiled.flatMap(one => {
    const exposure = one.bundle === null ? null : one.exposure();
    return exposure === null ? [] : [[`${exposure.kind}/${exposure.namespace}/${exposure.name}`, exposure] as const];
  });
  return {
    exposures: new Map(exposures),
    bundles: formatCanonicalJson(compiled.map(({ bundle }) => bundle)),
    manifests: JSON.stringify([
      compiled.map(({ bundle }) => (bundle === null ? null : generateManifests({ bundle, files: [] }))),
      embeddingServers.flatMap(({ manifests }) => manifests),
    ]),
    findings: JSON.stringify(
      findings.diagnostics.map(({ code, severity, message, pointer }) => [code, severity, message, pointer]),
    ),
    errors: findings.counts.error,
    compilation,
  };
}

/** Another value of a leaf, and its effect. */
export interface ChangedLeaf {
  readonly value: unknown;
  readonly outcome: Outcome;
}

/** The effects of all other values of a leaf. */
export function outcomesOf(subject: Subject, path: Path): readonly ChangedLeaf[] {
  const spec = subject.specWith(path);
  const before = make(subject.compile(spec, path));
  const values = otherValues(subject.kind, path, valueAt(spec, path), schemaAt(subject.schema, path));
  return values.map(value => {
    const changed = replaced(spec, path, value);
    const outcome = outcomeOf(subject, path, before, make(subject.compile(changed, path)));
    if (outcome !== 'ignored' && outcome !== 'silent') return { value, outcome };
    // Settings that only a pod reads have an effect once the compiler knows that the gateway runs in pods.
    const [inPod, changedInPod] = [spec, changed].map(one => make(subject.compile(one, path, 'pods'))) as [Made, Made];
    return { value, outcome: outcomeOf(subject, path, inPod, changedInPod) };
  });
}

function outcomeOf(subject: Subject, path: Path, before: Made, after: Made): Outcome {
  // Here each value of the leaf is an error, for example because the field is not supported.
  if (!subject.served(path).every(name => before.exposures.has(name)))
    return hasError(before, subject.kind, path) ? 'refused' : 'unserved';
  const isLost = [...before.exposures.keys()].some(key => !after.exposures.has(key));
  if (isLost || after.errors > before.errors) return isRenamed(before, after) ? 'diff' : 'refused';
  if ([...before.exposures].some(([key, exposure]) => isDifferent(exposure, after.exposures.get(key)))) return 'diff';
  if (before.bundles !== after.bundles) return 'bundle';
  if (before.manifests !== after.manifests) return 'manifests';
  if (before.findings !== after.findings) return 'findings';
  return isNamed(before, subject.kind, path) ? 'ignored' : 'silent';
}

/** Whether the change gave the gateway or registry server another name: the former one is gone, and another one exists. */
function isRenamed(before: Made, after: Made): boolean {
  return after.errors <= before.errors && after.exposures.size === before.exposures.size;
}

function isDifferent(before: Exposure | RegistryExposure, after: Exposure | RegistryExposure | undefined): boolean {
  return after !== undefined && diffExposure(before, after).change !== 'none';
}

/** Whether a finding is about this leaf, and not about the whole spec. */
function isNamed(made: Made, kind: string, path: Path): boolean {
  return findingsAbout(made, kind, path).length > 0;
}

function hasError(made: Made, kind: string, path: Path): boolean {
  return findingsAbout(made, kind, path).some(({ severity, code }) => severity === 'error' || code === UNSUPPORTED);
}

/** The code of the hint about features that are not supported yet; only a check of the specs alone gives it. */
const UNSUPPORTED = 'LNT1009';

function findingsAbout({ compilation }: Made, kind: string, path: Path): readonly Diagnostic[] {
  const inFile = kind === REGISTRY_FILE;
  const own = `${inFile ? '' : '/spec'}/${path.join('/')}`;
  return compilation.findings.diagnostics
    .filter(({ object, pointer }) => (inFile || object?.kind === kind) && pointer.split('/').length > (inFile ? 1 : 2))
    .filter(({ pointer }) => pointer === own || own.startsWith(`${pointer}/`) || pointer.startsWith(`${own}/`));
}

function schemaAt(schema: StructuralSchema, path: Path): StructuralSchema {
  return path.reduce<StructuralSchema>(
    (part, step) =>
      (typeof step === 'number' ? part.items : (part.properties?.[step] ?? part.additionalProperties)) ?? {},
    schema,
  );
}
