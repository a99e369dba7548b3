/**
 * The lists that name each scheme: `has` tells whether a text of the list has the name, `add` gives the text with the
 * scheme in it, and the number of its lines; a null text: the list has another form.
 */
export function listsOf({ name, port, title }) {
  const word = new RegExp(`\\b${name}\\b`)
  const row = `| [${name}](${name}.md) | ${title} | ${port} | yes |\n`
  return [
    {
      path: 'packages/core/src/schemes/index.ts',
      // Names of variables there, whatever they stand for.
      has: (text) => word.test(text),
      add: inOrder(importOf(name, `./${name}.ts`), before(/^\]\n$/m, `  ${name},\n`)),
    },
    {
      path: 'packages/core/src/internal.ts',
      has: (text) => new RegExp(`^export .*\\b${name}\\b`, 'm').test(text),
      add: inOrder(importOf(name, `./schemes/${name}.ts`, 'export')),
    },
    {
      path: 'packages/core/src/plan.ts',
      has: (text) => new RegExp(`^ {2}${name}:|'${name}'`, 'm').test(text),
      add: inOrder(before(/(?<=interface AccessPlans \{[^}]*)^\}/m, `  ${name}: LinePlan<'${name}'>\n`)),
    },
    {
      path: 'packages/fetchers/src/protocols/index.ts',
      has: (text) => word.test(text),
      add: inOrder(
        importOf(name, `./${name}/about.ts`),
        before(
          /^ {2}\]\n\}/m,
          `    { ...${name}, load: async () => (await import('./${name}/index.ts')).${name}Fetcher() },\n`,
        ),
      ),
    },
    {
      path: 'packages/fetchers/package.json',
      has: (text) => text.includes(`"./${name}"`),
      add: inOrder(before(/^ {4}"\.\/package\.json"/m, exportOf(name))),
    },
    {
      path: 'docs/schemes/README.md',
      has: (text) => text.includes(`[${name}]`),
      add: (text) => ({ text: text + row, lines: 1 }),
    },
  ]
}

/** Makes one change after the other. */
function inOrder(...changes) {
  return (text) =>
    changes.reduce((done, change) => (done.text === null ? done : change(done.text, done.lines)), { text, lines: 0 })
}

/** Adds lines before the place that a pattern finds. */
function before(place, added) {
  return (text, lines) => {
    const at = text.search(place)
    if (at < 0) return { text: null, lines }
    return { text: text.slice(0, at) + added + text.slice(at), lines: lines + added.split('\n').length - 1 }
  }
}

/** Adds an import, or an export, in the order of the files. */
function importOf(name, file, kind = 'import') {
  return (text, lines) => {
    const others = [...text.matchAll(new RegExp(`^${kind} .* from '(\\./[^']*)'\\n`, 'gm'))]
    if (others.length === 0) return { text: null, lines }
    const next = others.find(([, other]) => other > file)
    const last = others.at(-1)
    const at = next === undefined ? last.index + last[0].length : next.index
    return { text: `${text.slice(0, at)}${kind} { ${name} } from '${file}'\n${text.slice(at)}`, lines: lines + 1 }
  }
}

function exportOf(name) {
  return `    "./${name}": {
      "types": "./dist/protocols/${name}/index.d.ts",
      "default": "./dist/protocols/${name}/index.js"
    },
`
}
