/** Collects steps that close what was opened, in case a later part cannot be opened. */
export class Undo {
  readonly #steps: (() => unknown)[] = [];

  /** @param step may return a promise */
  add(step: () => unknown): void {
    this.#steps.push(step);
  }

  /** Runs all steps, the last one first. If a step fails, the others still run. */
  async run(): Promise<void> {
    for (let step = this.#steps.pop(); step !== undefined; step = this.#steps.pop()) {
      try {
        await step();
      } catch {
        // The error is dropped: the error because of which the steps run is the one to report.
      }
    }
  }
}

/**
 * Opens several resources. If one cannot be opened, none stays open.
 *
 * @throws the error of `open`, after the resources that were already opened are closed
 */
export async function openAll<T>(open: (undo: Undo) => Promise<T>): Promise<T> {
  const undo = new Undo();
  try {
    return await open(undo);
  } catch (error) {
    await undo.run();
    throw error;
  }
}
