import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type DoctorReport, doctorReport, type Finding } from '@tandem/companion/doctor';
import { diskFolder } from '../../../../test/memoryFolder.js';
import { Scratch, type StartOptions } from './tandemProcess.js';

const versions = { gemini: '0.61.0', qwen: '0.15.10', claude: '2.1.332', copilot: '1.0.102' } as const;
const asking = {
  '.gemini/settings.json': { ide: { enabled: true } },
  '.qwen/settings.json': { ide: { enabled: true }, tools: { approvalMode: 'default' } },
  '.claude/settings.json': { permissions: { defaultMode: 'default' } },
};

/** A simulated machine with correctly configured agents, of which only the version is real. */
export class DoctorScratch extends Scratch {
  constructor() {
    super();
    for (const [program, version] of Object.entries(versions)) this.install(program, version);
    for (const [file, settings] of Object.entries(asking)) this.put(join(this.home, file), settings);
  }

  /** In a container, the doctor removes nothing from another file system than the root's: it may come from outside. */
  protected override get parent(): string {
    return diskFolder();
  }

  /** A program that prints its version. */
  install(program: string, version: string): void {
    const path = join(this.root, 'bin', program);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, `#!/bin/sh\necho ${version}\n`);
    chmodSync(path, 0o755);
  }

  /** Writes a file of JSON as a careful companion does. */
  put(path: string, content: object): string {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileSync(path, JSON.stringify(content), { mode: 0o600 });
    return path;
  }

  override get env(): Record<string, string> {
    const { PATH = '' } = super.env;
    // So that Gemini CLI searches beside itself, also if the tests run in a container.
    return { ...super.env, PATH: `${join(this.root, 'bin')}:${PATH}`, REMOTE_CONTAINERS: '1' };
  }

  /** The next companion has no state of earlier ones, and another port. */
  forgetCompanions(): void {
    rmSync(join(this.state, 'tandem/journal'), { recursive: true });
  }

  /** The doctor's output, which must never contain a token. */
  async report(options: StartOptions = {}, ...flags: string[]): Promise<DoctorReport> {
    const { stdout, code } = await this.command(['doctor', '--json', ...flags], options);
    const report = doctorReport.parse(JSON.parse(stdout));
    if (code !== (report.isHealthy ? 0 : 1)) throw new Error(`It ended with ${code}: ${stdout}`);
    return report;
  }
}

/** The findings of one kind, in short. */
export function named(report: DoctorReport, id: string): readonly Finding[] {
  return report.findings.filter((finding) => finding.id === id);
}
