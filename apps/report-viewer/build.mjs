// Bundles the viewer into one script that a report can carry: node build.mjs [output]
import { build } from 'esbuild';

await build({
  entryPoints: ['src/viewer.js'],
  outfile: process.argv[2] ?? 'dist/viewer.js',
  bundle: true,
  minify: true,
  format: 'iife',
  globalName: 'PneumaViewer',
  target: 'es2020',
  charset: 'ascii',
  legalComments: 'inline',
  logLevel: 'warning',
});
