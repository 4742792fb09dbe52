import { existsSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { findProjectFile, PROJECT_FILE } from '../project/index.ts';
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
   * Projects of folders that the editor has open no more are forgotten, and so are those of single files that a folder has now.
   *
   * @returns the projects that are gone
   */
  changeFolders(added: readonly string[], removed: readonly string[]): readonly EditedProject[] {
    this.setFolders([...new Set([...this.#folders.filter(folder => !removed.includes(folder)), ...added])]);
    const ofOpenFiles = new Set([...this.open.keys()].map(file => this.#chooseFolder(file)));
    const isKept = (folder: string) =>
      ofOpenFiles.has(folder) ||
      (existsSync(join(folder, PROJECT_FILE)) && this.#folders.some(open => isIn(folder, open)));
    const gone = [...this.#projects].filter(([folder]) => !isKept(folder));
    for (const [folder] of gone) this.#projects.delete(folder);
    return gone.map(([, project]) => project);
  }

  /**
   * The project of a file: of the `lintel.yaml` nearest to it, else of the folder that the editor has open, else of its own folder.
   *
   * @throws UsageError as `findProjectFile`
   */
  getProject(absolute: string): EditedProject {
    return this.projectIn(this.#chooseFolder(absolute));
  }

  #chooseFolder(absolute: string): string {
    const file = findProjectFile([], dirname(absolute));
    if (file !== undefined) return dirname(file);
    // An editor may have a folder and one below it open.
    const opened = this.#folders.filter(folder => isIn(absolute, folder)).sort((a, b) => b.length - a.length);
    return opened[0] ?? dirname(absolute);
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

function isIn(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`);
}
