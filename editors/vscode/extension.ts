/** Starts `lintel lsp` for a VS Code window, once a file of Lintel is open in the window. */
import type { ExtensionContext, LogOutputChannel, TextDocument } from 'vscode';
import { commands, languages, window, workspace } from 'vscode';
import { LanguageClient, type ServerOptions, TransportKind } from 'vscode-languageclient/node';
import { chooseLintel, type Lintel } from './chosen-lintel.ts';
import { isOurs } from './own-file.ts';

/** The files that the language server may handle: specs, `lintel.yaml`, and the tool lock. */
const FILES = ['yaml', 'json', 'jsonc'].map(language => ({ scheme: 'file', language }));

let server: Server | undefined;

export async function activate(context: ExtensionContext): Promise<void> {
  const started = new Server(context);
  server = started;
  const { subscriptions } = context;
  subscriptions.push(
    commands.registerCommand('lintel.restart', () => started.restart()),
    workspace.onDidChangeConfiguration(change => {
      if (change.affectsConfiguration('lintel.path')) return started.restartIfRunning();
    }),
    // Once the user trusts the workspace, the project's own `lintel` may run.
    workspace.onDidGrantWorkspaceTrust(() => started.restartIfRunning()),
    workspace.onDidOpenTextDocument(document => started.startFor(document)),
    workspace.onDidSaveTextDocument(document => started.startFor(document)),
  );
  if (await isNeeded()) await started.restart();
}

/** Stops the server. VS Code waits for the returned promise before it ends. */
export async function deactivate(): Promise<void> {
  await server?.stop();
}

/** The language server of a window, one for all folders. Without a file of Lintel it is not started, because many projects have YAML files. */
class Server {
  readonly #extension: string;
  readonly #log: LogOutputChannel;
  readonly #status = languages.createLanguageStatusItem('lintel', FILES);
  #client: LanguageClient | undefined;
  /** The last start or stop; the next one waits for it. */
  #last: Promise<void> = Promise.resolve();

  constructor({ extensionPath, subscriptions }: ExtensionContext) {
    this.#extension = extensionPath;
    this.#log = window.createOutputChannel('Lintel', { log: true });
    this.#status.name = 'Lintel';
    this.#status.command = { command: 'lintel.showOutput', title: 'Show log' };
    subscriptions.push(
      this.#log,
      this.#status,
      commands.registerCommand('lintel.showOutput', () => this.#log.show()),
    );
  }

  async startFor(document: TextDocument): Promise<void> {
    if (this.#client === undefined && isOursIn(document)) await this.#inTurn(() => this.#start());
  }

  async restartIfRunning(): Promise<void> {
    if (this.#client !== undefined) await this.restart();
  }

  async restart(): Promise<void> {
    await this.#inTurn(async () => {
      await this.#stop();
      await this.#start();
    });
  }

  async stop(): Promise<void> {
    await this.#inTurn(() => this.#stop());
  }

  async #stop(): Promise<void> {
    const client = this.#client;
    this.#client = undefined;
    // Stopping a server that has not started would throw an error.
    if (!client?.needsStop()) return;
    // A busy server may not answer in time. The language client then ends its process, and the next server can start.
    await client.dispose().catch((error: Error) => this.#log.warn(error.message));
  }

  async #start(): Promise<void> {
    if (this.#client !== undefined) return;
    const chosen = await chooseLintel({
      setting: workspace.getConfiguration('lintel').get<string>('path', ''),
      folders: (workspace.workspaceFolders ?? []).flatMap(({ uri }) => (uri.scheme === 'file' ? [uri.fsPath] : [])),
      isTrusted: workspace.isTrusted,
      extension: this.#extension,
    });
    this.#log.info(`${chosen.program} (${chosen.origin})`);
    this.#status.text = `Lintel ${chosen.version ?? ''}`.trim();
    this.#status.detail = chosen.origin;
    this.#client = new LanguageClient('lintel', 'Lintel', serverOptions(chosen), {
      documentSelector: FILES,
      outputChannel: this.#log,
    });
    // The error is dropped, because the language client shows it. A change of the setting, or a restart, tries again.
    await this.#client.start().catch(() => {});
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    this.#last = this.#last.then(work, work);
    return this.#last;
  }
}

/** How the server is started. A script runs with VS Code's own Node, so that Node need not be installed. */
function serverOptions({ program, isScript }: Lintel): ServerOptions {
  if (isScript) {
    // Outside of VS Code, `lintel lsp` restarts itself with these options, which halve the memory for large projects.
    const options = { execArgv: ['--max-semi-space-size=8'] };
    return { module: program, args: ['lsp'], transport: TransportKind.stdio, options };
  }
  return { command: program, args: ['lsp'], transport: TransportKind.stdio };
}

async function isNeeded(): Promise<boolean> {
  if (workspace.textDocuments.some(isOursIn)) return true;
  return (await workspace.findFiles('**/lintel.yaml', '**/node_modules/**', 1)).length > 0;
}

function isOursIn(document: TextDocument): boolean {
  return document.uri.scheme === 'file' && isOurs(document.fileName, document.languageId, document.getText());
}
