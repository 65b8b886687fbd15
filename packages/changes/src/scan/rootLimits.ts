import { statfsSync } from 'node:fs';
import { homedir } from 'node:os';
import { parse } from 'node:path';
import { isWithin, type Path } from '@tandem/core';
import { realPathOr } from './realPath.js';

/** Folders of the system, and folders that contain those of users. Names are compared as on Windows, without case. */
const systemFolders = [
  ...[
    '/bin',
    '/boot',
    '/dev',
    '/etc',
    '/home',
    '/lib',
    '/lib64',
    '/media',
    '/mnt',
    '/opt',
    '/private',
    '/proc',
  ],
  ...[
    '/root',
    '/run',
    '/sbin',
    '/srv',
    '/sys',
    '/tmp',
    '/usr',
    '/usr/local',
    '/var',
    '/var/tmp',
    '/private/tmp',
  ],
  ...['/applications', '/library', '/system', '/users', '/volumes'],
  ...['c:\\users', 'c:\\windows', 'c:\\program files', 'c:\\program files (x86)', 'c:\\programdata'],
];

/** Types of file systems (`f_type` of statfs) that are on another machine, or on the Windows side of WSL (9p). */
const remoteTypes: ReadonlyMap<number, string> = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xff534d42, 'CIFS'],
  [0xfe534d42, 'SMB'],
  [0x01021997, '9P'],
  [0x00c36400, 'Ceph'],
  [0x5346414f, 'AFS'],
  [0x6b414653, 'AFS'],
  [0x73757245, 'Coda'],
  [0x564c, 'NCP'],
  [0x0bd00bd0, 'Lustre'],
  [0x47504653, 'GPFS'],
  [0x01161970, 'GFS2'],
  [0x7461636f, 'OCFS2'],
]);

/**
 * Why a folder is not walked as a whole, in words for users; undefined if it is. Never run on macOS and Windows, where
 * `statfs` has other types: a network folder there is limited only by the time of its walk.
 */
export function whyNotWhole(root: Path, home: Path = homedir()): string | undefined {
  const realHome = realPathOr(home);
  if (root === parse(root).root) return 'it is the root of a file system';
  if (root === realHome) return 'it is a home folder';
  if (isWithin(root, realHome)) return 'it contains the home folder';
  if (systemFolders.includes(root.toLowerCase())) return 'it is a folder of the system';
  const remote = remoteTypeOf(root);
  return remote && `it is on a network or foreign file system (${remote})`;
}

function remoteTypeOf(root: Path): string | undefined {
  if (process.platform !== 'linux') return undefined;
  try {
    return remoteTypes.get(statfsSync(root).type >>> 0);
  } catch {
    return undefined;
  }
}
