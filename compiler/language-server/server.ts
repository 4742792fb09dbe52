import { fileURLToPath } from 'node:url';
import type {
  CodeLens,
  Connection,
  Position,
  ResponseError,
  ServerCapabilities,
  TextDocumentPositionParams,
  WorkspaceFolder,
} from 'vscode-languageserver';
import { VERSION } from '#schemas';
import type { SourceText } from '../source/source-text.ts';
import { UsageError } from '../usage-error.ts';
import { computeCodeLenses, type LensSubject, resolveLens } from './code-lens.ts';
import { CompilationGarbage } from './compilation-garbage.ts';
import { computeCompletions } from './completion.ts';
import { findDefinitions, findNamedObject } from './definition.ts';
import type { EditedProject } from './edited-project.ts';
import { ExposurePages } from './exposure-pages.ts';
import { computeHover } from './hover.ts';
import { toOffset, toUri } from './positions.ts';
import { INCREMENTAL, SHOW_EXPOSURE, WATCHED_FILES } from './protocol.ts';
import { Publisher } from './publisher.ts';
import { findQuickFixes } from './quick-fixes.ts';
import { locateReferences, prepareRename, RenameProblem, rename } from './rename.ts';
import { computeSemanticTokens, LEGEND } from './semantic-tokens.ts';
import { Workspace } from './workspace.ts';

/** A burst of typing counts as one change; milliseconds. */
const SETTLE_MS = 25;

const CAPABILITIES: ServerCapabilities = {
  textDocumentSync: { openClose: true, change: INCREMENTAL, save: true },
  hoverProvider: true,
  definitionProvider: true,
  referencesProvider: true,
  renameProvider: { prepareProvider: true },
  completionProvider: { triggerCharacters: ['"', '.', ' ', '/'] },
  codeLensProvider: { resolveProvider: true },
  semanticTokensProvider: { legend: LEGEND, full: true },
  executeCommandProvider: { commands: [SHOW_EXPOSURE] },
  codeActionProvider: { codeActionKinds: ['quickfix'] },
  workspace: { workspaceFolders: { supported: true, changeNotifications: true } },
};

/**
 * Serves one editor over standard input and output until it shuts down or disconnects: the library then ends the process, with the exit codes of
 * the protocol.
 * @see https://microsoft.github.io/language-server-protocol/specifications/lsp/3.17/specification/
 */
export async function serveEditor(): Promise<never> {
  const library = await import('./lsp-library.ts');
  const connection = library.createConnection(library.ProposedFeatures.all, process.stdin, process.stdout);
  const documents = new library.TextDocuments(library.TextDocument);
  const { RequestFailed } = library.LSPErrorCodes;
  const session = new EditorSession(connection, message => new library.ResponseError(RequestFailed, message));
  documents.onDidOpen(({ document }) => session.opened(document.uri, document.getText()));
  documents.onDidChangeContent(({ document }) => session.changed(document.uri, document.getText()));
  documents.onDidClose(({ document }) => session.closed(document.uri));
  documents.onDidSave(() => session.filesChanged());
  documents.listen(connection);
  connection.listen();
  return await new Promise<never>(() => {});
}

/** The position of requests about a whole file. */
const START: Position = { line: 0, character: 0 };

/** A session between one editor and the server. */
class EditorSession {
  readonly #connection: Connection;
  readonly #workspace = new Workspace();
  readonly #publisher: Publisher;
  readonly #pages = new ExposurePages();
  readonly #leftBehind = new CompilationGarbage();
  /** URIs in the client's spelling, which may differ from Lintel's for the same file. */
  readonly #uris = new Map<string, string>();
  #timer: NodeJS.Timeout | undefined;

