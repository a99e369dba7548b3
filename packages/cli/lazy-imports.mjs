// Makes the imports of a module that esbuild has made CommonJS lazy: each is loaded when it is first used. Modules then
// run later and in another order than ES modules do, so none may rely on what another does while it is loaded, except
// those that it imports for that alone (`import 'x'`), which stay as they are. A use of an import in another form than
// `import_x.name` is an error of the build.

/** A line such as `var import_net = require("node:net");`; esbuild gives the variable a name that nothing else has. */
const imported = /^var (import_\w+) = ((?:__toESM\d*\()?require\("[^"]+"\)(?:, 1)?\)?);$/gm

export function lazyImports(code) {
  const names = []
  const lazy = code.replace(imported, (_, name, load) => {
    names.push(name)
    return `var ${name}, load_${name} = () => ${name} ??= ${load};`
  })
  if (names.length === 0) return code
  const all = names.join('|')
  const used = new RegExp(`(?<!^var )\\b(?:${all})(?=\\.)`, 'g')
  const left = new RegExp(`^(?!var import_).*\\b(?:${all})(?!\\.)\\b.*`, 'm').exec(lazy)
  if (left !== null) throw new Error(`lazy-imports.mjs does not understand this use of an import: ${left[0]}`)
  const loading = lazy.replace(used, (name) => `(load_${name}())`)
  // esbuild also imports what only other chunks of a source use.
  const isUsed = (name) => loading.includes(`(load_${name}())`)
  return loading.replace(/^var (import_\w+), load_.*\n/gm, (line, name) => (isUsed(name) ? line : ''))
}
