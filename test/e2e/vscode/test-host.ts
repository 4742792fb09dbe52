/**
 * The extension as it is in the `.vsix`, with the client of VS Code's own library and a real server. The module `vscode`, which VS Code itself
 * supplies, is simulated here as far as the extension and the library use it. `real-editor.test.ts` has a real one.
 */
import { EventEmitter as NodeEvents, once } from 'node:events';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { positionIn } from '../../support/editor.ts';
import type { TemporaryFolder } from '../../support/process.ts';

type Listener = (event: never) => unknown;

class Disposable {
  readonly #call: () => unknown;

  constructor(call: () => unknown = () => {}) {
    this.#call = call;
  }

  static from(...all: readonly { dispose(): unknown }[]): Disposable {
    return new Disposable(() => {
      for (const one of all) one.dispose();
    });
  }

  dispose(): unknown {
    return this.#call();
  }
}

class EventEmitter {
  readonly #listeners = new Set<Listener>();

  readonly event = (listener: Listener, self?: unknown, disposables?: Disposable[]): Disposable => {
    const bound = listener.bind(self) as Listener;
    this.#listeners.add(bound);
    const subscription = new Disposable(() => this.#listeners.delete(bound));
    disposables?.push(subscription);
    return subscription;
  };

  fire(event: unknown): void {
    for (const listener of this.#listeners) listener(event as never);
  }

  dispose(): void {
    this.#listeners.clear();
  }
}

class CancellationTokenSource {
  readonly token = { isCancellationRequested: false, onCancellationRequested: () => new Disposable() };
  cancel(): void {}
  dispose(): void {}
}

class Position {
  readonly line: number;
  readonly character: number;

  constructor(line: number, character: number) {
    this.line = line;
    this.character = character;
  }
}

class Range {
  readonly start: Position;
  readonly end: Position;

  constructor(...at: readonly [Position, Position] | readonly [number, number, number, number]) {
    this.start = at.length === 2 ? at[0] : new Position(at[0], at[1]);
    this.end = at.length === 2 ? at[1] : new Position(at[2], at[3]);
  }
}

class Uri {
  readonly scheme: string;
  readonly fsPath: string;
  readonly #href: string;

  constructor(href: string) {
    const url = new URL(href);
    this.#href = href;
    this.scheme = url.protocol.slice(0, -1);
    this.fsPath = decodeURIComponent(url.pathname);
  }

  static file(path: string): Uri {
    return new Uri(pathToFileURL(path).href);
  }

  static parse(href: string): Uri {
    return new Uri(href);
  }

  get path(): string {
    return this.fsPath;
  }

  toString(): string {
    return this.#href;
  }
}

/** A diagnostic as VS Code creates it: a message, a range, and the fields that the library adds. */
class Diagnostic {
  readonly range: Range;
  readonly message: string;
  readonly code?: unknown;
  readonly severity?: number;

  constructor(range: Range, message: string) {
    this.range = range;
    this.message = message;
  }
}

class MarkdownString {
  readonly value: string;

  constructor(value = '') {
    this.value = value;
  }
}

class CodeActionKind {
  static readonly Empty: CodeActionKind = new CodeActionKind('');
  readonly value: string;

  constructor(value: string) {
    this.value = value;
  }

  append(part: string): CodeActionKind {
    return new CodeActionKind(this.value === '' ? part : `${this.value}.${part}`);
  }
}

/** A class for values that are only passed on. */
class Carried {
  constructor(...given: readonly unknown[]) {
    Object.assign(this, given[0]);
  }
}

/** A stub for any other name: an event, a class or enumeration, or a function that registers something. */
function other(name: string): unknown {
  if (/^on[A-Z]/.test(name)) return () => new Disposable();
  if (/^[A-Z]/.test(name)) return class extends Carried {};
  return () => new Disposable();
}

/** The simulated module with all names in VS Code's own types, because loaders copy the names that a module exports. */
function withAllNames(known: Readonly<Record<string, unknown>>): object {
  const types = readFileSync(createRequire(import.meta.url).resolve('@types/vscode/index.d.ts'), 'utf8');
  const names = [...types.matchAll(/^\texport (?:abstract )?(?:class|enum|namespace) (\w+)/gm)].map(
    ([, name = '']) => name,
  );
  const others = names.filter(name => !(name in known));
  return {
    ...Object.fromEntries(others.map(name => [name, /^[A-Z]/.test(name) ? other(name) : filled({})])),
    ...known,
  };
}

function filled<T extends object>(known: T): T {
  const made = new Map<string, unknown>();
  return new Proxy(known, {
    get(target, name) {
      if (typeof name === 'symbol' || name in target) return Reflect.get(target, name);
      // The stub must not look like a promise.
      if (name === 'then' || name === '__esModule') return undefined;
      const known = made.get(name) ?? other(name);
      made.set(name, known);
      return known;
    },
  });
}

interface TextDocument {
  readonly uri: Uri;
  readonly fileName: string;
  readonly languageId: string;
  readonly version: number;
  readonly isClosed: boolean;
  getText(): string;
}

export interface HostOptions {
  readonly isTrusted?: boolean;
  /** The setting `lintel.path`. */
  readonly path?: string;
}

type Provider = Readonly<Record<string, (...given: readonly unknown[]) => unknown>>;

interface Extension {
  activate(context: object): Promise<void>;
  deactivate(): Promise<void>;
}

/** A window with one folder. */
export class TestHost implements AsyncDisposable {
  readonly statusItem: { text?: string; detail?: string; dispose(): void } = { dispose() {} };
  readonly log: string[] = [];
  readonly commands = new Map<string, (...given: readonly unknown[]) => unknown>();
  readonly #documents = new Map<string, TextDocument>();
  readonly #providers = new Map<string, Provider>();
  readonly #diagnostics = new Map<string, readonly Diagnostic[]>();
  readonly #happened = new NodeEvents();
  readonly #events = {
    opened: new EventEmitter(),
    changed: new EventEmitter(),
    closed: new EventEmitter(),
    saved: new EventEmitter(),
    trusted: new EventEmitter(),
    configured: new EventEmitter(),
  };
  readonly #folder: string;
  readonly #options: { isTrusted: boolean; path: string };
  readonly #subscriptions: { dispose(): unknown }[] = [];
  readonly #extension: Extension;

  private constructor(extension: string, code: string, folder: string, { isTrusted = true, path = '' }: HostOptions) {
    this.#folder = folder;
    this.#options = { isTrusted, path };
    const own = createRequire(join(extension, 'extension.cjs'));
    const vscode = this.#vscode();
    const module = { exports: {} as Extension };
    const load = (name: string) => (name === 'vscode' ? vscode : own(name));
    new Function('module', 'exports', 'require', '__filename', '__dirname', code)(
      module,
      module.exports,
      load,
      join(extension, 'extension.cjs'),
      extension,
    );
    this.#extension = module.exports;
  }

  /** Activates the extension for another folder, in another window. */
  static async open(extension: string, folder: TemporaryFolder, options: HostOptions = {}): Promise<TestHost> {
    const code = await readFile(join(extension, 'extension.cjs'), 'utf8');
    const host = new TestHost(extension, code, folder.path, options);
    await host.#extension.activate({ extensionPath: extension, subscriptions: host.#subscriptions });
    return host;
  }

  /** Opens a file of the folder as a user does. */
  async show(file: string, languageId = 'yaml'): Promise<void> {
    const fileName = join(this.#folder, file);
    this.#put(fileName, languageId, 1, await readFile(fileName, 'utf8'));
    this.#events.opened.fire(this.#documents.get(fileName));
  }

  /** Replaces the first occurrence of a text by typing. */
  type(file: string, found: string, by: string): void {
    const fileName = join(this.#folder, file);
    const before = this.#documents.get(fileName);
    const text = before?.getText() ?? '';
    const at = text.indexOf(found);
    if (before === undefined || at === -1) throw new Error(`${file} does not hold ${found}`);
    this.#put(fileName, before.languageId, before.version + 1, text.slice(0, at) + by + text.slice(at + found.length));
    const [start, end] = [at, at + found.length].map(offset => positionIn(text, offset));
    const range = new Range(start as Position, end as Position);
    const change = { range, rangeOffset: at, rangeLength: found.length, text: by };
    this.#events.changed.fire({ document: this.#documents.get(fileName), contentChanges: [change] });
  }

  /** The codes of a file's diagnostics, once they are as expected. */
  async codes(file: string, areWanted: (codes: readonly unknown[]) => boolean): Promise<readonly unknown[]> {
    for (;;) {
      const found = this.#diagnostics.get(join(this.#folder, file))?.map(({ code }) => codeOf(code));
      if (found !== undefined && areWanted(found)) return found;
      await once(this.#happened, 'diagnostics');
    }
  }

  /** What a provider of the extension returns for the position of `|` in a text, which the file contains without it. */
  async ask(what: string, method: string, file: string, marked = '|'): Promise<unknown> {
    const document = this.#documents.get(join(this.#folder, file));
    const text = document?.getText() ?? '';
    const at = positionIn(text, text.indexOf(marked.replace('|', '')) + marked.indexOf('|'));
    const { token } = new CancellationTokenSource();
    const position = new Position(at.line, at.character);
    while (!this.#providers.has(what)) await once(this.#happened, 'provider');
    return await this.#providers.get(what)?.[method]?.(document, position, token, {});
  }

  trust(): void {
    this.#options.isTrusted = true;
    this.#events.trusted.fire(undefined);
  }

  setPath(path: string): void {
    this.#options.path = path;
    this.#events.configured.fire({ affectsConfiguration: (section: string) => 'lintel.path'.startsWith(section) });
  }

  /** Resolves once a line of the log is as expected. */
  async logged(wanted: RegExp): Promise<void> {
    while (!this.log.some(line => wanted.test(line))) await once(this.#happened, 'log');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#extension.deactivate();
    for (const one of this.#subscriptions) one.dispose();
  }

  #put(fileName: string, languageId: string, version: number, text: string): void {
    this.#documents.set(fileName, {
      uri: Uri.file(fileName),
      fileName,
      languageId,
      version,
      isClosed: false,
      getText: () => text,
    });
  }

  #note(line: unknown): void {
    this.log.push(String(line));
    this.#happened.emit('log');
  }

  #vscode(): object {
    const note = (line: unknown) => this.#note(line);
    const channel = filled({
      info: note,
      warn: note,
      error: note,
      append: note,
      appendLine: note,
      show() {},
      dispose() {},
    });
    const folders = [{ uri: Uri.file(this.#folder), name: basename(this.#folder), index: 0 }];
    const { opened, changed, closed, saved, trusted, configured } = this.#events;
    const documents = this.#documents;
    const options = this.#options;
    const root = this.#folder;
    const register = (name: string) => (_selector: unknown, provider: Provider) => {
      this.#providers.set(name, provider);
      this.#happened.emit('provider');
      return new Disposable(() => this.#providers.delete(name));
    };
    const setting = (section: string | undefined) => (name: string, fallback?: unknown) =>
      section === 'lintel' && name === 'path' ? options.path : fallback;
    return withAllNames({
      version: '1.107.0',
      Disposable,
      EventEmitter,
      CancellationTokenSource,
      Position,
      Range,
      Uri,
      Diagnostic,
      MarkdownString,
      CodeActionKind,
      DiagnosticSeverity: { Error: 0, Warning: 1, Information: 2, Hint: 3 },
      workspace: filled({
        workspaceFolders: folders,
        notebookDocuments: [],
        get textDocuments() {
          return [...documents.values()];
        },
        get isTrusted() {
          return options.isTrusted;
        },
        onDidOpenTextDocument: opened.event,
        onDidChangeTextDocument: changed.event,
        onDidCloseTextDocument: closed.event,
        onDidSaveTextDocument: saved.event,
        onDidGrantWorkspaceTrust: trusted.event,
        onDidChangeConfiguration: configured.event,
        getWorkspaceFolder: () => folders[0],
        getConfiguration: (section?: string) => ({ get: setting(section), has: () => false, inspect: () => undefined }),
        createFileSystemWatcher: () => filled({ dispose() {} }),
        findFiles: async () => {
          const file = join(root, 'lintel.yaml');
          return await readFile(file).then(
            () => [Uri.file(file)],
            () => [],
          );
        },
      }),
      window: filled({
        createOutputChannel: () => channel,
        activeTextEditor: undefined,
        visibleTextEditors: [],
        tabGroups: filled({ all: [] }),
        showErrorMessage: async (message: string) => note(message),
      }),
      languages: filled({
        createLanguageStatusItem: () => this.statusItem,
        match: (selector: readonly { scheme?: string; language?: string }[], { uri, languageId }: TextDocument) =>
          selector.some(one => one.scheme === uri.scheme && one.language === languageId) ? 10 : 0,
        createDiagnosticCollection: () => ({
          set: (uri: Uri, diagnostics: readonly Diagnostic[] = []) => {
            this.#diagnostics.set(uri.fsPath, diagnostics);
            this.#happened.emit('diagnostics');
          },
          delete: (uri: Uri) => this.#diagnostics.delete(uri.fsPath),
          clear: () => this.#diagnostics.clear(),
          dispose: () => this.#diagnostics.clear(),
        }),
        registerHoverProvider: register('hover'),
        registerCodeLensProvider: register('lens'),
        registerCompletionItemProvider: register('completion'),
        registerDefinitionProvider: register('definition'),
      }),
      commands: filled({
        registerCommand: (name: string, run: (...given: readonly unknown[]) => unknown) => {
          if (this.commands.has(name)) throw new Error(`command '${name}' already exists`);
          this.commands.set(name, run);
          return new Disposable(() => this.commands.delete(name));
        },
      }),
      env: filled({ language: 'en', appName: 'test', appHost: 'desktop' }),
    });
  }
}

function codeOf(code: unknown): unknown {
  return typeof code === 'object' && code !== null && 'value' in code ? code.value : code;
}
