import { beforeEach, describe, it } from 'vitest';
import { openFakeWindow } from './support/fakeVscode/index.js';
import { runVscodeContract } from './support/vscodeContract.js';

describe('the fake VS Code', () => {
  beforeEach(() => {
    openFakeWindow();
  });

  runVscodeContract((name, run) => it(name, run));
});
