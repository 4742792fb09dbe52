import { isDeepStrictEqual } from 'node:util';
import type { Diagnostic as LspDiagnostic } from 'vscode-languageserver';
import { ConfigurationError } from '../project/index.ts';
import { UsageError } from '../usage-error.ts';
import { collectDiagnostics, type DiagnosticsByFile, toConfigurationDiagnostics } from './diagnostics.ts';
import type { EditedProject } from './edited-project.ts';

/** The messages to a client. */
export interface Client {
  /** @param absolute the file; an empty list removes its earlier diagnostics */
  publish(absolute: string, diagnostics: readonly LspDiagnostic[]): void;
  /** Reports why a project cannot be checked at all. */
  complain(message: string): void;
}

/** Sends a project's diagnostics, for each file only when they changed. */
export class Publisher {
  readonly #client: Client;
  readonly #sent = new Map<EditedProject, DiagnosticsByFile>();
  readonly #complaints = new Map<EditedProject, string>();

  constructor(client: Client) {
    this.#client = client;
  }

  publish(project: EditedProject): void {
    try {
      this.#send(project, collectDiagnostics(project, this.#sent.get(project) ?? new Map()));
      this.#complaints.delete(project);
    } catch (error) {
      if (error instanceof ConfigurationError) this.#send(project, toConfigurationDiagnostics(project, error));
      else if (error instanceof UsageError) this.#complain(project, error.message);
      else throw error;
    }
  }

  /** Removes the diagnostics of a removed project, except for files that now belong to another project, which sends its own. */
  forget(project: EditedProject): void {
    for (const { absolute } of this.#sent.get(project)?.values() ?? []) this.#client.publish(absolute, []);
    this.#sent.delete(project);
    this.#complaints.delete(project);
  }

  #send(project: EditedProject, now: DiagnosticsByFile): void {
    const before: DiagnosticsByFile = this.#sent.get(project) ?? new Map();
    for (const [file, entry] of now) {
      const sent = before.get(file);
      if (sent === entry || isDeepStrictEqual(sent?.diagnostics, entry.diagnostics)) continue;
      this.#client.publish(entry.absolute, entry.diagnostics);
    }
    for (const [file, { absolute }] of before) if (!now.has(file)) this.#client.publish(absolute, []);
    this.#sent.set(project, now);
  }

  /** Shows a message once, even if the same problem occurs several times. */
  #complain(project: EditedProject, message: string): void {
    if (this.#complaints.get(project) === message) return;
    this.#complaints.set(project, message);
    this.#client.complain(message);
  }
}
