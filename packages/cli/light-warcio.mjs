import { readFileSync } from 'node:fs'

/**
 * An esbuild plugin. warcio's digests are WebAssembly, 260 KB of text: the archive computes its own by node:crypto,
 * while octets come, and warcio computes none that a record has. And warcio writes to the console about a damaged file,
 * of which the archive tells by itself.
 */
export const lightWarcio = {
  name: 'light-warcio',
  setup(build) {
    const found = new Set()
    build.onLoad({ filter: /[/\\]hash-wasm[/\\]dist[/\\]index\.\w+\.js$/ }, () => {
      found.add('hash-wasm')
      return { contents: 'module.exports = {}', loader: 'js' }
    })
    build.onLoad({ filter: /[/\\]warcio[/\\]dist[/\\]index\.js$/ }, ({ path }) => {
      const text = readFileSync(path, 'utf8')
      const contents = text.replace(/\bconsole\.(?:log|warn)\(/g, '(() => {})(')
      if (contents !== text) found.add('console')
      return { contents, loader: 'js' }
    })
    build.onEnd(() => {
      const missing = ['hash-wasm', 'console'].filter((name) => !found.has(name))
      if (missing.length > 0) return { errors: [{ text: `light-warcio.mjs: warcio no longer uses ${missing}.` }] }
    })
  },
}
