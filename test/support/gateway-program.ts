/** `lintel-runtime` as a process, with a bundle that a test replaces. */
import { rename } from 'node:fs/promises';
import { formatCanonicalJson } from '#schemas';
import { type BundleOptions, gatewayBundle } from './gateway.ts';
import { eventually, PROGRAM, type Program, start, type TemporaryFolder, temporaryFolder } from './process.ts';

export interface GatewayProgram {
  readonly url: string;
  readonly internalUrl: string;
  readonly program: Program;
}

/** The file with which gateways are started. */
export class BundleFile implements AsyncDisposable {
  readonly path: string;
  readonly #folder: TemporaryFolder;

  static async write(options: BundleOptions): Promise<BundleFile> {
    const file = new BundleFile(await temporaryFolder());
    await file.replace(options);
    return file;
  }

  private constructor(folder: TemporaryFolder) {
    this.#folder = folder;
    this.path = folder.file('bundle.json');
  }

  /** Replaces the bundle atomically, which a watched file requires. */
  async replace(options: BundleOptions): Promise<void> {
    await this.replaceBy(formatCanonicalJson(gatewayBundle(options)));
  }

  async replaceBy(text: string): Promise<void> {
    await this.#folder.write({ 'bundle.new': text });
    await rename(this.#folder.file('bundle.new'), this.path);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#folder[Symbol.asyncDispose]();
  }
}

export interface GatewayProgramOptions {
  /** Further options of `lintel-runtime`. */
  readonly options?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Options of Node itself. */
  readonly nodeOptions?: readonly string[];
}

/** Starts a gateway on loopback that watches its bundle. Resolves when it is ready; the stack stops it. */
export async function startGatewayProgram(
  stack: AsyncDisposableStack,
  bundle: BundleFile,
  { options = [], env = {}, nodeOptions = [] }: GatewayProgramOptions = {},
): Promise<GatewayProgram> {
  const addresses = ['--host', '127.0.0.1', '--port', '0', '--internal-address', '127.0.0.1:0'];
  const program = stack.use(
    start(PROGRAM.runtime, ['--bundle', bundle.path, ...addresses, '--watch', ...options], { env, nodeOptions }),
  );
  const { url, internal: internalUrl } = await program.announcement<{ url: string; internal: string }>();
  await eventually(async () => (await fetch(`${internalUrl}/readyz`)).ok);
  return { url, internalUrl, program };
}
