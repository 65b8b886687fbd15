import { readdir, readFile } from 'node:fs/promises';

interface DaemonProcess {
  readonly pid: number;
  readonly line: string;
  readonly token: string;
}

/** The daemons that an editor with this home folder has started. */
export async function daemonsOf(home: string): Promise<DaemonProcess[]> {
  const found: DaemonProcess[] = [];
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const read = (name: string): Promise<string> => readFile(`/proc/${pid}/${name}`, 'utf8').catch(() => '');
    const line = await read('cmdline');
    const environment = await read('environ');
    if (!line.includes('\0serve\0') || !environment.includes(`HOME=${home}\0`)) continue;
    const [, token = ''] = /QWEN_SERVER_TOKEN=([^\0]*)/.exec(environment) ?? [];
    found.push({ pid: Number(pid), line, token });
  }
  return found;
}
