import { describe, expect, test } from 'vitest';
import { hasOwnDesktop, tunnelCommand } from '../../src/page/openBrowser.js';

describe('opening a browser', () => {
  test('opens only where the user would see it', () => {
    expect(hasOwnDesktop('linux', { DISPLAY: ':0' })).toBe(true);
    expect(hasOwnDesktop('linux', { WAYLAND_DISPLAY: 'wayland-0' })).toBe(true);
    expect(hasOwnDesktop('linux', { WSL_DISTRO_NAME: 'Debian' })).toBe(true);
    expect(hasOwnDesktop('linux', {})).toBe(false);
    expect(hasOwnDesktop('linux', { DISPLAY: '' })).toBe(false);
    expect(hasOwnDesktop('darwin', {})).toBe(true);
    for (const platform of ['linux', 'darwin', 'win32'] as const) {
      expect(hasOwnDesktop(platform, { DISPLAY: ':10', SSH_CONNECTION: '10.0.0.1 1 10.0.0.2 22' })).toBe(
        false,
      );
      expect(hasOwnDesktop(platform, { DISPLAY: ':10', SSH_TTY: '/dev/pts/1' })).toBe(false);
    }
  });

  test('returns a tunnel command on a remote machine', () => {
    expect(tunnelCommand('http://127.0.0.1:4000/#key=k', { SSH_CONNECTION: 'x' }, 'host')).toBe(
      'ssh -L 4000:127.0.0.1:4000 host',
    );
    expect(tunnelCommand('http://127.0.0.1:4000/', {})).toBeUndefined();
  });
});
