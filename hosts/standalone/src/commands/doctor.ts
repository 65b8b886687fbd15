import { diagnose } from '@tandem/companion/doctor';
import { doctorText } from '../doctorText.js';
import { exitCode } from '../exitCode.js';
import { commandName, printAnswer } from '../output.js';
import { endDespiteDisk } from '../processEnd.js';

/** `tandem doctor`: why agents do not connect in this folder. Exits with 1 when a finding is an error. */
export async function doctor(options: { readonly fix?: boolean; readonly json?: boolean }): Promise<void> {
  const { fix = false, json = false } = options;
  const report = await diagnose({ folder: process.cwd(), command: commandName, fixes: fix });
  printAnswer(report, { json }, () => doctorText(report, process.stdout.columns || 80));
  if (!report.isHealthy) process.exitCode = exitCode.failed;
  await endDespiteDisk();
}
