/** The stdio servers among the backends of a command; a bridge runs them for the duration of the command. */
import type { SourceBackend } from '../analysis/catalog/index.ts';
import { type BridgeAddress, BridgeProcess, buildBridgeConfig } from './serving/bridge-process.ts';

export class Programs implements AsyncDisposable {
  readonly #bridge: BridgeProcess | undefined;

  private constructor(bridge: BridgeProcess | undefined) {
    this.#bridge = bridge;
  }

  /** Prepares the programs; starts nothing yet. */
  static async prepare(backends: readonly SourceBackend[]): Promise<Programs> {
    const hasSome = backends.some(({ plan }) => plan.stdio !== undefined);
    return new Programs(hasSome ? await BridgeProcess.prepare('problems') : undefined);
  }

  /** The address of the bridge; undefined when no backend is a stdio server. */
  get address(): BridgeAddress | undefined {
    return this.#bridge?.address;
  }

  /** @throws Error when the bridge does not start */
  async run(asked: readonly { readonly backend: SourceBackend }[]): Promise<void> {
    const failure = await this.#bridge?.use(buildBridgeConfig(asked.map(({ backend }) => backend.plan)));
    if (failure !== undefined) throw new Error(`the bridge of the stdio servers ${failure}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#bridge?.close();
  }
}
