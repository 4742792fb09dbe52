/**
 * The provenance of a release's files, as an in-toto statement with a SLSA predicate.
 * @see https://slsa.dev/spec/v1.0/provenance
 * @see https://github.com/in-toto/attestation/blob/main/spec/v1/statement.md
 */

/** `docs/release.md` defines the parameters of this build type. It is a `tag:` URI (RFC 4151), which needs no web page. */
const BUILD_TYPE = 'tag:lintel.dev,2026:npm-run-release/v1';

/** The builder of a person's machine, which no service attests. */
export const OWN_BUILDER = 'tag:lintel.dev,2026:builder/own-machine';

export interface Material {
  readonly name: string;
  readonly uri?: string;
  readonly digest: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, unknown>>;
}

export interface Origin {
  /** What was built, and from which sources. */
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly materials: readonly Material[];
  /** The URI that identifies the builder. */
  readonly builder: string;
  /** Versions of programs, by name. */
  readonly programs: Readonly<Record<string, string>>;
}

/**
 * The provenance as JSON without timestamps, so that the same commit gives the same bytes.
 *
 * @param files digests by name
 */
export function generateProvenance(files: ReadonlyMap<string, string>, origin: Origin): string {
  const { parameters, materials, builder, programs } = origin;
  const statement = {
    _type: 'https://in-toto.io/Statement/v1',
    subject: [...files].map(([name, sha256]) => ({ name, digest: { sha256 } })),
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: {
      buildDefinition: {
        buildType: BUILD_TYPE,
        externalParameters: parameters,
        resolvedDependencies: materials,
      },
      runDetails: { builder: { id: builder, version: programs } },
    },
  };
  return `${JSON.stringify(statement, undefined, 2)}\n`;
}
