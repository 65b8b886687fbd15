import { defineConfig } from 'vitest/config';
import base from '../vitest.config.js';

/** Makes the pictures of the documentation: `npm run pictures`. */
export default defineConfig({ ...base, test: { ...base.test, include: ['pictures/*.test.ts'] } });
