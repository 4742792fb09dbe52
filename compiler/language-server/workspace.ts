import { existsSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { findProjectFile, PROJECT_FILE } from '../project/find-project-file.ts';
import { EditedProject } from './edited-project.ts';

/** The projects of an editor: what belongs together is compiled together. */
export class Workspace {
  /** What the editor has open, by absolute path. */
  readonly open = new Map<string, string>();
  readonly #projects = new Map<string, EditedProject>();
  /** Folders that the editor has open, absolute. */
  #folders: readonly string[] = [];

  get projects(): Iterable<EditedProject> {
    return this.#projects.values();
  }

  /** A folder with a `lintel.yaml` is a project from the start; the others become one with their first open file. */
  setFolders(folders: readonly string[]): void {
    this.#folders = folders;
    for (const folder of folders) if (existsSync(join(folder, PROJECT_FILE))) this.projectIn(folder);
  }

  /**
   * The project of a file: of the `lintel.yaml` nearest to it, else of the folder that the editor has open, else of its own folder.
   *
   * @throws UsageError as `findProjectFile`
   */
  projectOf(absolute: string): EditedProject {
    const file = findProjectFile([], dirname(absolute));
    const opened = this.#folders.find(folder => absolute.startsWith(`${folder}${sep}`));
    return this.projectIn(file === undefined ? (opened ?? dirname(absolute)) : dirname(file));
  }

  /** @param folder absolute */
  projectIn(folder: string): EditedProject {
    const known = this.#projects.get(folder);
    if (known !== undefined) return known;
    const project = new EditedProject(folder, this.open);
    this.#projects.set(folder, project);
    return project;
  }
}
