/** The ServiceAccounts that the controller acts as for a source. The controller itself may not read Secrets. */
import { findImpersonationRefusal, KubeError } from '../kube/kube-error.ts';
import type { KubeClient } from '../kube/types.ts';
import { type ObservedSource, ReconcileError } from '../reconcile/index.ts';

export interface Account {
  readonly namespace: string;
  readonly name: string;
}

export interface AccountsOptions {
  readonly client: KubeClient;
  /** The service account of sources that name none. */
  readonly defaultServiceAccount: string | undefined;
  /** Whether the controller acts with its own permissions for sources that name no account. */
  readonly isSingleTenant: boolean;
}

export class Accounts {
  readonly #options: AccountsOptions;

  constructor(options: AccountsOptions) {
    this.#options = options;
  }

  /**
   * The account of a source; undefined for the controller's own account.
   * @throws ReconcileError `PolicyDenied`
   */
  of({ metadata, spec }: ObservedSource): Account | undefined {
    const name = spec.serviceAccountName ?? this.#options.defaultServiceAccount;
    if (name !== undefined) return { namespace: metadata.namespace ?? '', name };
    if (this.#options.isSingleTenant) return undefined;
    const message =
      'spec.serviceAccountName is not set: set it to the ServiceAccount with which the controller reads and applies, or start the controller with --default-service-account or --single-tenant';
    throw new ReconcileError('PolicyDenied', 'stalled', message);
  }

  /** @throws ReconcileError `PolicyDenied` */
  getClient(source: ObservedSource): KubeClient {
    const account = this.of(source);
    return account === undefined ? this.#options.client : this.#options.client.as(account);
  }

  /**
   * The decoded values of a Secret of the source's namespace; undefined when there is none.
   *
   * @throws ReconcileError `PolicyDenied` when the account may not read it
   */
  async findSecret(
    source: ObservedSource,
    name: string,
    signal: AbortSignal,
  ): Promise<{ readonly [key: string]: string } | undefined> {
    const key = { apiVersion: 'v1', kind: 'Secret', namespace: source.metadata.namespace, name };
    try {
      const secret = await this.getClient(source).get(key, signal);
      if (secret === undefined) return undefined;
      const data = (secret.data ?? {}) as { readonly [key: string]: string };
      return Object.fromEntries(
        Object.entries(data).map(([field, text]) => [field, Buffer.from(text, 'base64').toString('utf8')]),
      );
    } catch (error) {
      if (!(error instanceof KubeError) || error.failure !== 'forbidden') throw error;
      // Permissions can be granted without an edit of the source, so reading the Secret is retried.
      const refused = findImpersonationRefusal(error);
      if (refused !== undefined) throw new ReconcileError('PolicyDenied', 'retry', refused, { cause: error });
      const account = this.of(source);
      const who = account === undefined ? 'the controller' : `ServiceAccount ${account.namespace}/${account.name}`;
      const remedy = `a Role of namespace ${source.metadata.namespace} has to give ${who} the verb "get" on secrets`;
      throw new ReconcileError('PolicyDenied', 'retry', `${error.message}; ${remedy}`, { cause: error });
    }
  }

  /**
   * The decoded values of a Secret.
   * @throws ReconcileError `DependencyNotReady` when the Secret is missing, `PolicyDenied`
   */
  async readSecret(
    source: ObservedSource,
    name: string,
    signal: AbortSignal,
  ): Promise<{ readonly [key: string]: string }> {
    const found = await this.findSecret(source, name, signal);
    if (found !== undefined) return found;
    throw new ReconcileError(
      'DependencyNotReady',
      'retry',
      `there is no Secret "${name}" in namespace ${source.metadata.namespace}`,
    );
  }
}