  /** @param fail creates the response for a request that cannot be answered */
  constructor(connection: Connection, fail: (message: string) => ResponseError) {
    this.#connection = connection;
    this.#publisher = new Publisher({
      publish: (absolute, diagnostics) =>
        void connection.sendDiagnostics({
          uri: this.#uris.get(absolute) ?? toUri(absolute),
          diagnostics: [...diagnostics],
        }),
      complain: message => connection.window.showErrorMessage(`lintel: ${message}`),
    });
    let [canWatch, canShow, canChangeFolders] = [false, false, false];
    connection.onInitialize(({ capabilities, workspaceFolders, rootUri }) => {
      canChangeFolders = capabilities.workspace?.workspaceFolders === true;
      canWatch = capabilities.workspace?.didChangeWatchedFiles?.dynamicRegistration === true;
      canShow = capabilities.window?.showDocument?.support === true;
      const uris = workspaceFolders?.map(({ uri }) => uri) ?? (rootUri === null ? [] : [rootUri]);
      this.#workspace.setFolders(uris.flatMap(uri => toPath(uri) ?? []));
      return { capabilities: CAPABILITIES, serverInfo: { name: 'lintel', version: VERSION } };
    });
    connection.onInitialized(async () => {
      this.#scheduleSoon();
      if (canChangeFolders)
        connection.workspace.onDidChangeWorkspaceFolders(({ added, removed }) => this.#foldersChanged(added, removed));
      if (canWatch) await connection.sendRequest('client/registerCapability', { registrations: [WATCHED_FILES] });
    });
    connection.onDidChangeWatchedFiles(() => this.filesChanged());
    connection.onHover(at => this.#answerAt(at, computeHover));
    connection.onDefinition(at =>
      this.#answerAt(at, (project, source, offset) => {
        const name = findNamedObject(project, source, offset);
        return name === undefined ? null : findDefinitions(project, name);
      }),
    );
    connection.onCompletion(at => this.#answerAt(at, computeCompletions));
    connection.onReferences(at =>
      this.#answerAt(at, (project, source, offset) =>
        locateReferences(project, source, offset, at.context.includeDeclaration),
      ),
    );
    connection.onCodeLens(({ textDocument }) =>
      this.#answerAt({ textDocument, position: START }, (project, source) =>
        computeCodeLenses(project, source).map(lens => ({ ...lens, data: { ...lens.data, folder: project.folder } })),
      ),
    );
    connection.onCodeLensResolve(lens => this.#resolveLens(lens));
    connection.languages.semanticTokens.on(
      ({ textDocument }) => this.#answerAt({ textDocument, position: START }, computeSemanticTokens) ?? { data: [] },
    );
    connection.onExecuteCommand(({ command, arguments: commandArguments = [] }) =>
      command === SHOW_EXPOSURE ? this.#showExposure(commandArguments, canShow) : undefined,
    );
    connection.onPrepareRename(at => this.#answerAt(at, prepareRename));
    connection.onRenameRequest(at => {
      try {
        return this.#answerAt(at, (project, source, offset) => rename(project, source, offset, at.newName));
      } catch (error) {
        if (error instanceof RenameProblem) return fail(error.message);
        throw error;
      }
    });
    connection.onCodeAction(({ textDocument, range }) =>
      this.#answerAt({ textDocument, position: range.start }, (project, source) =>
        findQuickFixes(project, source, textDocument.uri, range),
      ),
    );
  }

  /** Fills in a lens. The client returns it with the project path and the object that the server put into its `data`. */
  #resolveLens(lens: CodeLens): CodeLens {
    const { folder, ...subject } = lens.data as LensSubject & { readonly folder: string };
    const project = this.#workspace.findProject(folder);
    return this.#runSafely(() => resolveLens(project, lens, subject)) ?? lens;
  }

  /** Shows the page in a browser if the editor can open one, otherwise shows the page's address. */
  async #showExposure([folder, namespace, names]: readonly unknown[], canShow: boolean): Promise<void> {
    if (typeof folder !== 'string' || typeof namespace !== 'string' || !Array.isArray(names)) return;
    const project = this.#workspace.findProject(folder);
    const uri = this.#runSafely(() => this.#pages.write(project, namespace, names.map(String)));
    if (uri === null) return;
    const shown = canShow ? await this.#connection.window.showDocument({ uri, external: true }) : { success: false };
    if (!shown.success) this.#connection.window.showInformationMessage(`lintel: who can reach what is in ${uri}`);
  }

  opened(uri: string, text: string): void {
    const path = toPath(uri);
    if (path === undefined) return;
    this.#uris.set(path, uri);
    this.#edit(path, text);
  }

  changed(uri: string, text: string): void {
    const path = toPath(uri);
    if (path !== undefined) this.#edit(path, text);
  }

  closed(uri: string): void {
    const path = toPath(uri);
    if (path === undefined) return;
    this.#workspace.open.delete(path);
    this.filesChanged();
  }

  filesChanged(): void {
    for (const project of this.#workspace.projects) project.noteFileChanges();
    this.#scheduleSoon();
  }

  #foldersChanged(added: readonly WorkspaceFolder[], removed: readonly WorkspaceFolder[]): void {
    const paths = (folders: readonly WorkspaceFolder[]) => folders.flatMap(({ uri }) => toPath(uri) ?? []);
    for (const project of this.#workspace.changeFolders(paths(added), paths(removed))) this.#publisher.forget(project);
    // An open file may now belong to another project.
    for (const path of this.#workspace.open.keys()) this.#findProject(path)?.edited();
    this.#scheduleSoon();
  }

  #edit(path: string, text: string): void {
    if (this.#workspace.open.get(path) === text) return;
    this.#workspace.open.set(path, text);
    this.#findProject(path)?.edited();
    this.#scheduleSoon();
  }

  /** Checks changed projects and sends the results. */
  #scheduleSoon(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      for (const project of this.#workspace.projects) {
        this.#runSafely(() => this.#publisher.publish(project));
        this.#runSafely(() => project.noteNames());
      }
      this.#leftBehind.collectIfMuch();
    }, SETTLE_MS);
  }

  /** Answers about a position in an open file that is a source of its project. */
  #answerAt<Answer>(
    { textDocument, position }: TextDocumentPositionParams,
    answer: (project: EditedProject, source: SourceText, offset: number) => Answer | null,
  ): Answer | null {
    const path = toPath(textDocument.uri);
    const project = path === undefined ? undefined : this.#findProject(path);
    if (path === undefined || project === undefined) return null;
    return this.#runSafely(() => {
      const source = project.getCompiled().findText(project.toShownPath(path));
      return source === undefined ? null : answer(project, source, toOffset(source, position));
    });
  }

  #findProject(path: string): EditedProject | undefined {
    return this.#runSafely(() => this.#workspace.getProject(path)) ?? undefined;
  }

  /** Answers a request. No error ends the server: with an invalid configuration there is no answer, and a bug is reported in the editor's log. */
  #runSafely<Result>(work: () => Result): Result | null {
    try {
      return work();
    } catch (error) {
      if (error instanceof RenameProblem) throw error;
      if (!(error instanceof UsageError)) this.#connection.console.error(String((error as Error).stack ?? error));
      return null;
    }
  }
}

/** The path of a document. Undefined for a document that is not a file, such as an unsaved one. */
function toPath(uri: string): string | undefined {
  return uri.startsWith('file:') ? fileURLToPath(uri) : undefined;
}
