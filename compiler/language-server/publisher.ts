import type { Diagnostic as LspDiagnostic } from 'vscode-languageserver';
import { ConfigurationError } from '../project/index.ts';
import { UsageError } from '../usage-error.ts';
import { collectDiagnostics, toConfigurationDiagnostics } from './diagnostics.ts';
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
  readonly #sent = new Map<EditedProject, Map<string, string>>();
  readonly #complaints = new Map<EditedProject, string>();

  constructor(client: Client) {
    this.#client = client;
  }

  publish(project: EditedProject): void {
    try {
      this.#send(project, collectDiagnostics(project));
      this.#complaints.delete(project);
    } catch (error) {
      if (error instanceof ConfigurationError) this.#send(project, toConfigurationDiagnostics(project, error));
      else if (error instanceof UsageError) this.#complain(project, error.message);
      else throw error;
    }
  }

  /** Removes the diagnostics of a removed project, except for files that now belong to another project, which sends its own. */
  forget(project: EditedProject): void {
    for (const file of this.#sent.get(project)?.keys() ?? []) this.#client.publish(file, []);
    this.#sent.delete(project);
    this.#complaints.delete(project);
  }

  #send(project: EditedProject, diagnostics: ReadonlyMap<string, readonly LspDiagnostic[]>): void {
    const before = this.#sent.get(project) ?? new Map<string, string>();
    const now = new Map([...diagnostics].map(([file, list]) => [file, JSON.stringify(list)]));
    for (const [file, list] of diagnostics) if (before.get(file) !== now.get(file)) this.#client.publish(file, list);
    for (const file of before.keys()) if (!now.has(file)) this.#client.publish(file, []);
    this.#sent.set(project, now);
  }

  /** Shows a message once, even if the same problem occurs several times. */
  #complain(project: EditedProject, message: string): void {
    if (this.#complaints.get(project) === message) return;
    this.#complaints.set(project, message);
    this.#client.complain(message);
  }
}
