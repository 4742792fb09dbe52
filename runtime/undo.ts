/** Steps that undo what was opened so far. */
export class Undo {
  readonly #steps: (() => unknown)[] = [];

  /** @param step may return a promise */
  add(step: () => unknown): void {
    this.#steps.push(step);
  }

  /** Runs all steps, the last one first, also when one of them fails. */
  async run(): Promise<void> {
    for (let step = this.#steps.pop(); step !== undefined; step = this.#steps.pop()) {
      try {
        await step();
      } catch {
        // The failure that led here is the one to report.
      }
    }
  }
}

/**
 * Opens several things, of which none stays open when one cannot be opened.
 *
 * @throws what `open` throws, after what it has added was undone
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
