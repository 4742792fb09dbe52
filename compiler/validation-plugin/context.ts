/**
 * What `cdk8s synth` hands to a validation plugin, as far as we use it: cdk8s-cli is no dependency of ours.
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
    /** cdk8s looks the construct path up by it. */
    readonly resourceName: string;
    readonly locations: readonly string[];
    readonly manifestPath: string;
  }[];
}
