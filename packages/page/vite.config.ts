import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** The page as it is served by the `tandem` command: every file from its own origin, nothing inline. */
export default defineConfig({
  root: import.meta.dirname,
  base: './',
  plugins: [react()],
  resolve: { conditions: ['@tandem/source', 'module', 'browser', 'development|production'] },
  build: {
    target: 'es2022',
    outDir: 'dist/page',
    emptyOutDir: true,
    // An inlined asset would be a data: URL, which the page's content security policy does not allow.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1200,
  },
});
