// Makes the exports of a module that esbuild has made CommonJS plain. esbuild gives each export two getters, one behind
// the other, and each use of it calls both, which takes long until V8 has optimised it. Here functions are properties
// of module.exports, from the beginning, as they are hoisted. All else keeps one getter, since it may change.

/** The exports as esbuild writes them: a line `name: () => local,` or `name: () => import_x.name,` for each. */
const block = /^var (\w+_exports) = \{\};\n__export\(\1, \{\n([^}]*)\n\}\);\nmodule\.exports = __toCommonJS\(\1\);$/m
const line = /^ {2}("[^"]+"|[\w$]+): \(\) => (.+?),?$/gm
const hoisted = /^(?:async )?function\*? ([\w$]+)\(/gm
/** The functions of esbuild that make getters, each after those that it calls. */
const helpers = ['toCommonJS', 'copyProps', 'export', 'hasOwnProp', 'getOwnPropNames', 'getOwnPropDesc', 'defProp']

export function plainExports(code) {
  const [all, , lines] = block.exec(code) ?? []
  if (all === undefined) return code
  const functions = new Set(Array.from(code.matchAll(hoisted), ([, name]) => name))
  const plain = ['Object.defineProperty(exports, "__esModule", { value: true });']
  const getters = []
  for (const [, name, local] of lines.matchAll(line)) {
    if (functions.has(local) && !isAssigned(local, code)) plain.push(`exports[${JSON.stringify(name)}] = ${local};`)
    else getters.push(`  ${name}: () => ${local}`)
  }
  if (getters.length > 0) plain.push(`__export(exports, {\n${getters.join(',\n')}\n});`)
  return helpers.reduce(
    withoutUnused,
    code.replace(all, () => plain.join('\n')),
  )
}

function isAssigned(name, code) {
  return new RegExp(`(?<![\\w$.])${name.replaceAll('$', '\\$')} = `).test(code)
}

function withoutUnused(code, helper) {
  const isUsed = code.split(`__${helper}`).length > 2
  return isUsed ? code : code.replace(new RegExp(`^var __${helper} = (?:.*;|[^]*?^};)\\n`, 'm'), '')
}
