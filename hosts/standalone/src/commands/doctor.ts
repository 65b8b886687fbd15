import { diagnose } from '@tandem/companion/doctor';
import { doctorText } from '../doctorText.js';
import { endDespiteDisk } from '../endDespiteDisk.js';
import { exitCode } from '../exitCode.js';
import { commandName, print, printJson } from '../output.js';

/** `tandem doctor`: why agents do not connect in this folder. Exits with 1 when a finding is an error. */
export async function doctor(options: { readonly fix?: boolean; readonly json?: boolean }): Promise<void> {
  const { fix = false, json = false } = options;
  const report = await diagnose({ folder: process.cwd(), command: commandName, fixes: fix });
  if (json) printJson(report);
  else print(doctorText(report, process.stdout.columns || 80));
  if (!report.isHealthy) process.exitCode = exitCode.failed;
  await endDespiteDisk();
}
