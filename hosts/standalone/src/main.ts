import { runCommandLine } from './commandLine.js';
import { onOutputEnd } from './output.js';

declare const TANDEM_VERSION: string;

onOutputEnd((code) => process.exit(code));
process.exitCode = await runCommandLine(process.argv.slice(2), TANDEM_VERSION);
