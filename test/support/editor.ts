/** A client of the language server, which acts like an editor: it uses the protocol's own library over the standard streams of a process. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  type ClientCapabilities,
  createProtocolConnection,
  type Diagnostic,
  DidChangeTextDocumentNotification,
  DidOpenTextDocumentNotification,
  DidSaveTextDocumentNotification,
  ExitNotification,
  FileChangeType,
  InitializedNotification,
  InitializeRequest,
  type InitializeResult,
  type Position,
  type ProtocolConnection,
  PublishDiagnosticsNotification,
  type Range,
  RegistrationRequest,
  ShowMessageNotification,
  ShutdownRequest,
  StreamMessageReader,
  StreamMessageWriter,
} from 'vscode-languageserver-protocol/node';
import { PROGRAM } from './process.ts';

const CAPABILITIES: ClientCapabilities = {
  workspace: {
    workspaceFolders: true,
    didChangeWatchedFiles: { dynamicRegistration: true },
    workspaceEdit: { documentChanges: true },
  },
  window: { showDocument: { support: true } },
  textDocument: { publishDiagnostics: { relatedInformation: true, codeDescriptionSupport: true } },
};

export class Editor implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #folder: string;
  readonly #texts = new Map<string, { text: string; version: number }>();
  readonly #diagnostics = new Map<string, readonly Diagnostic[]>();
  readonly #changes = new EventTarget();
  readonly connection: ProtocolConnection;
  readonly messages: string[] = [];
  readonly registrations: string[] = [];
  initialized!: InitializeResult;

  private constructor(child: ChildProcess, connection: ProtocolConnection, folder: string) {
    this.#child = child;
    this.#folder = folder;
    this.connection = connection;
    connection.onNotification(PublishDiagnosticsNotification.type, ({ uri, diagnostics }) => {
      this.#diagnostics.set(uri, diagnostics);
      this.#changes.dispatchEvent(new Event('diagnostics'));
    });
    connection.onNotification(ShowMessageNotification.type, ({ message }) => {
      this.messages.push(message);
      this.#changes.dispatchEvent(new Event('diagnostics'));
    });
    connection.onRequest(RegistrationRequest.type, ({ registrations }) => {
      this.registrations.push(...registrations.map(({ method }) => method));
    });
    connection.listen();
  }

  /**
   * Starts the server and opens a folder.
   *
   * @param options.command a `lintel` other than that of `dist/`
   */
  static async in(
    folder: string,
    options: { readonly nodeOptions?: readonly string[]; readonly command?: readonly string[] } = {},
  ): Promise<Editor> {
    const { PATH = '', HOME = '', NODE_COMPILE_CACHE } = process.env;
    const ours = [process.execPath, ...(options.nodeOptions ?? []), PROGRAM.lintel];
    const [program = '', ...args] = options.command ?? ours;
    const child = spawn(program, [...args, 'lsp', '--stdio'], {
      cwd: folder,
      env: { PATH, HOME, NODE_COMPILE_CACHE },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const connection = createProtocolConnection(
      new StreamMessageReader(child.stdout),
      new StreamMessageWriter(child.stdin),
    );
    const editor = new Editor(child, connection, folder);
    const rootUri = pathToFileURL(folder).href;
    editor.initialized = await connection.sendRequest(InitializeRequest.type, {
      processId: process.pid,
      rootUri,
      workspaceFolders: [{ uri: rootUri, name: 'specs' }],
      capabilities: CAPABILITIES,
    });
    await connection.sendNotification(InitializedNotification.type, {});
    return editor;
  }

  get pid(): number {
    return this.#child.pid ?? Number.NaN;
  }

  uri(file: string): string {
    return pathToFileURL(join(this.#folder, file)).href;
  }

  text(file: string): string {
    return this.#texts.get(file)?.text ?? '';
  }

  async open(file: string, text?: string): Promise<void> {
    const written = text ?? (await readFile(join(this.#folder, file), 'utf8'));
    this.#texts.set(file, { text: written, version: 1 });
    await this.connection.sendNotification(DidOpenTextDocumentNotification.type, {
      textDocument: { uri: this.uri(file), languageId: 'yaml', version: 1, text: written },
    });
  }

  /** Replaces the first occurrence of a text by typing. */
  async replace(file: string, found: string, by: string): Promise<void> {
    const { text, version } = this.#texts.get(file) ?? { text: '', version: 0 };
    const at = text.indexOf(found);
    if (at === -1) throw new Error(`${file} does not hold ${found}`);
    const range = { start: positionIn(text, at), end: positionIn(text, at + found.length) };
    this.#texts.set(file, { text: text.slice(0, at) + by + text.slice(at + found.length), version: version + 1 });
    await this.connection.sendNotification(DidChangeTextDocumentNotification.type, {
      textDocument: { uri: this.uri(file), version: version + 1 },
      contentChanges: [{ range, text: by }],
    });
  }

  async saved(file: string): Promise<void> {
    await this.connection.sendNotification(DidSaveTextDocumentNotification.type, {
      textDocument: { uri: this.uri(file) },
    });
  }

  /** Reports created, deleted and changed files, as an editor's client does. */
  async filesChanged(...files: readonly string[]): Promise<void> {
    const changes = files.map(file => ({ uri: this.uri(file), type: FileChangeType.Changed }));
    await this.connection.sendNotification('workspace/didChangeWatchedFiles', { changes });
  }

  /** The position of `|` in a text, which the file contains without it. */
  at(file: string, marked: string): { textDocument: { uri: string }; position: Position } {
    const text = this.text(file);
    const found = text.indexOf(marked.replace('|', ''));
    if (found === -1) throw new Error(`${file} does not hold ${marked}`);
    return { textDocument: { uri: this.uri(file) }, position: positionIn(text, found + marked.indexOf('|')) };
  }

  /** The text in a range of a file. */
  held(file: string, { start, end }: Range): string {
    const text = this.text(file);
    return text.slice(offsetIn(text, start), offsetIn(text, end));
  }

  /** The diagnostics of a file, once they are as expected. */
  async diagnostics(
    file: string,
    areWanted: (diagnostics: readonly Diagnostic[]) => boolean,
  ): Promise<readonly Diagnostic[]> {
    const uri = this.uri(file);
    for (;;) {
      const found = this.#diagnostics.get(uri);
      if (found !== undefined && areWanted(found)) return found;
      await once(this.#changes, 'diagnostics');
    }
  }

  /** Ends the server as an editor does. */
  async shutdown(): Promise<number | null> {
    const ended = once(this.#child, 'exit') as Promise<[number | null]>;
    await this.connection.sendRequest(ShutdownRequest.type);
    await this.connection.sendNotification(ExitNotification.type);
    return (await ended)[0];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.connection.dispose();
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, 'exit');
    // When an editor crashes, its end of the pipe closes, which must end the server too.
    this.#child.stdin?.end();
    await ended;
  }
}

export function positionIn(text: string, offset: number): Position {
  const before = text.slice(0, offset).split('\n');
  return { line: before.length - 1, character: before.at(-1)?.length ?? 0 };
}

export function offsetIn(text: string, { line, character }: Position): number {
  const lines = text.split('\n');
  return lines.slice(0, line).reduce((sum, one) => sum + one.length + 1, 0) + character;
}
