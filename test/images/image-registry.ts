/** Debian's `docker-registry` on loopback, and its metadata of an image. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildah } from '../../build/images/buildah.ts';

export interface ImageManifest {
  readonly config: { readonly digest: string };
  readonly layers: readonly { readonly digest: string; readonly size: number }[];
}

export interface ImageConfig {
  readonly created: string;
  readonly architecture: string;
  readonly config: {
    readonly User: string;
    readonly Entrypoint: readonly string[];
    readonly Env: readonly string[];
    readonly ExposedPorts?: Readonly<Record<string, object>>;
    readonly Labels: Readonly<Record<string, string>>;
    readonly Cmd?: readonly string[];
  };
}

export interface Pushed {
  readonly digest: string;
  readonly manifest: ImageManifest;
  readonly config: ImageConfig;
}

const MANIFEST = 'application/vnd.oci.image.manifest.v1+json';

export class ImageRegistry implements AsyncDisposable {
  /** `127.0.0.1:PORT`. */
  readonly address: string;
  readonly #child: ChildProcess;
  readonly #folder: string;

  static async start(): Promise<ImageRegistry> {
    const folder = await mkdtemp(join(tmpdir(), 'lintel-image-registry-'));
    const config = {
      version: '0.1',
      storage: { filesystem: { rootdirectory: folder } },
      http: { addr: '127.0.0.1:0' },
    };
    await writeFile(join(folder, 'config.yml'), JSON.stringify(config));
    const child = spawn('docker-registry', ['serve', join(folder, 'config.yml')], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const address = await new Promise<string>((resolve, reject) => {
      let said = '';
      const read = (chunk: Buffer) => {
        said += chunk;
        const [, port] = /listening on 127\.0\.0\.1:(\d+)/.exec(said) ?? [];
        if (port !== undefined) resolve(`127.0.0.1:${port}`);
      };
      child.stdout.on('data', read);
      child.stderr.on('data', read);
      child.once('error', reject);
      child.once('exit', () => reject(new Error(`docker-registry ended: ${said}`)));
    });
    return new ImageRegistry(address, child, folder);
  }

  private constructor(address: string, child: ChildProcess, folder: string) {
    [this.address, this.#child, this.#folder] = [address, child, folder];
  }

  /** Pushes an image, and returns what the registry then has. */
  async push(storage: string, image: string): Promise<Pushed> {
    const [, name = '', tag = ''] = /^localhost\/(.+):(.+)$/.exec(image) ?? [];
    await buildah(storage, ['push', '--tls-verify=false', image, `docker://${this.address}/${name}:${tag}`]);
    const answer = await fetch(`http://${this.address}/v2/${name}/manifests/${tag}`, { headers: { accept: MANIFEST } });
    const manifest = (await answer.json()) as ImageManifest;
    const config = await fetch(`http://${this.address}/v2/${name}/blobs/${manifest.config.digest}`);
    return {
      digest: answer.headers.get('docker-content-digest') ?? '',
      manifest,
      config: (await config.json()) as ImageConfig,
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = once(this.#child, 'exit');
    this.#child.kill();
    await ended;
    await rm(this.#folder, { recursive: true, force: true });
  }
}
