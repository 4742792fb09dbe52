/**
 * The part of the context that `cdk8s synth` passes to a validation plugin and Lintel uses; cdk8s-cli is not a dependency.
 *
 * @see https://cdk8s.io/docs/latest/cli/validation/
 */
export interface ValidationContext {
  /** Paths of the manifests; with `--stdout` they are temporary. */
  readonly manifests: readonly string[];
  readonly stdout?: boolean | undefined;
  readonly report: ValidationReport;
}

export interface ValidationReport {
  addViolation(violation: Violation): void;
  submit(status: 'success' | 'failure', metadata?: { readonly [name: string]: string }): void;
}

export interface Violation {
  readonly ruleName: string;
  readonly recommendation: string;
  readonly fix: string;
  readonly violatingResources: readonly {
    /** cdk8s uses it to find the construct path. */
    readonly resourceName: string;
    readonly locations: readonly string[];
    readonly manifestPath: string;
  }[];
}
