import path from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { LONG } from './rest.ts';

/** The order of the runner within each project, but {@link LONG} before all others. */
export class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const at = LONG.indexOf(path.relative(this.ctx.config.root, moduleId));
      return at === -1 ? LONG.length : at;
    };
    const sorted = await super.sort(files);
    const projects = [...new Set(sorted.map(({ project }) => project.name))];
    return projects.flatMap((name) =>
      sorted.filter(({ project }) => project.name === name).toSorted((a, b) => rank(a) - rank(b)),
    );
  }
}
