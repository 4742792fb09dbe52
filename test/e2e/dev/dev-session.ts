/** `lintel dev` over a folder with one gateway and one backend, and one client session for the whole test. */
import { rename, writeFile } from 'node:fs/promises';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import {
  eventually,
  PROGRAM,
  type Program,
  start,
  type TemporaryFolder,
  temporaryFolder,
} from '../../support/process.ts';
import { type SdkServer, startSdkServer } from '../../support/sdk-server.ts';
import { type Announcement, FREE_PORTS } from '../served.ts';
import { GROUP, inlineGateway } from '../specs.ts';

export const GATEWAY_FILE = 'gateway.yaml';

export function startDev(folder: TemporaryFolder): Program {
  return start(PROGRAM.lintel, ['dev', '.', ...FREE_PORTS], { cwd: folder.path });
}

/** A client of the official SDK that counts its notifications. */
export class DevClient implements AsyncDisposable {
  /** The number of notifications that the list of tools changed. */
  toolChanges = 0;
  readonly #client: Client = new Client({ name: 'test', version: '1' });

  async connect(url: string): Promise<this> {
    this.#client.setNotificationHandler(ToolListChangedNotificationSchema, () => {
      this.toolChanges++;
    });
    // The SDK's types disagree with exactOptionalPropertyTypes about `sessionId`.
    await this.#client.connect(new StreamableHTTPClientTransport(new URL(url)) as Parameters<Client['connect']>[0]);
    return this;
  }

  async tools(): Promise<readonly string[]> {
    const { tools } = await this.#client.listTools();
    return tools.map(({ name }) => name);
  }

  /** The text of a call's result. */
  async call(name: string): Promise<string | undefined> {
    const { content } = await this.#client.callTool({ name, arguments: {} });
    const [part] = content as { text?: string }[];
    return part?.text;
  }

  /** Waits until exactly these tools are listed; returns the milliseconds since `since`. */
  async lists(expected: readonly string[], since: number): Promise<number> {
    const text = expected.join(' ');
    let last = '';
    await eventually(async () => {
      last = (await this.tools()).join(' ');
      return last === text;
    }).catch(cause => {
      throw new Error(`the last tools are "${last}", not "${text}"`, { cause });
    });
    return performance.now() - since;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#client.close();
  }
}

export class DevSession implements AsyncDisposable {
  readonly folder: TemporaryFolder;
  readonly lintel: Program;
  readonly listening: Announcement;
  readonly client: DevClient;
  readonly #backend: SdkServer;

  constructor(parts: {
    folder: TemporaryFolder;
    lintel: Program;
    listening: Announcement;
    client: DevClient;
    backend: SdkServer;
  }) {
    this.folder = parts.folder;
    this.lintel = parts.lintel;
    this.listening = parts.listening;
    this.client = parts.client;
    this.#backend = parts.backend;
  }

  /** The gateway with this entry in `aggregation.tools`. */
  gateway(tool: string): string {
    return inlineGateway('eng', this.#backend.url, tool);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.client[Symbol.asyncDispose]();
    await this.lintel[Symbol.asyncDispose]();
    await this.folder[Symbol.asyncDispose]();
    await this.#backend.close();
  }
}

/** Serves a gateway that shows only the tool `echo`. */
export async function startDevSession(): Promise<DevSession> {
  const backend = await startSdkServer({ transport: 'streamable-http' });
  const folder = await temporaryFolder({
    'group.yaml': GROUP,
    [GATEWAY_FILE]: inlineGateway('eng', backend.url, '{ workload: backend, filter: [echo] }'),
  });
  const lintel = startDev(folder);
  const listening = await lintel.announcement<Announcement>();
  const client = await new DevClient().connect(listening.url);
  await client.lists(['backend_echo'], 0);
  return new DevSession({ folder, lintel, listening, client, backend });
}

/** The two ways in which editors save a file. */
export const SAVES: readonly (readonly [name: string, save: (file: string, text: string) => Promise<void>])[] = [
  ['written in place', writeFile],
  [
    'replaced by a rename',
    async (file, text) => {
      await writeFile(`${file}.swp`, text);
      await rename(`${file}.swp`, file);
    },
  ],
];
