import commonjs from '@rollup/plugin-commonjs'
import json from '@rollup/plugin-json'
import nodeResolve from '@rollup/plugin-node-resolve'

export default {
  // undici asks whether there is a node:sqlite. Node 20 has none, and Rollup would import it at the start.
  plugins: [nodeResolve({ preferBuiltins: true }), commonjs({ ignore: ['node:sqlite'] }), json()],
  output: { format: 'es', entryFileNames: '[name].mjs', chunkFileNames: '[name]-[hash].mjs' },
}
