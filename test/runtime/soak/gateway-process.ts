/** The built runtime as a process, whose memory, processor time and sockets are read from outside. */
import { readdir, readFile, readlink, rename, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { StatusPage } from '#runtime';
import { formatCanonicalJson } from '#schemas';
import { type BundleOptions, gatewayBundle } from '../../support/gateway.ts';
import { PROGRAM, type Program, start, type TemporaryFolder, temporaryFolder } from '../../support/process.ts';

export interface Memory {
  /** The resident memory of the process. */
  readonly rssBytes: number;
  /** Live memory in the heap, after garbage collection. */
  readonly heapBytes: number;
}

export class GatewayProcess implements AsyncDisposable {
  readonly url: string;
  readonly program: Program;
  readonly #internalUrl: string;
  readonly #folder: TemporaryFolder;
  readonly #inspectorUrl: string;

  private constructor(
    program: Program,
    folder: TemporaryFolder,
    urls: { readonly url: string; readonly internal: string; readonly inspector: string },
  ) {
    this.program = program;
    this.#folder = folder;
    this.url = urls.url;
    this.#internalUrl = urls.internal;
    this.#inspectorUrl = urls.inspector;
  }

  static async start(bundle: BundleOptions): Promise<GatewayProcess> {
    const folder = await temporaryFolder({ 'bundle.json': formatCanonicalJson(gatewayBundle(bundle)) });
    const program = start(
      PROGRAM.runtime,
      ['--bundle', folder.file('bundle.json'), '--watch', '--port', '0', '--internal-address', '127.0.0.1:0'],
      // The inspector triggers garbage collection from outside; otherwise the program runs as users run it.
      { nodeOptions: ['--inspect=127.0.0.1:0'] },
    );
    const inspector = /ws:\S+/.exec(await program.stderr.next(/Debugger listening on ws:\S+/))?.[0] as string;
    const { url, internal } = await program.announcement<{ url: string; internal: string }>();
    return new GatewayProcess(program, folder, { url, internal, inspector });
  }

  /** Replaces the bundle at the watched path atomically. */
  async replace(bundle: BundleOptions): Promise<void> {
    const next = this.#folder.file('next.json');
    await writeFile(next, formatCanonicalJson(gatewayBundle(bundle)));
    await rename(next, this.#folder.file('bundle.json'));
  }

  async status(): Promise<StatusPage> {
    return (await (await fetch(`${this.#internalUrl}/status`)).json()) as StatusPage;
  }

  /** The memory after two garbage collections. The second one frees what finalizers release, and by then pages were returned to the system. */
  async memory(): Promise<Memory> {
    const inspector = await Inspector.connect(this.#inspectorUrl);
    await inspector.send('HeapProfiler.collectGarbage');
    await sleep(1_000);
    await inspector.send('HeapProfiler.collectGarbage');
    const { usedSize } = (await inspector.send('Runtime.getHeapUsage')) as { usedSize: number };
    inspector.close();
    return { rssBytes: await this.rssBytes(), heapBytes: usedSize };
  }

  /** Current memory. */
  async rssBytes(): Promise<number> {
    const status = await readFile(`/proc/${this.program.pid}/status`, 'utf8');
    return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) * 1024;
  }

  /** Processor time so far, in seconds. */
  async cpuSeconds(): Promise<number> {
    const stat = await readFile(`/proc/${this.program.pid}/stat`, 'utf8');
    // After the name in parentheses; user and system time in hundredths of a second.
    const [user, system] = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .slice(11, 13)
      .map(Number);
    return ((user ?? 0) + (system ?? 0)) / 100;
  }

  /** Open sockets, including listeners. */
  async sockets(): Promise<number> {
    const folder = `/proc/${this.program.pid}/fd`;
    const links = await Promise.all((await readdir(folder)).map(fd => readlink(`${folder}/${fd}`).catch(() => '')));
    return links.filter(link => link.startsWith('socket:')).length;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.program[Symbol.asyncDispose]();
    await this.#folder[Symbol.asyncDispose]();
  }
}

/** The part of the DevTools protocol that is needed. */
class Inspector {
  readonly #socket: WebSocket;
  #id = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
  }

  static async connect(url: string): Promise<Inspector> {
    const socket = new WebSocket(url);
    await new Promise<void>((resolve, reject) => {
      socket.addEventListener('open', () => resolve(), { once: true });
      socket.addEventListener('error', () => reject(new Error(`no inspector at ${url}`)), { once: true });
    });
    return new Inspector(socket);
  }

  send(method: string): Promise<unknown> {
    const id = ++this.#id;
    return new Promise(resolve => {
      const listener = ({ data }: MessageEvent) => {
        const message = JSON.parse(String(data)) as { id?: number; result?: unknown };
        if (message.id !== id) return;
        this.#socket.removeEventListener('message', listener);
        resolve(message.result);
      };
      this.#socket.addEventListener('message', listener);
      this.#socket.send(JSON.stringify({ id, method }));
    });
  }

  close(): void {
    this.#socket.close();
  }
}
