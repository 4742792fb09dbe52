import type { Diagnostic as LspDiagnostic } from 'vscode-languageserver';
import { ConfigurationError } from '../project/index.ts';
import { UsageError } from '../usage-error.ts';
import { collectDiagnostics, configurationDiagnostics } from './diagnostics.ts';
import type { EditedProject } from './edited-project.ts';

/** What is published to a client. */
export interface Client {
  /** @param absolute the file; no diagnostics take the earlier ones away */
  publish(absolute: string, diagnostics: readonly LspDiagnostic[]): void;
  /** What keeps a project from being checked at all. */
  complain(message: string): void;
}

/** Sends the diagnostics of a project, of each file only when they are others than before. */
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
      if (error instanceof ConfigurationError) this.#send(project, configurationDiagnostics(project, error));
      else if (error instanceof UsageError) this.#complain(project, error.message);
      else throw error;
    }
  }

  /** What was sent for a project that is gone is taken away, but for files that another one has now: it sends theirs. */
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

  /** Once, however often it is found. */
  #complain(project: EditedProject, message: string): void {
    if (this.#complaints.get(project) === message) return;
    this.#complaints.set(project, message);
    this.#client.complain(message);
  }
}
